// Every case of vault-fixtures/links, each by the field it is about. A case's vault is its folder there; where a file name or a
// line end cannot live in every checkout, `expected.json` holds the vault as `files` instead.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Link, LinkKind, NotePath, ParsedNote } from '../../src/base/note.ts';
import { nearestNote } from '../../src/queries/called-notes.ts';
import { parseVault, type ReadVault } from './read-vault.ts';
import { readVault } from './vault-folder.ts';

const FOLDER = join(import.meta.dirname, '../../vault-fixtures/links');

interface Case {
  readonly id: string;
  readonly note: NotePath;
  readonly field: string;
  readonly expected: readonly unknown[];
  readonly certainty: string;
  readonly files?: Readonly<Record<string, string>>;
}

const cases: readonly Case[] = JSON.parse(readFileSync(join(FOLDER, 'expected.json'), 'utf8'));

const linksOf = (note: ParsedNote, ...kinds: LinkKind[]) =>
  note.links
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ link, display, key }) => ({ link, displayText: display, key }));

const FIELDS: Readonly<Record<string, (note: ParsedNote) => readonly unknown[]>> = {
  links: (note) => linksOf(note, 'wikilink', 'markdown'),
  embeds: (note) => linksOf(note, 'embed'),
  frontmatterLinks: (note) => linksOf(note, 'property'),
  tags: (note) => note.tags.map(({ tag }) => tag),
  aliases: (note) => note.aliases,
  headings: (note) => note.headings.map(({ level, text }) => ({ level, heading: text })),
  blocks: (note) => note.blocks.map(({ id, line, endLine }) => ({ id, from: line, to: endLine })),
};

function resolved(vault: ReadVault, source: NotePath): readonly unknown[] {
  const links = vault.parsed.get(source)?.links ?? [];
  return links.map((link) => resolvedLink(vault, link, source));
}

function resolvedLink(vault: ReadVault, link: Link, source: NotePath) {
  const found = vault.resolve(link, source);
  if (found.path === null) {
    return { link: link.link, path: null, suggestion: nearestNote(vault.called, link.link) };
  }
  const line = vault.lineOf(link, found.path);
  return { link: link.link, path: found.path, line, ambiguous: found.match === 'ambiguous' };
}

/** Paths compare in NFC with U+00A0 as a blank. */
function samePath(path: unknown): unknown {
  return typeof path === 'string' ? path.normalize('NFC').replaceAll('\u00A0', ' ') : path;
}

/** The found value with only the names that the expected one has. */
function comparable(found: unknown, expected: unknown): unknown {
  if (typeof found !== 'object' || found === null || typeof expected !== 'object' || expected === null) return found;
  const entries = Object.entries(found).filter(([name]) => name in expected);
  return Object.fromEntries(entries.map(([name, value]) => [name, name === 'path' ? samePath(value) : value]));
}

function filesOf(one: Case): ReadonlyMap<NotePath, Uint8Array> {
  if (one.files === undefined) return readVault(join(FOLDER, one.id));
  return new Map(
    Object.entries(one.files).map(([path, text]) => [path.normalize('NFC') as NotePath, Buffer.from(text)]),
  );
}

function foundIn(one: Case): readonly unknown[] {
  const vault = parseVault(filesOf(one));
  const note = vault.parsed.get(one.note);
  assert.ok(note, `${one.note} is in the vault of ${one.id}`);
  if (one.field === 'resolve') return resolved(vault, one.note);
  const read = FIELDS[one.field];
  assert.ok(read, `${one.field} is a known field`);
  return read(note);
}

test('the page of cases is whole', () => {
  assert.equal(cases.length, 146);
  assert.equal(new Set(cases.map(({ id }) => id)).size, 146);
});

for (const one of cases) {
  test(`${one.id} ${one.field} (${one.certainty})`, () => {
    const found = foundIn(one);
    const compared = found.map((value, index) => comparable(value, one.expected[index]));
    const expected = one.expected.map((value) => (typeof value === 'object' ? comparable(value, value) : value));
    assert.deepEqual(compared, expected);
  });
}
