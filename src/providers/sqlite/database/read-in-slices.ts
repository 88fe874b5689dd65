// Reads much of the index in slices, between which other calls run.
import type { Read, Rows } from './rows.ts';

/** Files looked at in a slice: some milliseconds. */
export const FILES_PER_SLICE = 500;
/** After as many changes in between, what is found is taken: an index that is being built changes again and again. */
const MAX_RESTARTS = 3;

export interface Slice<Item, Place> {
  readonly items: readonly Item[];
  /** Where the next slice begins; undefined at the end. */
  readonly next: Place | undefined;
}

export interface Source {
  readonly rows: Rows;
  readonly read: Read;
}

interface SlicedQuery extends Source {
  readonly op: string;
  readonly signal: AbortSignal;
  /** 0 if the slices may be of several revisions. */
  readonly maxRestarts?: number;
}

type SliceAt<Item, Place> = (place: Place | undefined) => Slice<Item, Place>;
/** @param isOfOneRevision whether what was found is all of the revision that it runs in */
type Finish<Item, Result> = (items: readonly Item[], isOfOneRevision: boolean) => Result;

/** What all slices find. */
export function readInSlices<Item, Place>(query: SlicedQuery, sliceAt: SliceAt<Item, Place>): Promise<readonly Item[]> {
  return readAndFinish(query, sliceAt, (items) => items);
}

/**
 * Each slice is one transaction, and `finish` runs in that of the last slice. If the index changes in between, it begins again, so that
 * the slices are of one revision, up to `maxRestarts` times.
 */
export async function readAndFinish<Item, Place, Result>(
  query: SlicedQuery,
  sliceAt: SliceAt<Item, Place>,
  finish: Finish<Item, Result>,
): Promise<Result> {
  const { maxRestarts = MAX_RESTARTS } = query;
  for (let restarts = 0; ; restarts++) {
    const end = await readOnce(query, sliceAt, finish, restarts < maxRestarts);
    if (end !== undefined) return end.result;
  }
}

/** Undefined if the index has changed in between and `isStrict`. */
async function readOnce<Item, Place, Result>(
  { rows, read, op, signal }: SlicedQuery,
  sliceAt: SliceAt<Item, Place>,
  finish: Finish<Item, Result>,
  isStrict: boolean,
): Promise<{ readonly result: Result } | undefined> {
  const gathered: Item[] = [];
  const revisions = new Set<number | undefined>();
  for (let place: Place | undefined; ; ) {
    const part = await read(op, signal, () => {
      const allRevisions = new Set(revisions).add(rows.value<number>('SELECT revision FROM state'));
      if (isStrict && allRevisions.size > 1) return undefined;
      const { items, next } = sliceAt(place);
      const all = () => [...gathered, ...items];
      return {
        seen: allRevisions,
        items,
        next,
        end: next === undefined ? { result: finish(all(), allRevisions.size === 1) } : undefined,
      };
    });
    if (part === undefined || part.end !== undefined) return part?.end;
    for (const item of part.items) gathered.push(item);
    for (const revision of part.seen) revisions.add(revision);
    place = part.next;
  }
}
