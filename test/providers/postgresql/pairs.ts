// Pairs of notes that are written in one change set, so that half of a pair shows a change that is half visible.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { VaultgraphError } from '../../../src/base/errors.ts';
import type { Store } from '../../../src/contracts/store.ts';
import type { TextHits } from '../../../src/contracts/text-query.ts';
import { filled } from '../../contracts/store/law.ts';
import { until } from '../../until.ts';

const AFTER_FAILURE_MS = 20;
const EVERY = { limit: 100_000, offset: 0 };
/** Questions of one call may share what they know of the server. */
const ownCall = (): AbortSignal => new AbortController().signal;
/** What a store may answer while its server cannot be reached, or is slow. */
const EXPECTED: readonly string[] = ['STORE_UNAVAILABLE', 'STORE_BUSY'];

export async function writePair(store: Store, number: number): Promise<void> {
  const pair = filled({ [`${number} left.md`]: 'pair left', [`${number} right.md`]: 'pair right [[Ebb]]' });
  await store.apply(pair, ownCall());
}

/** The numbers of the pairs that are there. @throws if half of one is */
export async function pairsIn(store: Store): Promise<Set<number>> {
  const { hits } = await searchPairs(store);
  const halves = Map.groupBy(hits, ({ path }) => Number.parseInt(path, 10));
  for (const [number, found] of halves) assert.equal(found.length, 2, `half of pair ${number} is visible`);
  return new Set(halves.keys());
}

/** A store that begins with nothing copies the index first, which may take longer than a call waits. */
async function searchPairs(store: Store): Promise<TextHits> {
  const terms = [{ text: 'pair', kind: 'word', negated: false } as const];
  for (;;) {
    try {
      return await store.searchText({ terms, match: 'all' }, {}, EVERY, ownCall());
    } catch (thrown) {
      if (!(thrown instanceof VaultgraphError && thrown.code === 'NOT_READY')) throw thrown;
    }
  }
}

/** The pairs once the store answers: a connection that was lost may fail a call more. */
export async function pairsAgain(store: Store): Promise<Set<number>> {
  let found = new Set<number>();
  await until(async () => {
    try {
      found = await pairsIn(store);
      return true;
    } catch (thrown) {
      if (!isStoreFailure(thrown)) throw thrown;
      return false;
    }
  }, 'the store answers again');
  return found;
}

/** Those of the numbers that were not found. */
export function missingIn(found: ReadonlySet<number>, numbers: Iterable<number>): number[] {
  return [...numbers].filter((number) => !found.has(number));
}

export interface Writing {
  /** The pairs whose write was confirmed. */
  readonly confirmed: Set<number>;
  /** Stops before the next pair. */
  stop(): Promise<void>;
}

/** Writes pairs until it is stopped. A write that fails is tried again under a new number. */
export function keepWriting(store: Store, from: number, isExpected = isStoreFailure): Writing {
  const confirmed = new Set<number>();
  let isStopped = false;
  const written = (async () => {
    for (let number = from; !isStopped; number += 1) {
      try {
        await writePair(store, number);
        confirmed.add(number);
      } catch (thrown) {
        if (!isExpected(thrown)) throw thrown;
        await sleep(AFTER_FAILURE_MS);
      }
    }
  })();
  // The rejection is seen when the writing is stopped.
  written.catch(() => undefined);
  return {
    confirmed,
    stop: async () => {
      isStopped = true;
      await written;
    },
  };
}

/** Reads pairs until it is stopped, and checks that none is half visible and none that was there is missing. */
export function keepReading(store: Store): { readonly answers: () => number; stop(): Promise<void> } {
  let isStopped = false;
  let answers = 0;
  const read = (async () => {
    let before = new Set<number>();
    while (!isStopped) {
      try {
        const now = await pairsIn(store);
        assert.deepEqual(missingIn(now, before), [], 'a pair that was visible has disappeared');
        before = now;
        answers += 1;
      } catch (thrown) {
        if (!isStoreFailure(thrown)) throw thrown;
        await sleep(AFTER_FAILURE_MS);
      }
    }
  })();
  read.catch(() => undefined);
  return {
    answers: () => answers,
    stop: async () => {
      isStopped = true;
      await read;
    },
  };
}

/** A typed failure of the store that says that its server does not answer. */
export function isStoreFailure(thrown: unknown): boolean {
  return thrown instanceof VaultgraphError && EXPECTED.includes(thrown.code);
}
