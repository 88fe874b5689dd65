// Writes what was read from one note: its text, names, tags and properties. Its links are written elsewhere.
import { noteName, type Properties } from '../../base/note.ts';
import type { IndexedFile } from '../../contracts/store.ts';
import { foldName } from '../../markdown/fold.ts';
import { packBlocks, packHeadings } from './packed-outline.ts';
import { flatValues } from './property-values.ts';
import type { Rows } from './rows.ts';
import { spacedText } from './spaced-text.ts';

/** Takes everything read from the file out of the index, and collects the link names it used. */
export function forgetContent(rows: Rows, file: number, linkNames: Set<number>): void {
  for (const name of rows.column<number>('SELECT name FROM links WHERE source = ?', file)) linkNames.add(name);
  rows.run('DELETE FROM links WHERE source = ?', file);
  rows.run('DELETE FROM tags WHERE file = ?', file);
  rows.run('DELETE FROM names WHERE file = ?', file);
  forgetProperties(rows, file);
  rows.run('DELETE FROM contents WHERE file = ?', file);
  rows.run('DELETE FROM texts WHERE rowid = ?', file);
}

/** The values lie by name, so that a filter reads one stretch of them. */
function forgetProperties(rows: Rows, file: number): void {
  const [properties = '{}'] = rows.column<string>('SELECT properties FROM contents WHERE file = ?', file);
  const names = flatValues(JSON.parse(properties) as Properties).map(({ name }) => name);
  for (const name of new Set(names)) rows.run('DELETE FROM property_values WHERE name = ? AND file = ?', name, file);
}

/** Writes all of it but the links; nothing of an earlier state may be left. */
export function writeContent(rows: Rows, file: number, note: IndexedFile): void {
  const { parsed, path, hash, sizeBytes, modifiedMs, encoding } = note;
  const given = givenTitle(parsed.properties);
  const title = given ?? noteName(path);
  const tags = distinctTags(parsed.tags.map(({ tag }) => tag));
  rows.run(
    'UPDATE files SET hash = ?, size = ?, modified = ?, title = ? WHERE id = ?',
    ...[hash, sizeBytes, modifiedMs, title, file],
  );
  rows.run(
    `INSERT INTO contents (file, encoding, body_offset, properties, notices, headings, blocks)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ...[file, encoding, parsed.bodyOffset, JSON.stringify(parsed.properties), JSON.stringify(parsed.notices)],
    ...[packHeadings(parsed.headings), packBlocks(parsed.blocks)],
  );
  writeNames(rows, file, 'alias', parsed.aliases);
  writeNames(rows, file, 'title', otherTitles(given, note));
  for (const [ordinal, [key, tag]] of [...tags].entries()) {
    rows.run('INSERT INTO tags (file, ordinal, tag, key) VALUES (?, ?, ?, ?)', file, ordinal, tag, key);
  }
  writeProperties(rows, file, parsed.properties);
  writeText(rows, file, { title, tags: [...tags.values()], note });
}

/** A property `title`, in whatever case, that is a text and not empty. */
function givenTitle(properties: Properties): string | undefined {
  const value = Object.entries(properties).find(([name]) => foldName(name) === 'title')?.[1];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** The titles that say more than the file's name: the given one, and the first heading of level 1. */
function otherTitles(given: string | undefined, { path, parsed }: IndexedFile): string[] {
  const heading = parsed.headings.find(({ level }) => level === 1)?.text;
  const byKey = new Map([heading, given].map((title) => [foldName(title ?? ''), title ?? '']));
  byKey.delete('');
  byKey.delete(foldName(noteName(path)));
  return [...byKey.values()];
}

/** By folded key, in the spelling met first. */
function distinctTags(tags: readonly string[]): Map<string, string> {
  const distinct = new Map<string, string>();
  for (const tag of tags) {
    const key = foldName(tag);
    if (!distinct.has(key)) distinct.set(key, tag);
  }
  return distinct;
}

function writeNames(rows: Rows, file: number, kind: 'alias' | 'title', names: readonly string[]): void {
  const sql = 'INSERT INTO names (file, kind, ordinal, name, key) VALUES (?, ?, ?, ?, ?)';
  for (const [ordinal, name] of names.entries()) rows.run(sql, file, kind, ordinal, name, foldName(name));
}

function writeProperties(rows: Rows, file: number, properties: Properties): void {
  const sql = 'INSERT INTO property_values (file, ordinal, name, type, number, text) VALUES (?, ?, ?, ?, ?, ?)';
  for (const [ordinal, { name, type, number, text }] of flatValues(properties).entries()) {
    rows.run(sql, file, ordinal, name, type, number, text);
  }
}

interface Texts {
  readonly title: string;
  readonly tags: readonly string[];
  readonly note: IndexedFile;
}

function writeText(rows: Rows, file: number, { title, tags, note }: Texts): void {
  const { aliases, headings } = note.parsed;
  const columns = [title, aliases.join('\n'), headings.map(({ text }) => text).join('\n'), tags.join('\n'), note.body];
  const sql = 'INSERT INTO texts (rowid, title, aliases, headings, tags, body) VALUES (?, ?, ?, ?, ?, ?)';
  rows.run(sql, file, ...columns.map(spacedText));
}
