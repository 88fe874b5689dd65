// Counts the links of each note and to it, in slices, to list notes by them.
import { createRevisionCache } from '../database/cache.ts';
import { readAndFinish, type Slice, type Source } from '../database/read-in-slices.ts';
import type { Rows } from '../database/rows.ts';

export interface LinkCounts {
  /** By the id of the file; a file without links is missing. */
  readonly byFile: ReadonlyMap<number, number>;
  /** Lists of files in the order of these counts. */
  readonly lists: Map<string, readonly number[]>;
}

/** Links read in a slice, of a part of a note or of many: some milliseconds. */
const LINKS_PER_SLICE = 5_000;
type LinkKey = readonly [source: number, ordinal: number];

const COUNTS = 'counts';

/**
 * The returned function calls `use` with the counts and returns what it returns. `use` runs in the transaction that ends the reading;
 * only while the index changes again and again, some of the counts are of a moment before.
 */
export function createLinkCounts({ rows, read }: Source) {
  const kept = createRevisionCache<typeof COUNTS, LinkCounts>(rows, Number.POSITIVE_INFINITY);
  return async <T>(op: string, signal: AbortSignal, use: (counts: LinkCounts) => T): Promise<T> => {
    const answer = await read(op, signal, () => {
      const counts = kept().get(COUNTS);
      return counts && { value: use(counts) };
    });
    if (answer !== undefined) return answer.value;
    let byFile = new Map<number, number>();
    const sliceAt = (after: LinkKey | undefined): Slice<never, LinkKey> => {
      if (after === undefined) byFile = new Map();
      return countSlice(rows, after ?? [-1, -1], byFile);
    };
    return readAndFinish({ rows, read, op, signal }, sliceAt, (_none, isOfOneRevision) => {
      const counts = { byFile, lists: new Map<string, readonly number[]>() };
      if (isOfOneRevision) kept().set(COUNTS, counts);
      return use(counts);
    });
  };
}

/** Two long JSON texts are read in half the time of as many rows. */
function countSlice(rows: Rows, after: LinkKey, counts: Map<number, number>): Slice<never, LinkKey> {
  const page =
    'SELECT source, ordinal, target FROM links WHERE (source, ordinal) > (?, ?) ORDER BY source, ordinal LIMIT ?';
  const lists = `SELECT json_group_array(source), json_group_array(target), count(*) FROM (${page})`;
  const [[sources, targets, links] = ['[]', '[]', 0]] = rows.tuples<[string, string, number]>(
    lists,
    ...after,
    LINKS_PER_SLICE,
  );
  for (const id of [...(JSON.parse(sources) as number[]), ...(JSON.parse(targets) as (number | null)[])])
    if (id !== null) counts.set(id, (counts.get(id) ?? 0) + 1);
  const end = `SELECT source, ordinal FROM (${page}) ORDER BY source DESC, ordinal DESC LIMIT 1`;
  const [next] = links < LINKS_PER_SLICE ? [] : rows.tuples<LinkKey>(end, ...after, LINKS_PER_SLICE);
  return { found: [], next };
}

/** Files with the same count stay in their order. */
export function byLinks(ids: readonly number[], { byFile }: LinkCounts, order: 'asc' | 'desc'): number[] {
  const groups = [...Map.groupBy(ids, (id) => byFile.get(id) ?? 0)];
  groups.sort(([one], [other]) => (order === 'asc' ? one - other : other - one));
  return groups.flatMap(([, files]) => files);
}
