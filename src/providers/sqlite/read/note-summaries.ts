// Lists notes by filter, and reads the full records of notes.
import { type NotePath, noteName } from '../../../base/note.ts';
import type { NoteFilter, Page } from '../../../contracts/note-filter.ts';
import type { FileProperties, NoteList, NoteRecord, NoteSort, NoteSummary, Store } from '../../../contracts/store.ts';
import { distinctTags } from '../../../markdown/parse/tag.ts';
import { createRevisionCache, memoize, type RevisionMemo } from '../database/cache.ts';
import { readAndFinish, readInSlices, type Slice, type Source } from '../database/read-in-slices.ts';
import { checkPage, type Rows } from '../database/rows.ts';
import { propertyName } from '../write/content-rows.ts';
import {
  NO_TAGS,
  unpackBlocks,
  unpackDistinctTags,
  unpackHeadings,
  unpackProperties,
  unpackTags,
} from '../write/packed-note.ts';
import type { KnownFiles } from './known-files.ts';
import { type Conditions, noteConditions } from './note-conditions.ts';
import {
  type ContentRow,
  contentOf,
  contentsOf,
  type FileRow,
  fileById,
  filesAt,
  type NoteParts,
  partsOf,
} from './note-rows.ts';

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
  const query = `SELECT id FROM files WHERE ${sql} ORDER BY path`;
  const sorted = () => byLinks(rows.column<number>(query, ...values), counts, order);
  // A list of a filter with values is seldom asked for again.
  const ids = values.length > 0 ? sorted() : memoize(sorted, counts.lists)(`${order} ${query}`);
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
  const content = contentOf(rows, file);
  return summary(file, unpackDistinctTags(content?.tag_places ?? NO_TAGS));
}

export function noteRecords(rows: Rows, paths: readonly NotePath[]): NoteRecord[] {
  const nameOf = memoize((id: number) => propertyName(rows, id));
  return inOrderOf(paths, rows, (files) => {
    const parts = partsOf(rows, files);
    return (file) => noteRecord(file, parts, nameOf);
  });
}

/** Files read in a slice: some milliseconds. */
const PROPERTIES_PER_SLICE = 200;

/** Files that change meanwhile are read as they are before or after, as by a call for each slice. */
export function createFileProperties({ rows, read }: Source): Store['fileProperties'] {
  return (paths, signal) => {
    const slice = (from = 0): Slice<FileProperties, number> => {
      const to = from + PROPERTIES_PER_SLICE;
      const items = filePropertiesAt(rows, paths.slice(from, to));
      return { items, next: to < paths.length ? to : undefined };
    };
    return readInSlices({ rows, read, op: 'fileProperties', signal, maxRestarts: 0 }, slice);
  };
}

function filePropertiesAt(rows: Rows, paths: readonly NotePath[]): FileProperties[] {
  const nameOf = memoize((id: number) => propertyName(rows, id));
  return inOrderOf(paths, rows, (files) => {
    const contents = contentsOf(rows, files);
    return (file) => fileProperties(file, contents.get(file.id), nameOf);
  });
}

/** What is made of each file, in the order of `paths`; a repeated path gives a repeated result. */
function inOrderOf<T>(
  paths: readonly NotePath[],
  rows: Rows,
  makerOf: (files: readonly FileRow[]) => (file: FileRow) => T,
): T[] {
  const files = new Map(filesAt(rows, paths).map((file) => [file.path, file]));
  const make = makerOf([...files.values()]);
  const made: T[] = [];
  for (const path of paths) {
    const file = files.get(path);
    if (file !== undefined) made.push(make(file));
  }
  return made;
}

function fileProperties(
  { path, kind, size, modified, created, hash }: FileRow,
  content: ContentRow | undefined,
  nameOf: (id: number) => string,
): FileProperties {
  const tags = unpackDistinctTags(content?.tag_places ?? NO_TAGS);
  const { properties } = unpackProperties(content?.properties ?? '[]', nameOf);
  // Without a spread, which makes a larger object.
  if (created === null) return { path, kind, sizeBytes: size, modifiedMs: modified, hash, tags, properties };
  return { path, kind, sizeBytes: size, modifiedMs: modified, createdMs: created, hash, tags, properties };
}

export function titlesAt(files: KnownFiles, paths: readonly NotePath[]): Map<NotePath, string> {
  const summaries = paths.flatMap((path) => files.at(path) ?? []);
  return new Map(summaries.map(({ path, title }) => [path, title]));
}

function noteRecord(
  file: FileRow,
  { contents, aliases, excluded }: NoteParts,
  nameOf: (id: number) => string,
): NoteRecord {
  const content = contents.get(file.id);
  const tagPlaces = whenRead(content?.tag_places ?? NO_TAGS, unpackTags);
  const tags = whenRead(content?.tag_places ?? NO_TAGS, () => distinctTags(tagPlaces()));
  const headings = whenRead(content?.headings, unpackHeadings);
  const blocks = whenRead(content?.blocks, unpackBlocks);
  return {
    ...summary(file, []),
    get tags() {
      return tags();
    },
    ...(file.created === null ? {} : { createdMs: file.created }),
    hash: file.hash,
    encoding: content?.encoding ?? 'utf-8',
    conflictCopy: file.conflict_copy === 1,
    evicted: file.evicted === 1,
    ...(excluded.has(file.id) && { excluded: true }),
    aliases: aliases.get(file.id)?.map(({ name }) => name) ?? [],
    ...unpackProperties(content?.properties ?? '[]', nameOf),
    notices: JSON.parse(content?.notices ?? '[]') as string[],
    get headings() {
      return headings();
    },
    get blocks() {
      return blocks();
    },
    get tagPlaces() {
      return tagPlaces();
    },
    bodyOffset: content?.body_offset ?? 0,
  };
}

/** Characters; a list of so many is unpacked in about a millisecond. */
const MAX_UNPACKED_AT_ONCE = 200_000;

/** Unpacks a long list when it is read: a note may have 200,000 headings, and most callers look at none. A short one is unpacked while damage is still the store's error. */
function whenRead<T>(packed = '[]', unpack: (packed: string) => T): () => T {
  let unpacked: T | undefined = packed.length > MAX_UNPACKED_AT_ONCE ? undefined : unpack(packed);
  return () => (unpacked ??= unpack(packed));
}

function summary(file: FileRow, tags: readonly string[]): NoteSummary {
  const { path, kind, modified, size, title, date, dated_by } = file;
  return {
    path,
    title: title ?? noteName(path),
    kind,
    modifiedMs: modified,
    sizeBytes: size,
    tags,
    date: date ?? new Date(modified).toISOString(),
    datedBy: dated_by ?? 'modified',
  };
}

interface Counted {
  /** By the id of the file; a file without links is missing. */
  readonly byFile: Map<number, number>;
  /** Those of them that excluded files have to it. */
  readonly hidden: Map<number, number>;
}

interface LinkCounts extends Counted {
  /** Lists of files in the order of these counts. */
  readonly lists: Map<string, readonly number[]>;
}

/** Links read in a slice, of a part of a note or of many: some milliseconds. */
const LINKS_PER_SLICE = 5_000;
type LinkKey = readonly [source: number, ordinal: number];

const COUNTS = 'counts';
const noCounts = (): Counted => ({ byFile: new Map(), hidden: new Map() });

/**
 * The returned function calls `use` with the counts and returns what it returns. `use` runs in the transaction that ends the reading;
 * only while the index changes again and again, some of the counts are of a moment before.
 */
function createLinkCounts({ rows, read }: Source) {
  const cache = createRevisionCache<typeof COUNTS, LinkCounts>(rows, Number.POSITIVE_INFINITY);
  return async <T>(op: string, signal: AbortSignal, use: (counts: LinkCounts) => T): Promise<T> => {
    const answer = await read(op, signal, () => {
      const counts = cache().get(COUNTS);
      return counts && { value: use(counts) };
    });
    if (answer !== undefined) return answer.value;
    let counted: Counted = noCounts();
    let excluded: ReadonlySet<number> = new Set();
    const sliceAt = (after: LinkKey | undefined): Slice<never, LinkKey> => {
      if (after === undefined) {
        counted = noCounts();
        excluded = new Set(rows.column<number>('SELECT file FROM excluded_files'));
      }
      return countSlice(rows, after ?? [-1, -1], counted, excluded);
    };
    return readAndFinish({ rows, read, op, signal }, sliceAt, (_none, isOfOneRevision) => {
      const counts = { ...counted, lists: new Map<string, readonly number[]>() };
      if (isOfOneRevision) cache().set(COUNTS, counts);
      return use(counts);
    });
  };
}

/** Two long JSON texts are read in half the time of as many rows. */
function countSlice(
  rows: Rows,
  after: LinkKey,
  { byFile, hidden }: Counted,
  excluded: ReadonlySet<number>,
): Slice<never, LinkKey> {
  const page =
    'SELECT source, ordinal, target FROM links WHERE (source, ordinal) > (?, ?) ORDER BY source, ordinal LIMIT ?';
  const lists = `SELECT json_group_array(source), json_group_array(target), count(*) FROM (${page})`;
  const [[sources, targets, links] = ['[]', '[]', 0]] = rows.tuples<[string, string, number]>(
    lists,
    ...after,
    LINKS_PER_SLICE,
  );
  const targetOf = JSON.parse(targets) as (number | null)[];
  for (const [at, source] of (JSON.parse(sources) as number[]).entries()) {
    const target = targetOf[at] ?? null;
    byFile.set(source, (byFile.get(source) ?? 0) + 1);
    if (target === null) continue;
    byFile.set(target, (byFile.get(target) ?? 0) + 1);
    if (excluded.has(source)) hidden.set(target, (hidden.get(target) ?? 0) + 1);
  }
  const end = `SELECT source, ordinal FROM (${page}) ORDER BY source DESC, ordinal DESC LIMIT 1`;
  const [next] = links < LINKS_PER_SLICE ? [] : rows.tuples<LinkKey>(end, ...after, LINKS_PER_SLICE);
  return { items: [], next };
}

/** Files with the same count stay in their order. */
function byLinks(ids: readonly number[], { byFile, hidden }: LinkCounts, order: 'asc' | 'desc'): number[] {
  const groups = [...Map.groupBy(ids, (id) => (byFile.get(id) ?? 0) - (hidden.get(id) ?? 0))];
  groups.sort(([one], [other]) => (order === 'asc' ? one - other : other - one));
  return groups.flatMap(([, files]) => files);
}
