// Checks that every position in an export points at the right text in the file on disk, or in the outline of a canvas. Splits lines itself.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canvasOutline } from '../../src/markdown/parse/canvas-outline.ts';
import type { ExportedLink, ExportedNote } from './exported-vault.ts';

/** @returns how many positions were checked */
export function checkPlaces(folder: string, notes: Iterable<ExportedNote>): number {
  const onDisk = filesOnDisk(folder);
  let checked = 0;
  for (const note of notes) {
    const file = onDisk.get(note.path);
    assert.ok(file !== undefined, `${note.path} is on disk`);
    const text = new TextDecoder().decode(readFileSync(file));
    checked += checkNote(note, note.kind === 'canvas' ? canvasOutline(text).text : text);
  }
  return checked;
}

/** Files by their path as exported, which is NFC. */
function filesOnDisk(folder: string): Map<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(paths.map((path) => [path.split('\\').join('/').normalize('NFC'), join(folder, path)]));
}

function checkNote(note: ExportedNote, text: string): number {
  const lineEnds = [...text.matchAll(/\r\n|\r|\n/g)].map(({ index, 0: lineEnd }) => index + lineEnd.length);
  const starts = [0, ...lineEnds];
  const places = [...note.links, ...note.tag_places, ...note.headings];
  for (const { line, column, offset } of places) {
    assert.equal((starts[line - 1] ?? Number.NaN) + column - 1, offset, `${note.path}:${line}:${column}`);
    assert.ok(offset < (starts[line] ?? text.length + 1), `${note.path}:${line}:${column} is on its line`);
  }
  for (const link of note.links) checkLink(link, text, `${note.path}:${link.line}`);
  for (const tag of note.tag_places) checkTag(tag, text, `${note.path}:${tag.line}`);
  for (const heading of note.headings) checkHeading(heading, text, `${note.path}:${heading.line}`);
  if (note.kind === 'note') for (const block of note.blocks) checkBlock(block, text.split(/\r\n|\r|\n/), note.path);
  return places.length + note.blocks.length;
}

const FORMS: Readonly<Record<ExportedLink['kind'], RegExp>> = {
  wikilink: /^\[\[.+\]\]$/,
  embed: /^!\[(?:\[.+\]\]|[\s\S]*\]\([\s\S]+\))$/,
  markdown: /^\[[\s\S]*\]\([\s\S]+\)$/,
  reference: /^!?\[[\s\S]+\]$/,
  property: /^\[[\s\S]+[\])]$/,
  canvas: /^./,
};

function checkLink({ kind, link, offset, end }: ExportedLink, text: string, where: string): void {
  const written = text.slice(offset, end);
  assert.match(written, FORMS[kind], where);
  if (kind === 'wikilink') assert.ok(written.slice(2).trimStart().startsWith(link) || written.includes('\\'), where);
  if (kind === 'canvas') assert.equal(written, link, where);
}

function checkTag({ tag, from, offset }: ExportedNote['tag_places'][number], text: string, where: string): void {
  if (from === 'body') assert.equal(text.slice(offset, offset + tag.length), tag, where);
  else assert.ok(text.slice(offset).replace(/^#/, '').startsWith(tag.slice(1)), where);
}

function checkHeading({ text: heading, level, offset }: ExportedNote['headings'][number], text: string, where: string) {
  const written = text.slice(offset);
  const [signs = ''] = /^#+[^\S\r\n]*/.exec(written) ?? [];
  if (signs.trimEnd().length === level && written.startsWith(heading, signs.length)) return;
  const shown = written.replace(/^[^\S\r\n]+/, '');
  const underline = level === 1 ? /^[^\S\r\n]*(?:\r\n|\r|\n) {0,3}=+/ : /^[^\S\r\n]*(?:\r\n|\r|\n) {0,3}-+/;
  assert.ok(shown.startsWith(heading) && underline.test(shown.slice(heading.length)), where);
}

/** The name is at the end of the block, or on a line of its own just below it. */
function checkBlock({ id, line, end_line }: ExportedNote['blocks'][number], lines: readonly string[], path: string) {
  assert.ok(line >= 1 && end_line >= line && end_line <= lines.length, `${path}#^${id}`);
  const near = lines.slice(line - 1, end_line + 2);
  assert.ok(
    near.some((written) => written.trimEnd().endsWith(`^${id}`)),
    `${path}:${line} names ^${id}`,
  );
}
