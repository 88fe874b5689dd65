// Serves the store from the index file at one path, and opens the file again after it was replaced.
import { statSync } from 'node:fs';
import { VaultgraphError } from '../../../base/errors.ts';
import type { Store } from '../../../contracts/store.ts';
import { toStoreError } from './store-errors.ts';

export interface OpenIndex {
  readonly store: Store;
  /** The token of the lease that is held through this store. */
  token(): number | null;
  /** Ends its threads. @returns the store from now on: without what the last one has kept */
  release(): Promise<Store>;
  close(): Promise<void>;
}

interface Options {
  readonly file: string;
  /** The names of the store's methods. */
  readonly methods: readonly string[];
  /** @param lostToken the token of a lease that was held in an earlier file at this path */
  readonly openIndex: (lostToken: number | null) => Promise<OpenIndex>;
}

interface Current extends OpenIndex {
  store: Store;
  readonly identity: string;
  activeCalls: number;
  isReplaced: boolean;
}

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/** The index is derived from the notes, so another process may rebuild it at any time. A lease of the earlier file is then lost. */
export class ReopeningStore {
  readonly store: Store;
  readonly #options: Options;
  #current: Current | undefined;
  #opening: Promise<Current> | undefined;
  #lostToken: number | null = null;
  #isClosed = false;
  /** The identity of the file in this turn of the event loop. */
  #seen: string | undefined;

  constructor(options: Options) {
    this.#options = options;
    const methods = options.methods.map((name) => [name, this.#forward(name)]);
    this.store = Object.freeze(Object.fromEntries(methods)) as unknown as Store;
  }

  /** Resolves once the file is open. May be called again after a failure. */
  async open(): Promise<void> {
    await this.#ensureCurrent();
  }

  async release(): Promise<void> {
    const current = this.#current;
    if (current !== undefined) current.store = await current.release();
  }

  /** Calls in progress fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([this.#opening]);
    await this.#current?.close();
  }

  #forward(method: string): Method {
    return async (...args) => {
      const index = await this.#ensureCurrent();
      index.activeCalls += 1;
      try {
        return await (index.store[method as keyof Store] as Method)(...args);
      } finally {
        index.activeCalls -= 1;
        await closeIfUnused(index);
      }
    };
  }

  #ensureCurrent(): Promise<Current> | Current {
    if (this.#isClosed) throw new VaultgraphError('SHUTTING_DOWN', {});
    if (this.#current !== undefined && this.#current.identity === this.#identity()) return this.#current;
    this.#opening ??= this.#reopen().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** A tool makes several calls in a turn of the event loop: they look at the file once. */
  #identity(): string {
    if (this.#seen === undefined) {
      this.#seen = identityOf(this.#options.file);
      setImmediate(() => {
        this.#seen = undefined;
      });
    }
    return this.#seen;
  }

  /** Calls in progress finish on the file that they began on. */
  async #reopen(): Promise<Current> {
    const replaced = this.#current;
    this.#lostToken = replaced?.token() ?? this.#lostToken;
    if (replaced !== undefined) {
      replaced.isReplaced = true;
      await closeIfUnused(replaced);
    }
    this.#current = undefined;
    const identity = identityOf(this.#options.file);
    const opened = await this.#options.openIndex(this.#lostToken);
    this.#current = { ...opened, identity, activeCalls: 0, isReplaced: false };
    return this.#current;
  }
}

async function closeIfUnused(index: Current): Promise<void> {
  if (index.isReplaced && index.activeCalls === 0) await index.close();
}

/** @throws STORE_UNAVAILABLE if the file does not exist */
function identityOf(file: string): string {
  try {
    const { dev, ino } = statSync(file);
    return `${dev}:${ino}`;
  } catch (thrown) {
    throw toStoreError(thrown, { op: 'open', file });
  }
}
