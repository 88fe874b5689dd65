// Reads what is known of notes: lists by filter, summaries and whole records. Knows nothing of links and text.
import type { FileKind, NotePath, Properties } from '../../base/note.ts';
import type { NoteFilter, NoteList, NoteRecord, NoteSort, NoteSummary, Page } from '../../contracts/store.ts';
import { noteConditions } from './note-conditions.ts';
import { unpackBlocks, unpackHeadings } from './packed-outline.ts';
import type { Rows } from './rows.ts';

interface SummaryRow {
  readonly id: number;
  readonly path: NotePath;
  readonly title: string;
  readonly kind: FileKind;
  readonly modifiedMs: number;
  readonly sizeBytes: number;
}

interface RecordRow extends SummaryRow {
  readonly hash: string | null;
  readonly evicted: number;
  readonly conflictCopy: number;
  readonly encoding: 'utf-8' | 'invalid' | null;
  readonly bodyOffset: number | null;
  readonly properties: string | null;
  readonly notices: string | null;
  readonly headings: string | null;
  readonly blocks: string | null;
}

const SUMMARY = 'files.id, path, title, kind, modified AS modifiedMs, size AS sizeBytes';

/** Links that lead to the note and links that stand in it; one to itself is both, and counts twice. */
const LINK_COUNT = `(SELECT count(*) FROM links WHERE target = files.id)
  + (SELECT count(*) FROM links WHERE source = files.id)`;

const SORTS: Readonly<Record<NoteSort, string>> = {
  name: 'name_key',
  modified: 'modified',
  created: 'coalesce(created, modified)',
  links: LINK_COUNT,
  random: 'random()',
};

export function listNotes(
  rows: Rows,
  filter: NoteFilter,
  sort: NoteSort,
  order: 'asc' | 'desc',
  { limit, offset }: Page,
): NoteList {
  const { sql, values } = noteConditions(filter);
  const direction = order === 'asc' ? 'ASC' : 'DESC';
  const found = rows.all<SummaryRow>(
    `SELECT ${SUMMARY} FROM files WHERE ${sql} ORDER BY ${SORTS[sort]} ${direction}, path LIMIT ? OFFSET ?`,
    ...values,
    limit,
    offset,
  );
  const [total = 0] = rows.column<number>(`SELECT count(*) FROM files WHERE ${sql}`, ...values);
  return { notes: found.map((row) => summary(rows, row)), total };
}

/** In the order asked; a path asked twice stands twice. */
export function noteRecords(rows: Rows, paths: readonly NotePath[]): NoteRecord[] {
  const sql = `SELECT ${SUMMARY}, hash, evicted, conflict_copy AS conflictCopy, encoding, body_offset AS bodyOffset,
    properties, notices, headings, blocks
    FROM files LEFT JOIN contents ON contents.file = files.id WHERE path = ?`;
  return paths.flatMap((path) => {
    const row = rows.first<RecordRow>(sql, path);
    return row === undefined ? [] : [noteRecord(rows, row)];
  });
}

function noteRecord(rows: Rows, row: RecordRow): NoteRecord {
  const names = `SELECT name FROM names WHERE file = ? AND kind = 'alias' ORDER BY ordinal`;
  return {
    ...summary(rows, row),
    hash: row.hash,
    encoding: row.encoding ?? 'utf-8',
    conflictCopy: row.conflictCopy === 1,
    evicted: row.evicted === 1,
    aliases: rows.column<string>(names, row.id),
    properties: JSON.parse(row.properties ?? '{}') as Properties,
    notices: JSON.parse(row.notices ?? '[]') as string[],
    headings: unpackHeadings(row.headings ?? '[]'),
    blocks: unpackBlocks(row.blocks ?? '[]'),
    bodyOffset: row.bodyOffset ?? 0,
  };
}

function summary(rows: Rows, { id, path, title, kind, modifiedMs, sizeBytes }: SummaryRow): NoteSummary {
  const tags = rows.column<string>('SELECT tag FROM tags WHERE file = ? ORDER BY ordinal', id);
  return { path, title, kind, modifiedMs, sizeBytes, tags };
}
