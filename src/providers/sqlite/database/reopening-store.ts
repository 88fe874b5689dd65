// Serves the store from the index file at one path, and opens the file again after it was replaced.
import { existsSync, statSync } from 'node:fs';
import { NEVER } from '../../../base/async/waits.ts';
import { openAll } from '../../../base/closers.ts';
import { isErrno } from '../../../base/errno.ts';
import { toVaultgraphError, VaultgraphError } from '../../../base/errors.ts';
import type { Store, StoreProgress } from '../../../contracts/store.ts';
import type { DamagedIndex } from './damaged-index.ts';
import { corruptError, isCorruptionOf, isDoubtful, refusedRead, removedError, toStoreError } from './store-errors.ts';

export interface OpenIndex {
  readonly store: Store;
  /** The token of the lease that is held through this store. */
  token(): number | null;
  /** What answers wait for, beside which the index is built. Rejects with STORE_CORRUPT. */
  readonly answers?: Promise<void>;
  /** Ends its threads. @returns the store from now on: without what the last one has kept */
  release(): Promise<Store>;
  /** Looks at the whole file, after a failure that only damage explains. @throws STORE_CORRUPT */
  check?(): Promise<void>;
  /** Whether an older copy was written over the file. @param changedAt when the file was last changed */
  isRolledBack?(changedAt: number): boolean;
  close(): Promise<void>;
}

interface Options {
  readonly file: string;
  /** The names of the store's methods. */
  readonly methods: readonly string[];
  /** @param lostToken the token of a lease that was held in an earlier file at this path */
  readonly openIndex: (lostToken: number | null) => Promise<OpenIndex>;
  readonly damage: DamagedIndex;
  /** Makes an empty index after the file was removed; absent where another process has to. */
  readonly makeAnew?: () => Promise<void>;
  /** After its last connection is closed. */
  readonly onClosed?: () => Promise<void>;
}

interface Current extends OpenIndex {
  store: Store;
  readonly identity: string;
  /** The identity of its write-ahead log. */
  readonly log: string | undefined;
  activeCalls: number;
  isReplaced: boolean;
  /** What is known of an older copy of the index; undefined once answers may come from it. */
  older: Older | undefined;
}

/** Answers of tools. What reads the files and the state of the index also runs while it is built. */
const ANSWERS: ReadonlySet<string> = new Set<keyof Store>([
  ...(['listNotes', 'listTags', 'listTasks', 'notes', 'titles', 'candidates', 'names', 'changedNames'] as const),
  ...(['searchText', 'mentions', 'wordCounts', 'wordsFrom', 'compoundsOf'] as const),
  ...(['links', 'linkTargets', 'allLinks', 'linkingNotes'] as const),
  ...(['linksBetween', 'unresolved', 'linkedParts', 'linksToPart', 'graph', 'propertyNames', 'propertyUse'] as const),
  'fileProperties',
]);
/** What changes the index; anything else can be asked again. */
const WRITES: ReadonlySet<string> = new Set<keyof Store>([
  ...(['apply', 'completeScan', 'reset', 'openGeneration', 'applyVectors', 'activate', 'sweepVectors'] as const),
  ...(['cacheAnswer', 'takeLease', 'publish', 'releaseLease', 'requestFromLeader'] as const),
]);
/** So long at most the leader compares an older copy with the vault before answers come from it all the same, not as fresh ones. */
const COMPARED_MS = 15_000;
/** Who removes the file may be about to put another one in its place, which nothing else must open meanwhile. */
const REMOVED_MS = 10_000;

interface Older {
  /** Answers may come from it once a scan has ended at another time. */
  readonly scannedAt: string;
  /** By `performance.now()`. */
  readonly comparedBy: number;
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
  /** The file in this turn of the event loop. */
  #seen: Seen | undefined;
  /** By `performance.now()`: since when the file is missing; undefined while it is there. */
  #missingSince: number | undefined;
  /** The end of the last scan of the index, as far as this process knows. */
  #scannedAt: string | null = null;

  constructor(options: Options) {
    this.#options = options;
    const methods = options.methods.map((name) => [name, this.#forward(name)]);
    this.store = Object.freeze(Object.fromEntries(methods)) as unknown as Store;
  }

  /** Resolves once the file is open. May be called again after a failure. */
  async open(): Promise<void> {
    await this.#ensureCurrent();
  }

  /** Opens the store for a server, which starts on a damaged file too, and replaces it, or says in every answer why not. */
  async openOrReplace(): Promise<void> {
    const { damage } = this.#options;
    for (let tries = 1; ; tries++) {
      const [opened] = await Promise.allSettled([this.open()]);
      if (opened.status === 'fulfilled') return;
      if (toVaultgraphError(opened.reason).code !== 'STORE_CORRUPT') throw opened.reason;
      await damage.settled();
      if (tries === 1) continue;
      if (!damage.isReplaceable) throw opened.reason;
      return;
    }
  }

  /** What is known against the file now. */
  damage(): VaultgraphError | undefined {
    try {
      const seen = this.#look();
      return seen && this.#options.damage.faultOf(seen.identity);
    } catch {
      // A file that cannot be looked at is what the next call reports.
      return undefined;
    }
  }

  async release(): Promise<void> {
    const current = this.#current;
    if (current !== undefined) current.store = await current.release();
  }

  /** Calls in progress fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([this.#opening]);
    await this.#options.damage.settled();
    await this.#current?.close();
    await this.#options.onClosed?.();
  }

  /** Another store takes its place: calls in progress finish on it. */
  async retire(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([this.#opening]);
    const current = this.#current;
    if (current === undefined) return;
    this.#current = undefined;
    current.isReplaced = true;
    await closeIfUnused(current);
  }

  #forward(method: string): Method {
    return async (...args) => {
      const index = await this.#ensureCurrent();
      const fault = method === 'integrity' ? undefined : this.#options.damage.faultOf(index.identity);
      if (fault !== undefined) throw fault;
      index.activeCalls += 1;
      try {
        if (index.older !== undefined && ANSWERS.has(method)) await refuseOlder(index, index.older, args.at(-1));
        // The index job reads these rows too, each of which has a checksum.
        if (ANSWERS.has(method) && method !== 'notes') await index.answers;
        const ask = () => (index.store[method as keyof Store] as Method)(...args);
        const answer = await (WRITES.has(method) ? ask() : this.#askedAgain(ask));
        if (method === 'progress') this.#scannedAt = (answer as StoreProgress).scannedAt;
        return answer;
      } catch (thrown) {
        throw await this.#explained(index, thrown, WRITES.has(method));
      } finally {
        index.activeCalls -= 1;
        await closeIfUnused(index);
      }
    };
  }

  /** A disk that refuses one read makes the engine report damage: what another try reads is not damaged. */
  async #askedAgain<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (thrown) {
      if (!isDoubtful(this.#storeError(thrown))) throw thrown;
      return ask();
    }
  }

  #storeError(thrown: unknown): unknown {
    return toStoreError(thrown, { op: 'read', file: this.#options.file });
  }

  /** A value that no code expects is a bug, or is not what was written. @param isWrite which was not tried again */
  async #explained(index: Current, thrown: unknown, isWrite = false): Promise<unknown> {
    const error = this.#storeError(thrown);
    const { code } = toVaultgraphError(error);
    const isDoubt = isWrite && isDoubtful(error);
    const [checked] = code === 'INTERNAL' || isDoubt ? await Promise.allSettled([index.check?.()]) : [];
    const cause = checked?.status === 'rejected' ? checked.reason : error;
    if (isDoubt && cause === error) return refusedRead({ op: 'write', file: this.#options.file }, error);
    return isCorruptionOf('file', cause) ? this.#options.damage.marked(index.identity, cause) : error;
  }

  #ensureCurrent(): Promise<Current> | Current {
    if (this.#isClosed) throw new VaultgraphError('SHUTTING_DOWN', {});
    const seen = this.#look();
    if (seen === undefined) this.#refuseUntilMadeAnew();
    else if (this.#current?.identity === seen.identity) {
      if (!this.#isRolledBack(this.#current, seen.changedAt)) return this.#current;
      throw this.#replaced(seen.identity);
    }
    this.#opening ??= this.#reopen()
      .catch((thrown: unknown) => {
        throw this.#openFailure(thrown);
      })
      .finally(() => {
        this.#opening = undefined;
      });
    return this.#opening;
  }

  #isRolledBack(current: Current, changedAt: number): boolean {
    try {
      return current.isRolledBack?.(changedAt) ?? false;
    } catch (thrown) {
      throw this.#openFailure(thrown);
    }
  }

  #openFailure(thrown: unknown): unknown {
    return toStoreError(thrown, { op: 'open', file: this.#options.file });
  }

  /** A tool makes several calls in a turn of the event loop: they look at the file once. */
  #look(): Seen | undefined {
    if (this.#seen === undefined) {
      this.#seen = this.#lookNow();
      setImmediate(() => {
        this.#seen = undefined;
      });
    }
    return this.#seen;
  }

  #lookNow(): Seen | undefined {
    const { file, damage } = this.#options;
    damage.readMark();
    const seen = lookAt(file);
    this.#missingSince = seen === undefined ? (this.#missingSince ?? performance.now()) : undefined;
    return seen;
  }

  /** @throws STORE_UNAVAILABLE until a new index may be made in place of one that was removed */
  #refuseUntilMadeAnew(): void {
    const { file, makeAnew } = this.#options;
    // Other processes have the log of the removed file open, which a new one would share.
    const isMadeAnew = makeAnew !== undefined && !['-wal', '-shm'].some((suffix) => existsSync(file + suffix));
    const sinceMs = performance.now() - (this.#missingSince ?? Number.POSITIVE_INFINITY);
    if (!isMadeAnew || sinceMs < REMOVED_MS) throw removedError(file, isMadeAnew ? REMOVED_MS : undefined);
  }

  /** The file that is there now. @throws STORE_UNAVAILABLE */
  #found(): Seen {
    const seen = this.#lookNow();
    if (seen === undefined) throw removedError(this.#options.file);
    return seen;
  }

  /** What SQLite reads is of two states of the index from now on. */
  #replaced(identity: string): VaultgraphError {
    const error = corruptError({ op: 'replaced', file: this.#options.file }, 'SQLITE_CORRUPT');
    return this.#options.damage.marked(identity, error);
  }

  /** Calls in progress finish on the file that they began on. */
  async #reopen(): Promise<Current> {
    const replaced = this.#current;
    const { file, damage, openIndex, makeAnew } = this.#options;
    if (this.#lookNow() === undefined) await makeAnew?.();
    const seen = this.#found();
    this.#seen = undefined;
    // What was seen in this turn may have been the file before.
    if (replaced?.identity === seen.identity) return replaced;
    this.#lostToken = replaced?.token() ?? this.#lostToken;
    const hasOtherLog = replaced?.log !== undefined && logOf(file) === replaced.log;
    this.#current = undefined;
    if (replaced !== undefined) {
      replaced.isReplaced = true;
      await closeIfUnused(replaced);
    }
    const { identity } = this.#found();
    const fault = damage.faultOf(identity);
    if (fault !== undefined) throw fault;
    if (hasOtherLog) throw this.#replaced(identity);
    const open = openAll<Current>(async (closers) => {
      const opened = closers.add(await this.#askedAgain(() => openIndex(this.#lostToken)));
      return {
        ...opened,
        older: await this.#olderCopy(opened),
        identity,
        log: logOf(file),
        activeCalls: 0,
        // The file was removed, and another one made, while it was opened.
        isReplaced: (this.#lookNow()?.identity ?? identity) !== identity,
      };
    });
    const [opened] = await Promise.allSettled([open]);
    if (opened.status === 'rejected') throw await this.#explained({ identity } as Current, opened.reason);
    if (opened.value.isReplaced) {
      await opened.value.close();
      return this.#reopen();
    }
    this.#current = opened.value;
    return this.#current;
  }

  /** A new index has no scan yet, or a later one. */
  async #olderCopy({ store, isRolledBack }: OpenIndex): Promise<Older | undefined> {
    if (isRolledBack === undefined || this.#scannedAt === null) return undefined;
    const { scannedAt } = await store.progress(NEVER);
    const isOlder = scannedAt !== null && scannedAt <= this.#scannedAt;
    return isOlder ? { scannedAt, comparedBy: performance.now() + COMPARED_MS } : undefined;
  }
}

/** An older copy may lack notes that its readers have seen. @throws NOT_READY */
async function refuseOlder(index: Current, older: Older, signal: unknown): Promise<void> {
  const { scannedAt } = await index.store.progress(signal as AbortSignal);
  if (scannedAt === older.scannedAt && performance.now() < older.comparedBy)
    throw new VaultgraphError('NOT_READY', { phase: 'replaced' });
  index.older = undefined;
}

async function closeIfUnused(index: Current): Promise<void> {
  if (index.isReplaced && index.activeCalls === 0) await index.close();
}

interface Seen {
  readonly identity: string;
  readonly changedAt: number;
}

/** Undefined if the file does not exist. @throws STORE_UNAVAILABLE */
function lookAt(file: string): Seen | undefined {
  try {
    const { dev, ino, ctimeMs } = statSync(file);
    // A program that restores a file also sets its other time, but cannot set this one.
    return { identity: `${dev}:${ino}`, changedAt: ctimeMs };
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT')) return undefined;
    throw toStoreError(thrown, { op: 'open', file });
  }
}

/** The identity of the write-ahead log at the path; undefined without one. */
function logOf(file: string): string | undefined {
  const stats = statSync(`${file}-wal`, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}
