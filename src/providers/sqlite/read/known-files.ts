// Finds files by their ids and paths, and remembers what answers show of them until the index changes.
import { type NotePath, noteName } from '../../../base/note.ts';
import type { NoteFilter } from '../../../contracts/note-filter.ts';
import { createRevisionCache, memoize } from '../database/cache.ts';
import type { Rows } from '../database/rows.ts';
import { noteConditions, ofTag, onlyLeftOut } from './note-conditions.ts';
import { type FileRow, fileAt, fileById } from './note-rows.ts';

interface KnownFile {
  readonly id: number;
  readonly path: NotePath;
  /** By default the name of the file. */
  readonly title: string;
  readonly modified: number;
}

export interface KnownFiles {
  readonly rows: Rows;
  /** @throws DamagedRow also if there is no such file */
  withId(id: number): KnownFile;
  at(path: NotePath): KnownFile | undefined;
}

/** A file has two, its id and its path. */
const MAX_KEYS = 40_000;

/** The returned function gives a reader for the current revision of the index. */
export function createKnownFiles(rows: Rows): () => KnownFiles {
  const cache = createRevisionCache<number | NotePath, KnownFile>(rows, MAX_KEYS);
  return () => {
    const files = cache();
    const remember = ({ id, path, title, modified }: FileRow): KnownFile => {
      const file = { id, path, title: title ?? noteName(path), modified };
      files.set(id, file).set(path, file);
      return file;
    };
    const lookUp = (path: NotePath): KnownFile | undefined => {
      const file = fileAt(rows, path);
      return file === undefined ? undefined : remember(file);
    };
    return {
      rows,
      withId: (id) => files.get(id) ?? remember(fileById(rows, id)),
      at: (path) => files.get(path) ?? lookUp(path),
    };
  };
}

/** A list of ids as JSON. */
export const LISTED = '(SELECT value FROM json_each(?))';

export interface PassingFiles {
  /** 1 at the id of each file that passes. */
  all(filter: NoteFilter): Uint8Array;
  /** For ids of files: whether one of them passes. */
  among(ids: readonly number[], filter: NoteFilter): (id: number) => boolean;
}

/** Each has a byte for every file. */
const MAX_FILTERS = 16;
/** So many things are looked up about as soon as all files are listed. */
const MAX_LOOKUPS = 2_000;

export function createPassingFiles(rows: Rows): PassingFiles {
  const remembered = createRevisionCache<string, Uint8Array>(rows, MAX_FILTERS);
  const all: PassingFiles['all'] = (filter) =>
    memoize(() => passingOfAll(rows, filter), remembered())(JSON.stringify(filter));
  const among: PassingFiles['among'] = (ids, filter) => {
    const isKnown = remembered().has(JSON.stringify(filter));
    if (isKnown || onlyLeftOut(filter) !== undefined || ids.length * lookupsOf(rows, filter) > MAX_LOOKUPS) {
      const passing = all(filter);
      return (id) => passing[id] === 1;
    }
    const { sql, values } = noteConditions(filter, 'few');
    const listed = `SELECT id FROM files WHERE id IN ${LISTED} AND ${sql}`;
    const passing = new Set(rows.column<number>(listed, JSON.stringify(ids), ...values));
    return (id) => passing.has(id);
  };
  return Object.freeze({ all, among });
}

/** For each file: every tag of the filter with those below it, which can be many. */
function lookupsOf(rows: Rows, { tags = [] }: NoteFilter): number {
  const counts = tags.map((tag) => {
    const { sql, values } = ofTag(tag);
    return rows.value<number>(`SELECT count(*) FROM tag_names WHERE ${sql}`, ...values) ?? 0;
  });
  return Math.max(
    1,
    counts.reduce((sum, count) => sum + count, 0),
  );
}

function passingOfAll(rows: Rows, filter: NoteFilter): Uint8Array {
  const passing = new Uint8Array((rows.value<number>('SELECT max(id) FROM files') ?? 0) + 1);
  // A few files are listed in a fraction of the time.
  const left = onlyLeftOut(filter);
  const { sql, values } = left ?? noteConditions(filter);
  if (left !== undefined) passing.fill(1);
  for (const id of rows.column<number>(`SELECT id FROM files WHERE ${sql}`, ...values))
    passing[id] = left === undefined ? 1 : 0;
  return passing;
}
