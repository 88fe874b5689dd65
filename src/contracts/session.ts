// What a server keeps between calls: values computed from the whole index, and what its writes share.
import { untilAborted } from '../base/async/waits.ts';
import type { Store } from './store.ts';
import type { Change } from './writer.ts';

/** Computes a value from the whole index. @param previous the value for the index as it was before */
export type ComputeFromIndex<T> = (store: Store, signal: AbortSignal, previous: T | undefined) => Promise<T>;

interface CachedValue {
  readonly revision: number;
  readonly value: unknown;
}

/**
 * Values computed from the whole index, each kept until the index changes.
 * @example
 * const names = await storeCache.get(nameIndex, store, signal); // computed again only after the index has changed
 */
export class StoreCache {
  readonly #values = new Map<unknown, CachedValue>();
  readonly #running = new Map<unknown, Promise<unknown>>();

  /** What `compute` returns; the function itself is the key. It never runs twice at the same time. */
  async get<T>(compute: ComputeFromIndex<T>, store: Store, signal: AbortSignal): Promise<T> {
    for (let running = this.#running.get(compute); running !== undefined; running = this.#running.get(compute)) {
      await untilAborted(running, signal);
    }
    const current = this.#current(compute, store, signal);
    const settled = Promise.allSettled([current]).then(() => this.#running.delete(compute));
    this.#running.set(compute, settled);
    return current;
  }

  /** Drops the values, except those that take too long to compute again. */
  clear(...kept: readonly unknown[]): void {
    for (const compute of this.#values.keys()) if (!kept.includes(compute)) this.#values.delete(compute);
  }

  async #current<T>(compute: ComputeFromIndex<T>, store: Store, signal: AbortSignal): Promise<T> {
    const { revision } = await store.progress(signal);
    const cached = this.#values.get(compute);
    if (cached?.revision === revision) return cached.value as T;
    const value = await compute(store, signal, cached?.value as T | undefined);
    this.#values.set(compute, { revision, value });
    return value;
  }
}

/** What a dry run planned. */
export interface DryRunPlan {
  readonly tool: string;
  /** The arguments that it was made with, defaults resolved. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The etag of the note that it changes. */
  readonly etag?: string;
  readonly steps: readonly PlannedStep[];
  /** Whether the client has seen it, and not only the user. */
  readonly isShown?: true;
}

/** One operation. */
export interface PlannedStep {
  readonly path: string;
  /** The etag that the file must have. */
  readonly before?: string;
  /** Two operations with the same key write the same. */
  readonly key: string;
}

/** A change as other machines know it; one that a crash interrupted without what it did. */
export type RecordedChange = Pick<Change, 'id' | 'undoes'> & Partial<Pick<Change, 'tool' | 'files'>>;

/** Held while the vault is written, by one server of all that share the index; in addition to the lock of the vault's folder. */
export interface WriteLock {
  /** @throws STORE_BUSY after some seconds, other STORE_* if the lock cannot be had; the signal's reason; what `work` throws */
  hold<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** Records that this machine made a change, while the lock is held; forgets the one that it undoes. @throws STORE_* */
  record(change: RecordedChange): Promise<void>;
  /** The machine that made a change; undefined if it is undone, too old or unknown. @throws STORE_*; the signal's reason */
  machineOf(changeId: string, signal: AbortSignal): Promise<string | undefined>;
}

/**
 * What the writes of a server share.
 * @example
 * const applied = await writes.exclusive(signal, () => writer.apply(request, signal));
 * writes.addChange(session, applied.id);
 */
export interface WriteSession {
  /**
   * Runs one piece of work at a time, in the order of the calls.
   * @throws the reason of a signal that aborts the wait, and what `work` throws
   */
  exclusive<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** Keeps a plan for half an hour. @returns its id */
  addPlan(plan: DryRunPlan): string;
  /** @throws CHANGE_NOT_FOUND for an id that is unknown, expired or belongs to another tool */
  findPlan(tool: string, id: string): DryRunPlan;
  dropPlan(id: string): void;
  /** Keeps the id of a change that a session made. */
  addChange(session: string, id: string): void;
  /** The changes of a session, oldest first. */
  changesOf(session: string): readonly string[];
  /** Keeps a text that a client has seen, to show a diff against it later. Does nothing for a read-only vault. */
  rememberText(etag: string, text: string): void;
  /** Undefined if the text was never remembered or has been evicted. */
  findText(etag: string): string | undefined;
}
