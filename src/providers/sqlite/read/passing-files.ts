// Finds which files pass a filter. What passes of all files is remembered until the index changes.
import type { NoteFilter } from '../../../contracts/note-filter.ts';
import { createRevisionCache, memoize } from '../database/cache.ts';
import type { Rows } from '../database/rows.ts';
import type { Conditions } from './conditions.ts';
import { inFolder, noteConditions, ofTag, onlyOutside } from './note-conditions.ts';

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
    if (isKnown || outsideOf(filter) !== undefined || ids.length * lookupsOf(rows, filter) > MAX_LOOKUPS) {
      const passing = all(filter);
      return (id) => passing[id] === 1;
    }
    const { sql, values } = noteConditions(filter, 'few');
    const found = `SELECT id FROM files WHERE id IN ${LISTED} AND ${sql}`;
    const passing = new Set(rows.column<number>(found, JSON.stringify(ids), ...values));
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

/** The condition of a folder if the filter only leaves out what is in it: few files. */
function outsideOf(filter: NoteFilter): Conditions | undefined {
  return onlyOutside(filter, 'id') && inFolder(filter.exceptFolder ?? '');
}

function passingOfAll(rows: Rows, filter: NoteFilter): Uint8Array {
  const passing = new Uint8Array((rows.value<number>('SELECT max(id) FROM files') ?? 0) + 1);
  const outside = outsideOf(filter);
  const { sql, values } = outside ?? noteConditions(filter);
  if (outside !== undefined) passing.fill(1);
  for (const id of rows.column<number>(`SELECT id FROM files WHERE ${sql}`, ...values))
    passing[id] = outside === undefined ? 1 : 0;
  return passing;
}
