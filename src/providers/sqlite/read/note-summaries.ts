// Lists notes by filter, and reads the full records of notes.
import { type FileKind, type NotePath, noteName } from '../../../base/note.ts';
import type { NoteFilter, Page } from '../../../contracts/note-filter.ts';
import type { NoteList, NoteRecord, NoteSort, NoteSummary } from '../../../contracts/store.ts';
import { memoize } from '../database/cache.ts';
import type { Rows } from '../database/rows.ts';
import { propertyName } from '../write/content-rows.ts';
import {
  distinctTags,
  NO_TAGS,
  unpackBlocks,
  unpackHeadings,
  unpackProperties,
  unpackTags,
} from '../write/packed-note.ts';
import { noteConditions } from './note-conditions.ts';

interface SummaryRow {
  readonly id: number;
  readonly path: NotePath;
  readonly title: string | null;
  readonly kind: FileKind;
  readonly modifiedMs: number;
  readonly sizeBytes: number;
  readonly date: string | null;
  readonly datedBy: NoteSummary['datedBy'] | null;
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
  readonly tagPlaces: string | null;
}

const SUMMARY =
  'files.id, path, title, kind, modified AS modifiedMs, size AS sizeBytes, files.date, dated_by AS datedBy';

/** The number of links to a note; notes without any are left out. */
const INCOMING = '(SELECT target, count(*) AS incoming FROM links WHERE target IS NOT NULL GROUP BY target)';

const SORTS: Readonly<Record<NoteSort, string>> = {
  name: 'name_key',
  path: 'path',
  modified: 'modified',
  created: 'coalesce(created, modified)',
  links: 'ifnull(incoming, 0) + (SELECT count(*) FROM links WHERE source = files.id)',
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
  const files = sort === 'links' ? `files LEFT JOIN ${INCOMING} ON target = files.id` : 'files';
  const found = rows.all<SummaryRow>(
    `SELECT ${SUMMARY} FROM ${files} WHERE ${sql} ORDER BY ${SORTS[sort]} ${direction}, path LIMIT ? OFFSET ?`,
    ...values,
    limit,
    offset,
  );
  const total = rows.value<number>(`SELECT count(*) FROM files WHERE ${sql}`, ...values) ?? 0;
  return { notes: found.map((row) => summary(row, tagsOf(rows, row.id))), total };
}

function tagsOf(rows: Rows, file: number): string[] {
  const packed = rows.value<string>('SELECT tag_places FROM contents WHERE file = ?', file);
  return distinctTags(unpackTags(packed ?? NO_TAGS));
}

/** In the order of `paths`; a repeated path gives a repeated record. */
export function noteRecords(rows: Rows, paths: readonly NotePath[]): NoteRecord[] {
  const sql = `SELECT ${SUMMARY}, hash, evicted, conflict_copy AS conflictCopy, encoding, body_offset AS bodyOffset,
    properties, notices, headings, blocks, tag_places AS tagPlaces
    FROM files LEFT JOIN contents ON contents.file = files.id WHERE path = ?`;
  const nameOf = memoize((id: number) => propertyName(rows, id));
  return paths.flatMap((path) => {
    const row = rows.first<RecordRow>(sql, path);
    return row === undefined ? [] : [noteRecord(rows, row, nameOf)];
  });
}

function noteRecord(rows: Rows, row: RecordRow, nameOf: (id: number) => string): NoteRecord {
  const names = `SELECT name FROM names WHERE file = ? AND kind = 'alias' ORDER BY ordinal`;
  const tagPlaces = unpackTags(row.tagPlaces ?? NO_TAGS);
  return {
    ...summary(row, distinctTags(tagPlaces)),
    hash: row.hash,
    encoding: row.encoding ?? 'utf-8',
    conflictCopy: row.conflictCopy === 1,
    evicted: row.evicted === 1,
    aliases: rows.column<string>(names, row.id),
    properties: unpackProperties(row.properties ?? '[]', nameOf),
    notices: JSON.parse(row.notices ?? '[]') as string[],
    headings: unpackHeadings(row.headings ?? '[]'),
    blocks: unpackBlocks(row.blocks ?? '[]'),
    tagPlaces,
    bodyOffset: row.bodyOffset ?? 0,
  };
}

function summary(row: SummaryRow, tags: readonly string[]): NoteSummary {
  const { path, kind, modifiedMs, sizeBytes, title, date, datedBy } = row;
  return {
    ...{ path, title: title ?? noteName(path), kind, modifiedMs, sizeBytes, tags },
    date: date ?? new Date(modifiedMs).toISOString(),
    datedBy: datedBy ?? 'modified',
  };
}
