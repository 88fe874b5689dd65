// Lists notes by filter, and reads the full records of notes.
import { type NotePath, noteName } from '../../../base/note.ts';
import type { NoteFilter, Page } from '../../../contracts/note-filter.ts';
import type { NoteList, NoteRecord, NoteSort, NoteSummary, Store } from '../../../contracts/store.ts';
import { distinctTags } from '../../../markdown/parse/tag.ts';
import { memoize, type RevisionMemo } from '../database/cache.ts';
import type { Source } from '../database/read-in-slices.ts';
import { checkPage, type Rows } from '../database/rows.ts';
import { propertyName } from '../write/content-rows.ts';
import { NO_TAGS, unpackBlocks, unpackHeadings, unpackProperties, unpackTags } from '../write/packed-note.ts';
import type { Conditions } from './conditions.ts';
import type { KnownFiles } from './known-files.ts';
import { byLinks, createLinkCounts, type LinkCounts } from './link-counts.ts';
import { noteConditions } from './note-conditions.ts';
import { contentOf, type FileRow, fileAt, fileById } from './note-rows.ts';

const SORTS: Readonly<Record<Exclude<NoteSort, 'links'>, string>> = {
  name: 'name_key',
  path: 'path',
  // The date of a note is in local time, and so must be the time of a file without one.
  date: `coalesce(date, strftime('%Y-%m-%dT%H:%M:%f', modified / 1000.0, 'unixepoch', 'localtime'))`,
  modified: 'modified',
  created: 'coalesce(created, modified)',
  random: 'random()',
};

export function createNoteLists(source: Source, remembered: RevisionMemo): Store['listNotes'] {
  const { rows, read } = source;
  const withLinkCounts = createLinkCounts(source);
  return async (filter, sort, order, page, signal) => {
    checkPage(page);
    if (filter.attachments === 'unused')
      return withLinkCounts('listNotes', signal, (counts) => listUnused(rows, filter, sort, order, page, counts));
    if (sort === 'links')
      return withLinkCounts('listNotes', signal, (counts) => listByLinks(rows, filter, order, page, counts));
    return read('listNotes', signal, () => listSorted(rows, filter, sort, order, page, remembered));
  };
}

function listByLinks(rows: Rows, filter: NoteFilter, order: 'asc' | 'desc', page: Page, counts: LinkCounts): NoteList {
  const { sql, values } = noteConditions(filter);
  const found = `SELECT id FROM files WHERE ${sql} ORDER BY path`;
  const sorted = () => byLinks(rows.column<number>(found, ...values), counts, order);
  // A list of a filter with values is seldom asked for again.
  const ids = values.length > 0 ? sorted() : memoize(sorted, counts.lists)(`${order} ${found}`);
  return pageOf(rows, ids, page);
}

/** Attachments that no link leads to. */
function listUnused(
  rows: Rows,
  filter: NoteFilter,
  sort: NoteSort,
  order: 'asc' | 'desc',
  page: Page,
  { byFile, lists }: LinkCounts,
): NoteList {
  // All of them have the same number of links, which is none.
  const { sql, values } = sortedIds(filter, sort === 'links' ? 'path' : sort, order);
  const unused = () => rows.column<number>(sql, ...values).filter((id) => !byFile.has(id));
  const isKept = values.length === 0 && sort !== 'random';
  return pageOf(rows, isKept ? memoize(unused, lists)(sql) : unused(), page);
}

/** Only the ids go through the sort. */
function sortedIds(filter: NoteFilter, sort: Exclude<NoteSort, 'links'>, order: 'asc' | 'desc'): Conditions {
  const { sql, values } = noteConditions(filter);
  const direction = order === 'asc' ? 'ASC' : 'DESC';
  return { sql: `SELECT id FROM files WHERE ${sql} ORDER BY ${SORTS[sort]} ${direction}, path`, values };
}

function pageOf(rows: Rows, ids: readonly number[], { limit, offset }: Page): NoteList {
  return { notes: summariesOf(rows, ids.slice(offset, offset + limit)), total: ids.length };
}

function summariesOf(rows: Rows, ids: readonly number[]): NoteSummary[] {
  return ids.map((id) => noteSummary(rows, fileById(rows, id)));
}

function listSorted(
  rows: Rows,
  filter: NoteFilter,
  sort: Exclude<NoteSort, 'links'>,
  order: 'asc' | 'desc',
  page: Page,
  remembered: RevisionMemo,
): NoteList {
  const { sql, values } = noteConditions(filter);
  const counted = `SELECT count(*) FROM files WHERE ${sql}`;
  const total = remembered(JSON.stringify([counted, ...values]), () => rows.value<number>(counted, ...values) ?? 0);
  if (page.limit === 0) return { notes: [], total };
  const sorted = sortedIds(filter, sort, order);
  const ids = rows.column<number>(`${sorted.sql} LIMIT ? OFFSET ?`, ...values, page.limit, page.offset);
  return { notes: summariesOf(rows, ids), total };
}

function noteSummary(rows: Rows, file: FileRow): NoteSummary {
  return summary(file, distinctTags(unpackTags(contentOf(rows, file)?.tag_places ?? NO_TAGS)));
}

/** Characters; a list of so many is unpacked in about a millisecond. */
const MAX_UNPACKED_AT_ONCE = 200_000;

/** In the order of `paths`; a repeated path gives a repeated record. */
export function noteRecords(rows: Rows, paths: readonly NotePath[]): NoteRecord[] {
  const nameOf = memoize((id: number) => propertyName(rows, id));
  return paths.flatMap((path) => {
    const file = fileAt(rows, path);
    return file === undefined ? [] : [noteRecord(rows, file, nameOf)];
  });
}

export function titlesAt(files: KnownFiles, paths: readonly NotePath[]): Map<NotePath, string> {
  const found = paths.flatMap((path) => files.at(path) ?? []);
  return new Map(found.map(({ path, title }) => [path, title]));
}

function noteRecord(rows: Rows, file: FileRow, nameOf: (id: number) => string): NoteRecord {
  const content = contentOf(rows, file);
  const names = `SELECT * FROM names WHERE file = ? AND kind = 'alias' ORDER BY ordinal`;
  const tagPlaces = unpackTags(content?.tag_places ?? NO_TAGS);
  const headings = whenRead(content?.headings ?? '[]', unpackHeadings);
  const blocks = whenRead(content?.blocks ?? '[]', unpackBlocks);
  return {
    ...summary(file, distinctTags(tagPlaces)),
    ...(file.created === null ? {} : { createdMs: file.created }),
    hash: file.hash,
    encoding: content?.encoding ?? 'utf-8',
    conflictCopy: file.conflict_copy === 1,
    evicted: file.evicted === 1,
    aliases: rows.checked<{ name: string }>(names, file.id).map(({ name }) => name),
    properties: unpackProperties(content?.properties ?? '[]', nameOf),
    notices: JSON.parse(content?.notices ?? '[]') as string[],
    get headings() {
      return headings();
    },
    get blocks() {
      return blocks();
    },
    tagPlaces,
    bodyOffset: content?.body_offset ?? 0,
  };
}

/** Unpacks a long list when it is read: a note may have 200,000 headings, and most callers look at none. */
function whenRead<T>(packed: string, unpack: (packed: string) => T): () => T {
  let unpacked: T | undefined = packed.length > MAX_UNPACKED_AT_ONCE ? undefined : unpack(packed);
  return () => (unpacked ??= unpack(packed));
}

function summary(file: FileRow, tags: readonly string[]): NoteSummary {
  const { path, kind, modified, size, title, date, dated_by } = file;
  return {
    ...{ path, title: title ?? noteName(path), kind, modifiedMs: modified, sizeBytes: size, tags },
    date: date ?? new Date(modified).toISOString(),
    datedBy: dated_by ?? 'modified',
  };
}
