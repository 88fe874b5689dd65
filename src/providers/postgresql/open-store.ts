// Opens the store on PostgreSQL at the first call, and again after the server was away or its schema was made again.
import { existsSync } from 'node:fs';
import { toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import { makeFolder } from '../../base/make-folder.ts';
import { errorOf } from '../../base/outcome.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { Inspected, Opened, Probe, ProviderContext } from '../../contracts/provider.ts';
import type { WriteLock } from '../../contracts/session.ts';
import type { Store } from '../../contracts/store.ts';
import { DamagedIndex, type DamagedIndexParts } from '../sqlite/database/damaged-index.ts';
import { loadEngine } from '../sqlite/database/open-database.ts';
import { type OpenIndex, ReopeningStore } from '../sqlite/database/reopening-store.ts';
import { checkSeal, seal } from '../sqlite/database/seal.ts';
import { Database } from './connection/database.ts';
import { type ConnectionSettings, serverName } from './connection/settings.ts';
import { CopiedStore, OtherOriginal } from './copy/copied-store.ts';
import { copyFile } from './copy/copy-file.ts';
import { Freshness } from './copy/freshness.ts';
import { openReadableCopy, prepareCopy } from './copy/open-copy.ts';
import { inspectServer } from './inspect-server.ts';
import { prepareSchema } from './schema/prepare-schema.ts';
import { type RunQuery, readServerFacts } from './server-facts.ts';
import { createSharedPart } from './sharing/shared-reads.ts';
import { createWriteLock } from './sharing/write-lock.ts';
import { startWriter } from './write/start-writer.ts';

type Method = (...args: readonly unknown[]) => Promise<unknown>;

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
  });
}

class LazyStore {
  readonly store: Store;
  readonly writeLock: WriteLock;
  readonly #settings: ConnectionSettings;
  readonly #dataFolder: string;
  readonly #methods: readonly string[];
  /** What becomes of a damaged copy. */
  readonly #copyRules: Pick<DamagedIndexParts, 'serves' | 'log'>;
  readonly #database: Database;
  readonly #closing = new AbortController();
  /** How many transactions were run again, here and in the thread. */
  readonly #conflicts = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #index: Promise<ReopeningStore> | undefined;
  #opened: ReopeningStore | undefined;

  constructor(settings: ConnectionSettings, context: ProviderContext, methods: readonly string[]) {
    const { dataFolder, serves = false, log } = context;
    this.#copyRules = { serves, log };
    this.#settings = settings;
    this.#dataFolder = dataFolder;
    this.#methods = methods;
    this.#database = new Database(settings, settings.pool, () => Atomics.add(this.#conflicts, 0, 1));
    this.writeLock = createWriteLock(this.#database, (signal) => this.#open(signal));
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
    return { ok: true, detail: detail + repeated };
  }

  damage(): VaultgraphError | undefined {
    return this.#opened?.damage();
  }

  async inspect(signal: AbortSignal): Promise<readonly Inspected[]> {
    const run: RunQuery = (text, values) => this.#database.query('inspect', text, values, signal);
    return inspectServer(await readServerFacts(run, this.#settings.schema));
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
    const call = async (...args: readonly unknown[]): Promise<unknown> => {
      const index = await this.#open(args.at(-1) as AbortSignal);
      return (index.store[name as keyof Store] as Method)(...args);
    };
    return async (...args) => {
      try {
        return await call(...args);
      } catch (thrown) {
        if (!(thrown instanceof OtherOriginal || isMoved(thrown))) throw thrown;
        await this.#forget();
        return call(...args);
      }
    };
  }

  /** The copy is of tables that are gone. */
  async #forget(): Promise<void> {
    const index = this.#index;
    this.#index = undefined;
    this.#opened = undefined;
    await (await index)?.close();
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
    await prepareSchema(this.#database, signal);
    const sql = 'SELECT identity FROM $schema.head';
    const [head] = await this.#database.query<{ identity: string }>('open', sql, [], signal);
    const identity = head?.identity ?? '';
    if (!existsSync(this.#dataFolder)) makeFolder(this.#dataFolder, 0o700);
    const file = copyFile(this.#dataFolder, identity);
    const create = () => prepareCopy(loadEngine(), file, signal);
    await unlessDamaged(create());
    const openIndex = (lostToken: number | null) => this.#openIndex(file, identity, lostToken);
    const damage = new DamagedIndex({ ...this.#copyRules, file, create, isForeign: () => false });
    const onClosed = () => seal(file);
    const index = new ReopeningStore({ file, methods: this.#methods, openIndex, damage, onClosed });
    if (this.#copyRules.serves) await index.openOrReplace();
    else await index.open();
    this.#opened = index;
    return index;
  }

  async #openIndex(file: string, identity: string, lostToken: number | null): Promise<OpenIndex> {
    await checkSeal(loadEngine(), file, this.#closing.signal);
    const writer = startWriter({ file, settings: this.#settings, conflicts: this.#conflicts }, lostToken);
    const copy = await openReadableCopy(loadEngine(), file, writer, this.#closing.signal);
    const shared = createSharedPart(this.#database, writer);
    const copied = new CopiedStore({ copy, writer, shared, freshness: new Freshness(this.#database), identity });
    return {
      ...{ store: copied.store, token: () => writer.token() },
      release: async () => {
        // Another thread would begin with reading the names of all files again.
        if (copied.isCatchingUp) return copied.store;
        if (copy.reader.open) copy.reader.pragma('shrink_memory');
        copied.forget();
        await writer.release();
        return copied.store;
      },
      close: async () => {
        copy.reader.close();
        await writer.close();
      },
    };
  }
}

/** Opening the copy says what is wrong with it. */
async function unlessDamaged(prepared: Promise<void>): Promise<void> {
  const error = await errorOf(prepared);
  if (error !== undefined && error.code !== 'STORE_CORRUPT') throw error;
}

/** The copy was moved aside; another one is made. */
const isMoved = (thrown: unknown): boolean =>
  thrown instanceof VaultgraphError && (thrown.details as { readonly sqlite_code?: string }).sqlite_code === 'ENOENT';
