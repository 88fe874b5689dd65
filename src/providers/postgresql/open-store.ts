// Opens the store on PostgreSQL at the first call, and again after the server was away or its schema was made again.
import { existsSync } from 'node:fs';
import { untilAborted } from '../../base/async/waits.ts';
import { openAll } from '../../base/closers.ts';
import { toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import { makeFolder } from '../../base/make-folder.ts';
import { errorOf, outcomeOf } from '../../base/outcome.ts';
import type { StoredFeed } from '../../contracts/feed.ts';
import type { FeedSettings, Inspected, Opened, Probe, ProviderContext } from '../../contracts/provider.ts';
import type { WriteLock } from '../../contracts/session.ts';
import type { Store } from '../../contracts/store.ts';
import type { Engine } from '../sqlite/database/connection.ts';
import { DamagedIndex, type DamagedIndexParts } from '../sqlite/database/damaged-index.ts';
import { driverOf, loadEngine } from '../sqlite/database/engine.ts';
import { type OpenIndex, ReopeningStore } from '../sqlite/database/reopening-store.ts';
import { checkSeal, seal } from '../sqlite/database/seal.ts';
import { isCorruptionOf } from '../sqlite/database/store-errors.ts';
import { DamageCheck } from '../sqlite/write/damage-check.ts';
import { damagedError } from './checked-values.ts';
import { Database, type SqlValue } from './connection/database.ts';
import { type ConnectionSettings, serverName } from './connection/settings.ts';
import { CopiedStore, OtherOriginal } from './copy/copied-store.ts';
import { type Asked, Freshness } from './copy/freshness.ts';
import { copyFile, openReadableCopy, prepareCopy, removeEarlierCopies } from './copy/open-copy.ts';
import { isWhole } from './copy/position.ts';
import { createStoredFeed } from './feed/read-feed.ts';
import { inspectServer, type RunQuery, readServerFacts, refusalOfWrites, type Trial } from './inspect-server.ts';
import { prepareSchema } from './schema/prepare-schema.ts';
import { markDamaged } from './sharing/damage.ts';
import { createSharedPart } from './sharing/shared-reads.ts';
import { createWriteLock } from './sharing/write-lock.ts';
import { startWriter } from './write/start-writer.ts';

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/** Tables that are missing or empty may belong to a backup that is being restored. */
const RESTORING_MS = 30_000;

/** Contacts no server: what is wrong with it is what the first call fails with. @param methods the names of the store's methods */
export function openStore(
  settings: ConnectionSettings,
  context: ProviderContext,
  methods: readonly string[],
): Opened<Store> {
  const store = new LazyStore(settings, context, methods);
  return Object.freeze({
    capability: store.store,
    probe: (signal: AbortSignal) => store.probe(signal),
    inspect: (signal: AbortSignal) => store.inspect(signal),
    release: () => store.release(),
    damage: () => store.damage(),
    close: () => store.close(),
    writeLock: store.writeLock,
    ...(context.feed && { feed: store.feed }),
  });
}

class LazyStore {
  readonly store: Store;
  readonly writeLock: WriteLock;
  readonly feed: StoredFeed;
  readonly #settings: ConnectionSettings;
  readonly #dataFolder: string;
  readonly #methods: readonly string[];
  readonly #feedSettings: FeedSettings | undefined;
  /** What becomes of a damaged copy. */
  readonly #copyRules: Pick<DamagedIndexParts, 'serves' | 'log'>;
  readonly #database: Database;
  readonly #closing = new AbortController();
  /** How many transactions were run again, here and in the thread. */
  readonly #conflicts = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #index: Promise<ReopeningStore> | undefined;
  #opened: ReopeningStore | undefined;
  #freshness: Freshness;
  /** Since when the tables are missing or empty, by `performance.now()`. */
  #lackingSince: number | undefined;
  #hasConnected = false;
  #isDamageLogged = false;

  constructor(settings: ConnectionSettings, context: ProviderContext, methods: readonly string[]) {
    const { dataFolder, serves = false, log, feed } = context;
    this.#copyRules = { serves, log };
    this.#settings = settings;
    this.#dataFolder = dataFolder;
    this.#methods = methods;
    this.#feedSettings = feed;
    this.#database = new Database(settings, settings.pool, () => Atomics.add(this.#conflicts, 0, 1));
    this.#freshness = new Freshness(this.#database);
    this.writeLock = createWriteLock(this.#database, (signal) => this.#open(signal));
    this.feed = createStoredFeed({
      settings,
      ask: (signal, sql, ...values) => this.#ask(signal, sql, values),
      transact: async (signal, work, mode) => {
        await this.#open(signal);
        return this.#database.transaction('feed', signal, work, mode);
      },
      scope: feed?.scope ?? '',
    });
    this.store = Object.freeze(
      Object.fromEntries(methods.map((name) => [name, this.#forward(name)])),
    ) as unknown as Store;
  }

  async probe(signal: AbortSignal): Promise<Probe> {
    const [outcome] = await Promise.allSettled([this.store.progress(signal)]);
    if (outcome.status === 'rejected') {
      const failure = toVaultgraphError(outcome.reason);
      return { ok: false, detail: failure.message, failure };
    }
    const { indexed, pending, revision } = outcome.value;
    const conflicts = Atomics.load(this.#conflicts, 0);
    const repeated = conflicts === 0 ? '' : `; ${conflicts} transactions repeated`;
    const detail = `${indexed} notes indexed, ${pending} pending, revision ${revision}; PostgreSQL at ${serverName(this.#settings)}`;
    const { rebuilt } = this.#freshness.last ?? {};
    const again =
      rebuilt === null || rebuilt === undefined ? '' : `; built again at ${rebuilt}, because it was damaged`;
    return { ok: true, detail: detail + repeated + again };
  }

  /** Returns the damage of the index in PostgreSQL as of the last query, or that of the copy. */
  damage(): VaultgraphError | undefined {
    const { last } = this.#freshness;
    if (last === undefined || last.rebuild === null) return this.#opened?.damage();
    // The index may be repaired by now.
    void errorOf(this.#freshness.present(this.#closing.signal));
    return damagedError(this.#settings, 'read', this.#rebuildOf(last));
  }

  /** A command does not wait for a server that may not exist. */
  #rebuildOf({ rebuild }: Asked): string | undefined {
    return this.#copyRules.serves && rebuild !== null ? rebuild : undefined;
  }

  #throwIfDamaged(original: Asked): void {
    if (original.rebuild !== null) throw damagedError(this.#settings, 'read', this.#rebuildOf(original));
    if (this.#isDamageLogged) this.#copyRules.log('warn', 'index_rebuilt', { reason: 'damaged' });
    this.#isDamageLogged = false;
  }

  async inspect(signal: AbortSignal): Promise<readonly Inspected[]> {
    const run: RunQuery = (text, values) => this.#database.query('inspect', text, values, signal);
    const trial: Trial = (tables) => refusalOfWrites(this.#database, tables, signal);
    return inspectServer(await readServerFacts(run, this.#settings.schema, trial));
  }

  async release(): Promise<void> {
    const [outcome] = await Promise.allSettled([this.#index]);
    if (outcome.status === 'fulfilled') await outcome.value?.release();
  }

  async close(): Promise<void> {
    this.#closing.abort(new VaultgraphError('SHUTTING_DOWN', {}));
    const [outcome] = await Promise.allSettled([this.#index]);
    if (outcome.status === 'fulfilled') await outcome.value?.close();
    await this.#database.close();
  }

  #forward(name: string): Method {
    const callOn = (index: ReopeningStore, args: readonly unknown[]) =>
      (index.store[name as keyof Store] as Method)(...args);
    return async (...args) => {
      const signal = args.at(-1) as AbortSignal;
      const index = await this.#open(signal);
      try {
        return await callOn(index, args);
      } catch (thrown) {
        if (isCorruptionOf('server', thrown)) throw await this.#marked(thrown);
        if (!(thrown instanceof OtherOriginal || isMoved(thrown) || isOfSchema(thrown) || this.#isTooLate(thrown)))
          throw thrown;
        await this.#forget(index);
        return callOn(await this.#open(signal), args);
      }
    };
  }

  /** A statement about the feed, which needs the tables and no copy of the index. */
  async #ask<T>(signal: AbortSignal, sql: string, values: readonly SqlValue[]): Promise<T[]> {
    const index = await this.#open(signal);
    try {
      return await this.#database.query<T>('feed', sql, values, signal);
    } catch (thrown) {
      if (!isOfSchema(thrown)) throw thrown;
      await this.#forget(index);
      await this.#open(signal);
      return this.#database.query<T>('feed', sql, values, signal);
    }
  }

  /** Marks the index for all servers, one of which rebuilds it. @returns the error to throw */
  async #marked(error: VaultgraphError): Promise<VaultgraphError> {
    const { op, rebuild } = error.details as { readonly op: string; readonly rebuild?: string };
    const { serves, log } = this.#copyRules;
    if (serves && !this.#isDamageLogged) log('error', 'index_damaged', { code: 'STORE_CORRUPT', kind: op });
    this.#isDamageLogged = serves;
    const { signal } = this.#closing;
    const isMarked = rebuild !== undefined || !serves;
    const marked = await outcomeOf(
      isMarked ? Promise.resolve(rebuild) : markDamaged(this.#database, undefined, signal),
    );
    await errorOf(this.#freshness.present(signal));
    return isMarked || 'error' in marked ? error : damagedError(this.#settings, op, marked.value ?? 'now', error.cause);
  }

  /** The copy is of tables that are gone. */
  async #forget(index: ReopeningStore): Promise<void> {
    if (this.#opened !== index) return;
    this.#index = undefined;
    this.#opened = undefined;
    // The call may still know the tables before.
    this.#freshness.forget();
    await index.retire();
  }

  /** Another call found the tables gone before this one had begun. */
  #isTooLate(thrown: unknown): boolean {
    return toVaultgraphError(thrown).code === 'SHUTTING_DOWN' && !this.#closing.signal.aborted;
  }

  async #open(signal: AbortSignal): Promise<ReopeningStore> {
    this.#closing.signal.throwIfAborted();
    signal.throwIfAborted();
    if (this.#index === undefined) {
      const opening = this.#connect();
      this.#index = opening;
      opening.catch(() => {
        if (this.#index === opening) this.#index = undefined;
      });
    }
    return untilAborted(this.#index, signal);
  }

  async #connect(): Promise<ReopeningStore> {
    const { signal } = this.#closing;
    await prepareSchema(this.#database, (state) => this.#mayBeginAgain(state), signal);
    this.#lackingSince = undefined;
    this.#hasConnected = true;
    const sql = 'SELECT identity FROM $schema.head';
    const [head] = await this.#database.query<{ identity: string }>('open', sql, [], signal);
    const identity = head?.identity ?? '';
    if (!existsSync(this.#dataFolder)) makeFolder(this.#dataFolder, 0o700);
    const file = copyFile(this.#dataFolder, this.#settings, identity);
    const engine = loadEngine(this.#settings.driver);
    const create = () => prepareCopy(engine, file, signal);
    await unlessDamaged(create());
    let check = new DamageCheck(file, driverOf(engine));
    const openIndex = (lostToken: number | null) => {
      check = new DamageCheck(file, driverOf(engine));
      return this.#openIndex(engine, check, identity, lostToken);
    };
    const damage = new DamagedIndex({
      ...this.#copyRules,
      file,
      create,
      obstacle: () => undefined,
      isSound: () => check.isSound(signal),
    });
    const onClosed = () => seal(file);
    const index = new ReopeningStore({ file, methods: this.#methods, openIndex, damage, onClosed });
    if (this.#copyRules.serves) await index.openOrReplace();
    else await index.open();
    if (this.#copyRules.serves) removeEarlierCopies(file);
    this.#opened = index;
    return index;
  }

  /** Tables of a new database are created at once; earlier ones may be in the course of a restore. */
  #mayBeginAgain(state: 'missing' | 'emptied'): boolean {
    if (state === 'missing' && !this.#hasConnected) return true;
    this.#lackingSince ??= performance.now();
    return this.#copyRules.serves && performance.now() - this.#lackingSince > RESTORING_MS;
  }

  async #openIndex(engine: Engine, check: DamageCheck, identity: string, lostToken: number | null): Promise<OpenIndex> {
    const { file } = check;
    return openAll(async (closers) => {
      const sealed = await checkSeal(engine, file, this.#closing.signal);
      const { serves } = this.#copyRules;
      const data = {
        file,
        settings: this.#settings,
        conflicts: this.#conflicts,
        serves,
        feedSettings: this.#feedSettings,
      };
      const writer = closers.add(startWriter(data, lostToken));
      closers.add(check);
      const copy = await openReadableCopy(engine, file, writer, check, this.#closing.signal);
      closers.add(copy.reader);
      if (!sealed && isWhole(copy.position())) await check.checked();
      const shared = createSharedPart(this.#database, writer);
      const throwIfDamaged = (original: Asked) => this.#throwIfDamaged(original);
      const parts = { copy, writer, shared, freshness: this.#freshness, identity, throwIfDamaged };
      const copied = new CopiedStore(parts);
      const release = async (): Promise<Store> => {
        // Another thread would begin with reading the names of all files again.
        if (copied.isCatchingUp) return copied.store;
        if (copy.reader.open) copy.reader.pragma('shrink_memory');
        copied.forget();
        await writer.release();
        return copied.store;
      };
      return {
        store: copied.store,
        token: () => writer.token(),
        release,
        check: () => check.checked(),
        close: () => closers.close(),
      };
    });
  }
}

/** The tables are missing or were replaced: opening the index again finds out which. */
const isOfSchema = (thrown: unknown): boolean =>
  thrown instanceof VaultgraphError && (thrown.details as { readonly config_key?: string }).config_key === SCHEMA_KEY;

const SCHEMA_KEY = 'providers.store.schema';

/** Opening the copy says what is wrong with it. */
async function unlessDamaged(prepared: Promise<void>): Promise<void> {
  const error = await errorOf(prepared);
  if (error !== undefined && error.code !== 'STORE_CORRUPT') throw error;
}

/** The copy was moved aside; another one is made. */
const isMoved = (thrown: unknown): boolean =>
  thrown instanceof VaultgraphError && (thrown.details as { readonly sqlite_code?: string }).sqlite_code === 'ENOENT';
