// Writes and deletes the content of a note: its names, tags, properties and tasks.
import { noteName, type ParsedNote } from '../../../base/note.ts';
import type { AttachmentContent, IndexedNote } from '../../../contracts/change-set.ts';
import { noteDate } from '../../../markdown/dates/note-date.ts';
import { addressesOf, addressKey } from '../../../markdown/links/addresses.ts';
import { foldName } from '../../../markdown/links/fold.ts';
import { distinctTags } from '../../../markdown/parse/tag.ts';
import { titleProperty } from '../../../markdown/properties/note-title.ts';
import { DamagedRow } from '../database/checksum.ts';
import type { Clause, Rows } from '../database/rows.ts';
import { deleteWords } from '../texts/segment-rows.ts';
import type { Edges, NameIds } from './link-writes.ts';
import {
  flatValues,
  packBlocks,
  packHeadings,
  packProperties,
  packTags,
  packTasks,
  unpackDistinctTags,
  unpackProperties,
  type Valued,
} from './packed-note.ts';

/** Deletes the content of a note, but not its links. */
export function deleteContent(rows: Rows, file: number): void {
  const sql = 'SELECT * FROM contents WHERE file = ?';
  const [content] = rows.checked<{ properties: string; tag_places: string }>(sql, file);
  if (content === undefined) return;
  deleteProperties(rows, file, content.properties);
  deleteTags(rows, file, content.tag_places);
  rows.run('DELETE FROM tasks WHERE file = ?', file);
  rows.run('DELETE FROM names WHERE file = ?', file);
  rows.run('DELETE FROM contents WHERE file = ?', file);
  rows.run('DELETE FROM attachment_texts WHERE file = ?', file);
  deleteWords(rows, file);
}

/** The table is ordered by name, so the rows are found by the names of the note's properties. */
function deleteProperties(rows: Rows, file: number, packed: string): void {
  const values = flatValues(unpackProperties(packed, (id) => propertyName(rows, id)));
  const names = new Set(values.map(({ name }) => name));
  const sql = 'DELETE FROM property_values WHERE name = (SELECT id FROM property_names WHERE name = ?) AND file = ?';
  for (const name of names) rows.run(sql, name, file);
}

function deleteTags(rows: Rows, file: number, packed: string): void {
  const sql = 'DELETE FROM tags WHERE tag = (SELECT id FROM tag_names WHERE tag = ?) AND file = ?';
  for (const tag of unpackDistinctTags(packed)) rows.run(sql, tag, file);
}

export function propertyName(rows: Rows, id: number): string {
  const [row] = rows.checked<{ name: string }>('SELECT * FROM property_names WHERE id = ?', id);
  if (row === undefined) throw new DamagedRow('a property has no name');
  return row.name;
}

/**
 * Writes everything but the links and the words. Earlier content has to be deleted first.
 * @param edges undefined if the links lead where they did before
 */
export function writeContent(rows: Rows, file: number, note: IndexedNote, names: NameIds, edges?: Edges): void {
  const { parsed, path, hash, sizeBytes, modifiedMs, createdMs = null, changedMs = null, encoding } = note;
  const ownTitle = titleProperty(parsed.properties);
  const title = ownTitle ?? noteName(path);
  const dated = note.attachment === undefined ? noteDate(path, parsed.properties) : undefined;
  const set = `hash = ?, size = ?, modified = ?, created = ifnull(?, created), changed = ?, title = ?, date = ?,
    dated_by = ?`;
  const otherTitle = title === noteName(path) ? null : title;
  const times = [modifiedMs, createdMs, changedMs];
  const values = [hash, sizeBytes, ...times, otherTitle, dated?.date ?? null, dated?.by ?? null];
  const change: Clause = edges
    ? [`${set}, edges_revision = ?, edges = ?`, ...values, edges.revision, edges.checksum]
    : [set, ...values];
  rows.update('files', change, ['id = ?', file]);
  rows.run(
    `INSERT INTO contents (file, encoding, body_offset, properties, notices, headings, blocks, tag_places)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[
      file,
      encoding === 'utf-8' ? null : encoding,
      parsed.bodyOffset,
      packProperties(parsed, names.property),
      JSON.stringify(parsed.notices),
    ],
    ...[packHeadings(parsed.headings), packBlocks(parsed.blocks), packTags(parsed.tags)],
  );
  writeNames(rows, file, 'alias', parsed.aliases);
  writeNames(rows, file, 'title', otherTitles(ownTitle, note));
  writeNames(rows, file, 'address', addressesOf(path, parsed));
  for (const tag of distinctTags(parsed.tags))
    rows.run('INSERT INTO tags (tag, file) VALUES (?, ?)', names.tag(tag), file);
  writeProperties(rows, file, parsed, names);
  writeTasks(rows, file, parsed);
  if (note.attachment !== undefined) writeText(rows, file, note.attachment);
}

function writeText(rows: Rows, file: number, content: AttachmentContent): void {
  const { text, fault = null } = content;
  rows.run('INSERT INTO attachment_texts (file, text, fault) VALUES (?, ?, ?)', file, text, fault);
}

/** The titles that differ from the file name: the property and the first heading of level 1. */
function otherTitles(ownTitle: string | undefined, { path, parsed }: IndexedNote): string[] {
  const heading = parsed.headings.find(({ level }) => level === 1)?.text;
  const byKey = new Map([heading, ownTitle].map((title) => [foldName(title ?? ''), title ?? '']));
  byKey.delete('');
  byKey.delete(foldName(noteName(path)));
  return [...byKey.values()];
}

type NameKind = 'alias' | 'title' | 'address';

function writeNames(rows: Rows, file: number, kind: NameKind, names: readonly string[]): void {
  const sql = 'INSERT INTO names (file, kind, ordinal, name, key) VALUES (?, ?, ?, ?, ?)';
  const keyOf = kind === 'address' ? addressKey : foldName;
  for (const [ordinal, name] of names.entries()) rows.run(sql, file, kind, ordinal, name, keyOf(name));
}

function writeProperties(rows: Rows, file: number, valued: Valued, names: NameIds): void {
  const sql = 'INSERT INTO property_values (name, file, ordinal, type, value) VALUES (?, ?, ?, ?, ?)';
  for (const { name, ordinal, type, value } of flatValues(valued))
    rows.run(sql, names.property(name), file, ordinal, type, value);
}

function writeTasks(rows: Rows, file: number, { tasks }: Pick<ParsedNote, 'tasks'>): void {
  if (tasks.length > 0) rows.run('INSERT INTO tasks (file, tasks) VALUES (?, ?)', file, packTasks(tasks));
}
