// Reads much of the index in slices, between which other calls run.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Read, Rows } from './rows.ts';

/** Files looked at in a slice: some milliseconds. */
export const FILES_PER_SLICE = 500;
/** After as many changes in between, what is found is taken: an index that is being built changes again and again. */
const MAX_RESTARTS = 3;

export interface Slice<Item, Place> {
  readonly found: readonly Item[];
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

/** Each slice is one transaction. If the index changes in between, it begins again, so that the slices are of one revision, up to `maxRestarts` times. */
export async function readInSlices<Item, Place>(query: SlicedQuery, sliceAt: SliceAt<Item, Place>): Promise<Item[]> {
  const { maxRestarts = MAX_RESTARTS } = query;
  for (let restarts = 0; ; restarts++) {
    const found = await readOnce(query, sliceAt, restarts < maxRestarts);
    if (found !== undefined) return found;
  }
}

/** Undefined if the index has changed in between and `isStrict`. */
async function readOnce<Item, Place>(
  { rows, read, op, signal }: SlicedQuery,
  sliceAt: SliceAt<Item, Place>,
  isStrict: boolean,
): Promise<Item[] | undefined> {
  const found: Item[] = [];
  const revisionNow = () => rows.value<number>('SELECT revision FROM state');
  let first: number | undefined;
  for (let place: Place | undefined; ; ) {
    const { revision, slice } = await read(op, signal, () => ({ revision: revisionNow(), slice: sliceAt(place) }));
    first ??= revision;
    if (isStrict && revision !== first) return undefined;
    for (const item of slice.found) found.push(item);
    if (slice.next === undefined) return found;
    place = slice.next;
    await yieldToOthers();
  }
}
