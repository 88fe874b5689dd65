// Provides the store on SQLite: its configuration, time limits, opening and closing.
import { existsSync } from 'node:fs';
import * as z from 'zod';
import { NEVER } from '../../base/async/waits.ts';
import { openAll } from '../../base/closers.ts';
import { toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import type { Opened, Probe, Provider, ProviderContext } from '../../contracts/provider.ts';
import { STORE_DRIVERS, type Store, type StoreDriver } from '../../contracts/store.ts';
import type { Connection, Engine } from './database/connection.ts';
import { DamagedIndex, forgetDamage, type Rebuilt } from './database/damaged-index.ts';
import { driverOf, loadEngine, whyNotNative } from './database/engine.ts';
import { isFolderWritable, isLocated, locateIndex, setAside } from './database/index-file.ts';
import { prepareDatabase } from './database/migrate-database.ts';
import { holdsForeign, isForeign, openCheckedReader, readVersion } from './database/open-database.ts';
import { type OpenIndex, ReopeningStore } from './database/reopening-store.ts';
import { RollbackWitness } from './database/rollback-witness.ts';
import { SCHEMA_STEPS } from './database/schema.ts';
import { checkSeal, isSealed, seal } from './database/seal.ts';
import { displayPath, retryWhileBusy, toStoreError } from './database/store-errors.ts';
import { openUnwritableIndex, refusingWrites } from './database/unwritable-index.ts';
import { feedPlaceOf } from './feed/feed-file.ts';
import { createStoredFeed } from './feed/read-feed.ts';
import { HeartbeatWriter } from './sharing/heartbeat.ts';
import { isHeld, refuseWhileHeld } from './sharing/holder-file.ts';
import { createStore } from './store.ts';
import { openStoredIndex } from './stored-index.ts';
import { DamageCheck } from './write/damage-check.ts';
import { Writer, type WriterData } from './write/writer.ts';

const config = z.strictObject({
  /** The index file; by default `index.db` in the data folder. */
  path: z.string().refine(isLocated, 'an absolute path, or one that begins with ~/').optional(),
  /** By default `auto`. */
  driver: z.enum(STORE_DRIVERS).optional(),
});

export type SqliteConfig = z.infer<typeof config>;

const MAX_WRITE_MS = 30_000;
/** A single note may have a million links, and the thread that writes them may get a fraction of a processor; a sleep of the machine does not count. */
const MAX_APPLY_MS = 150_000;
const MAX_CHECK_MS = 50_000;
/** For a heartbeat, or a few rows that another process waits for. */
const MAX_SHARE_MS = 10_000;
/** `publish` waits for all other writes of this process; each of them is a heartbeat too. */
const MAX_PUBLISH_MS = 180_000;
/** May delete a whole generation; what is left is deleted by the next call. */
const MAX_DELETE_MS = 50_000;
/** An index that is removed more often while it is opened is an error. */
const MAX_REMOVALS = 3;
/** No lease has this token, so a write that began under a lease of an earlier file is refused. */
const LOST_TOKEN = -1;

export const sqliteProvider = Object.freeze<Provider<'store', SqliteConfig>>({
  capability: 'store',
  type: 'sqlite',
  keepsFeed: true,
  config,
  limits: () => ({
    apply: MAX_APPLY_MS,
    completeScan: MAX_WRITE_MS,
    reset: MAX_WRITE_MS,
    integrity: MAX_CHECK_MS,
    openGeneration: MAX_WRITE_MS,
    applyVectors: MAX_WRITE_MS,
    activate: MAX_DELETE_MS,
    sweepVectors: MAX_DELETE_MS,
    cacheAnswer: MAX_WRITE_MS,
    takeLease: MAX_SHARE_MS,
    publish: MAX_PUBLISH_MS,
    releaseLease: MAX_SHARE_MS,
    requestFromLeader: MAX_SHARE_MS,
    ...bounded('mark', 'lease', 'keptJobs', 'openRequests', 'leaderReply', 'cachedAnswer'),
    ...bounded('progress', 'counts', 'fileStates', 'quarantine', 'searchText', 'mentions', 'termPlaces'),
    ...bounded(
      'wordCounts',
      'wordsFrom',
      'compoundsOf',
      'attachmentTexts',
      'termVectors',
      'listNotes',
      'listTags',
      'propertyNames',
      'propertyUse',
      'listTasks',
      'notes',
      'fileProperties',
      'titles',
      'candidates',
      'names',
      'changedNames',
    ),
    ...bounded(
      'links',
      'linkTargets',
      'allLinks',
      'linkingNotes',
      'linksBetween',
      'unresolved',
      'unresolvedNamed',
      'linkedParts',
      'linksToPart',
      'graph',
      'generations',
      'unembedded',
      'heldVectors',
    ),
    ...bounded('failedChunks', 'noteVector', 'chunkVector', 'nearestChunks', 'nearestNotes', 'nearestPairs'),
  }),
  open,
  setAside: async ({ path, driver }: SqliteConfig, context: ProviderContext) => {
    const file = await locateIndex(path, context);
    const engine = loadEngine(driver);
    refuseWhileHeld(engine, file);
    if (path !== undefined && holdsForeign(engine, file)) throw ofAnotherProgram(file);
    return setAside(file);
  },
  stored: async (context: ProviderContext, driver?: StoreDriver) =>
    openStoredIndex(await locateIndex(undefined, context), driver),
  storedFeed: (context: ProviderContext, driver?: StoreDriver) => {
    const place = feedPlaceOf(context);
    return place && createStoredFeed(place.file, loadEngine(driver));
  },
});

function ofAnotherProgram(file: string): VaultgraphError {
  const reason = `${displayPath(file)} is not an index but of another program, so it is not moved`;
  const advice = 'Ask the user to name another file in providers.store.path, or to leave it out.';
  return new VaultgraphError('STORE_UNAVAILABLE', { op: 'set aside', reason, advice });
}

function bounded<Name extends keyof Store>(...reads: readonly Name[]): Readonly<Record<Name, 'bounded'>> {
  return Object.fromEntries(reads.map((name) => [name, 'bounded'])) as Record<Name, 'bounded'>;
}

async function open(config: SqliteConfig, context: ProviderContext, signal: AbortSignal): Promise<Opened<Store>> {
  const { path, driver = 'auto' } = config;
  const file = await locateIndex(path, context);
  const engine = loadEngine(driver);
  const missing = driver === 'auto' && driverOf(engine) === 'node' ? whyNotNative()?.details.module : undefined;
  if (missing !== undefined) context.log('warn', 'store_fallback', { kind: 'node:sqlite', reason: missing });
  const opened = await openedOrStoreError(file, () =>
    isFolderWritable(file)
      ? openWritable(engine, { file, isConfigured: path !== undefined }, context, signal)
      : openUnwritable(engine, file, context),
  );
  return driverOf(engine) === 'node' ? Object.freeze({ ...opened, probe: namingNode(opened.probe, missing) }) : opened;
}

/**
 * What is kept beside the index is read and written too: its seal, its mark of damage. An index that is removed while it is opened is
 * made, as if it had been removed before.
 * @throws STORE_* in place of system errors
 */
async function openedOrStoreError<T>(file: string, open: () => Promise<T>, tries = MAX_REMOVALS): Promise<T> {
  try {
    return await open();
  } catch (thrown) {
    const error = toStoreError(thrown, { op: 'open', file });
    const isRemoved = toVaultgraphError(error).code === 'STORE_UNAVAILABLE' && !existsSync(file);
    if (isRemoved && tries > 0) return openedOrStoreError(file, open, tries - 1);
    throw error;
  }
}

/** So that `status` and `doctor` show it. @param missing the native part that does not load, if that is why */
function namingNode(probe: Opened<Store>['probe'], missing: string | undefined): Opened<Store>['probe'] {
  const why = missing === undefined ? '' : `, because ${missing} does not load`;
  return async (signal) => {
    const probed = await probe(signal);
    return { ...probed, detail: `${probed.detail}; on node:sqlite${why}` };
  };
}

async function openWritable(
  engine: Engine,
  { file, isConfigured }: { readonly file: string; readonly isConfigured: boolean },
  context: ProviderContext,
  signal: AbortSignal,
): Promise<Opened<Store>> {
  const { log, serves = false } = context;
  const feed = feedPlaceOf(context);
  const closing = new AbortController();
  let check = new DamageCheck(file, driverOf(engine));
  const create = async (): Promise<void> => {
    forgetDamage(file);
    await prepareDatabase(engine, file, NEVER);
  };
  // `setAside` moves only one that the config does not name.
  const foreign = isConfigured ? 'foreign' : 'unsure';
  const damage = new DamagedIndex({
    file,
    serves,
    log,
    create,
    obstacle: () => (isForeign(engine, file) ? foreign : undefined),
    isSound: () => check.isSound(closing.signal),
  });
  await damage.replaceUnpublished(engine);
  const version = await versionOrDamaged(engine, file, signal);
  if (version === 0) await create();
  const methods = Object.keys(sqliteProvider.limits({}));
  const index = new ReopeningStore({
    file,
    methods,
    damage,
    openIndex: (lostToken) => {
      check = new DamageCheck(file, driverOf(engine));
      const place = { file, driver: driverOf(engine), ...(feed && { feed }) };
      return openIndex(engine, place, check, closing.signal, lostToken);
    },
    ...(serves && {
      makeAnew: async () => {
        if (isFolderWritable(file)) await create();
      },
    }),
    onClosed: () => seal(file),
  });
  const ready = serves ? index.openOrReplace() : index.open();
  const needsMigration = version > 0 && version < SCHEMA_STEPS.length;
  // A migration may take long, so the server starts without waiting for it.
  if (needsMigration) ready.catch(() => undefined);
  else await ready;
  return Object.freeze({
    ...openedOn(index, closing, engine, context),
    ...(needsMigration ? { ready } : {}),
    probe: async (signal: AbortSignal) => withRebuilt(await probe(index.store, signal), damage.lastRebuilt()),
  });
}

/** 1, as of an index that needs nothing, if the file is damaged: opening it says so. */
async function versionOrDamaged(engine: Engine, file: string, signal: AbortSignal): Promise<number> {
  const [version] = await Promise.allSettled([readVersion(engine, file, signal)]);
  if (version.status === 'fulfilled') return version.value;
  if (toVaultgraphError(version.reason).code !== 'STORE_CORRUPT') throw version.reason;
  return SCHEMA_STEPS.length;
}

const REASONS: Readonly<Record<Rebuilt['reason'], string>> = {
  damaged: 'it was damaged; the damaged file',
  unpublished: 'it was of an unpublished version; the old file',
};

const withRebuilt = (probed: Probe, rebuilt: Rebuilt | undefined): Probe =>
  rebuilt === undefined
    ? probed
    : {
        ...probed,
        detail: `${probed.detail}; rebuilt at ${rebuilt.at}, because ${REASONS[rebuilt.reason]} is kept as ${rebuilt.kept}`,
      };

/** Reads the version again, because the file may be another one by now. An older index is migrated in the writer thread. */
async function openIndex(
  engine: Engine,
  place: WriterData,
  check: DamageCheck,
  signal: AbortSignal,
  lostToken: number | null,
): Promise<OpenIndex> {
  const { file } = place;
  return openAll(async (closers) => {
    // What closes its file takes away the locks of the connections, so it is closed after them.
    const witness = closers.add(new RollbackWitness(file));
    const writer = closers.add(new Writer(place, lostToken === null ? null : LOST_TOKEN));
    closers.add(check);
    const heartbeats = closers.add(new HeartbeatWriter(engine, file, writer));
    const sealed = await checkSeal(engine, file, signal);
    const version = await readVersion(engine, file, signal);
    if (version < SCHEMA_STEPS.length) await writer.run({ op: 'migrate' }, signal);
    const attempt = { op: 'open', file, checkCancelled: () => signal.throwIfAborted() };
    // Closed before those that can write: the last connection to close checkpoints the write-ahead log.
    const reader = closers.add(await retryWhileBusy(attempt, () => openCheckedReader(engine, file)));
    witness.open(reader);
    const answers = !sealed && needsCheck(reader, file) ? check.checked() : undefined;
    // An index that is being built is built on meanwhile: a process that soon ends again would do nothing but check.
    if (isComplete(reader)) await answers;
    else answers?.catch(() => undefined);
    const create = () => createStore(reader, file, heartbeats, check);
    const release = async (): Promise<Store> => {
      if (reader.open) reader.pragma('shrink_memory');
      await writer.release();
      return create();
    };
    return {
      store: create(),
      token: () => writer.token(),
      ...(answers && { answers }),
      release,
      check: () => check.checked(),
      isRolledBack: (changedAt) => witness.isRolledBack(changedAt),
      close: () => closers.close(),
    };
  });
}

/** A process that is running has checked the file, and an index that was never written has nothing to check. */
function needsCheck(reader: Connection, file: string): boolean {
  const revision = reader.prepare<[], number>('SELECT revision FROM state').pluck().get();
  return revision !== 0 && !isHeld(file);
}

/** Whether it has been compared with the whole vault once. */
function isComplete(reader: Connection): boolean {
  return reader.prepare<[], string | null>('SELECT scanned_at FROM state').pluck().get() !== null;
}

/** Stays read-only until the end, even if the folder can be written later. */
async function openUnwritable(engine: Engine, file: string, context: ProviderContext): Promise<Opened<Store>> {
  const { log } = context;
  await isSealed(file);
  const closing = new AbortController();
  const damage = new DamagedIndex({
    file,
    serves: false,
    log,
    create: async () => undefined,
    obstacle: () => 'unwritable',
    isSound: async () => false,
  });
  let detail = '';
  const index = new ReopeningStore({
    file,
    damage,
    methods: Object.keys(sqliteProvider.limits({})),
    openIndex: async () => {
      const opened = await openUnwritableIndex(engine, file, closing.signal);
      detail = opened.detail;
      // Used after a takeover only, and this store never leads.
      const check = new DamageCheck(file, driverOf(engine));
      const writer = refusingWrites(file, opened.connection);
      const create = () => createStore(opened.connection, file, writer, check);
      const release = async (): Promise<Store> => {
        opened.connection.pragma('shrink_memory');
        return create();
      };
      return { store: create(), token: () => null, release, close: opened.close };
    },
  });
  await index.open();
  return Object.freeze({
    ...openedOn(index, closing, engine, context),
    probe: async (signal: AbortSignal) => {
      const probed = await probe(index.store, signal);
      return { ...probed, detail: `${probed.detail}; ${detail}` };
    },
  });
}

/** The store without its probe. */
function openedOn(index: ReopeningStore, closing: AbortController, engine: Engine, context: ProviderContext) {
  const feed = feedPlaceOf(context);
  return {
    capability: index.store,
    ...(feed && { feed: createStoredFeed(feed.file, engine) }),
    damage: () => index.damage(),
    release: () => index.release(),
    close: async () => {
      closing.abort(new VaultgraphError('SHUTTING_DOWN', {}));
      await index.close();
    },
  };
}

async function probe(store: Store, signal: AbortSignal): Promise<Probe> {
  const { indexed, pending, revision } = await store.progress(signal);
  return { ok: true, detail: `${indexed} notes indexed, ${pending} pending, revision ${revision}` };
}
