// Answers from the index file that lies at its place now: when another was put there, that one is opened.
import { statSync } from 'node:fs';
import { VaultgraphError } from '../../../base/errors.ts';
import type { Store } from '../../../contracts/store.ts';
import { toStoreFault } from './store-errors.ts';

/** One index file, open. */
export interface OpenIndex {
  readonly store: Store;
  /** Of the lease that is held through it. */
  token(): number | null;
  close(): Promise<void>;
}

export interface PlacedStore {
  readonly store: Store;
  /** Resolves once the file is open; to be called again after it failed. */
  open(): Promise<void>;
  close(): Promise<void>;
}

interface Parts {
  readonly file: string;
  readonly methods: readonly string[];
  /** @param lost the token that was held in a file that lay there before */
  readonly open: (lost: number | null) => Promise<OpenIndex>;
}

interface Serving extends OpenIndex {
  readonly identity: string;
  /** Questions and changes under way. */
  under: number;
  isRetired: boolean;
}

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/** The index is derived and may be rebuilt by another process at any time: what lay there before is no longer anybody's. */
export function createPlacedStore({ file, methods, open }: Parts): PlacedStore {
  let serving: Serving | undefined;
  let opening: Promise<Serving> | undefined;
  let lost: number | null = null;
  let isClosed = false;

  async function replace(): Promise<Serving> {
    lost = serving?.token() ?? lost;
    await retire(serving);
    serving = undefined;
    const identity = identityOf(file);
    const next = { ...(await open(lost)), identity, under: 0, isRetired: false };
    serving = next;
    return next;
  }

  function now(): Promise<Serving> | Serving {
    if (isClosed) throw new VaultgraphError('SHUTTING_DOWN', {});
    if (serving !== undefined && serving.identity === identityOf(file)) return serving;
    opening ??= replace().finally(() => {
      opening = undefined;
    });
    return opening;
  }

  const answering = (method: string): Method => {
    return async (...args) => {
      const one = await now();
      one.under += 1;
      try {
        return await (one.store[method as keyof Store] as Method)(...args);
      } finally {
        one.under -= 1;
        await closeWhenIdle(one);
      }
    };
  };

  return Object.freeze({
    store: Object.freeze(Object.fromEntries(methods.map((name) => [name, answering(name)]))) as unknown as Store,
    open: async () => {
      await now();
    },
    close: async () => {
      isClosed = true;
      await Promise.allSettled([opening]);
      // What is under way is told so, and ends.
      await serving?.close();
    },
  });
}

/** What is under way ends on the file that it began on. */
async function retire(serving: Serving | undefined): Promise<void> {
  if (serving === undefined) return;
  serving.isRetired = true;
  await closeWhenIdle(serving);
}

async function closeWhenIdle(serving: Serving): Promise<void> {
  if (serving.isRetired && serving.under === 0) await serving.close();
}

/** @throws STORE_UNAVAILABLE when there is no file */
function identityOf(file: string): string {
  try {
    const { dev, ino } = statSync(file);
    return `${dev}:${ino}`;
  } catch (thrown) {
    throw toStoreFault(thrown, { op: 'open', file });
  }
}
