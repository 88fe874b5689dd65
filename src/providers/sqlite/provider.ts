// Provides the store on SQLite: its configuration, time limits, opening and closing.
import * as z from 'zod';
import { VaultgraphError } from '../../base/errors.ts';
import type { Opened, Probe, Provider, ProviderContext } from '../../contracts/provider.ts';
import type { Store } from '../../contracts/store.ts';
import { isFolderWritable, isLocated, locateIndex, setAside } from './database/index-file.ts';
import { prepareDatabase } from './database/migrate-database.ts';
import { type Engine, loadEngine, openCheckedReader, readVersion } from './database/open-database.ts';
import { type OpenIndex, ReopeningStore } from './database/reopening-store.ts';
import { SCHEMA_STEPS } from './database/schema.ts';
import { retryWhileBusy } from './database/store-errors.ts';
import { openUnwritableIndex, refusingWrites } from './database/unwritable-index.ts';
import { HeartbeatWriter } from './sharing/heartbeat.ts';
import { refuseWhileHeld } from './sharing/holder-file.ts';
import { createStore } from './store.ts';
import { openStoredIndex } from './stored/stored-index.ts';
import { DamageCheck } from './write/damage-check.ts';
import { Writer } from './write/writer.ts';

const config = z.strictObject({
  /** The index file; by default `index.db` in the data folder. */
  path: z.string().refine(isLocated, 'an absolute path, or one that begins with ~/').optional(),
});

export type SqliteConfig = z.infer<typeof config>;

const MAX_WRITE_MS = 30_000;
const MAX_CHECK_MS = 50_000;
/** For a heartbeat, or a few rows that another process waits for. */
const MAX_SHARE_MS = 10_000;
/** `publish` waits for all other writes of this process; each of them is a heartbeat too. */
const MAX_PUBLISH_MS = 60_000;
/** May delete a whole generation; what is left is deleted by the next call. */
const MAX_DELETE_MS = 50_000;
/** No lease has this token, so a write that began under a lease of an earlier file is refused. */
const LOST_TOKEN = -1;

export const sqliteProvider: Provider<'store', SqliteConfig> = Object.freeze<Provider<'store', SqliteConfig>>({
  capability: 'store',
  type: 'sqlite',
  config,
  limits: () => ({
    apply: MAX_WRITE_MS,
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
      'attachmentTexts',
      'termVectors',
      'listNotes',
      'listTags',
      'listTasks',
      'notes',
      'titles',
      'candidates',
      'names',
      'changedNames',
    ),
    ...bounded(
      'links',
      'linkTargets',
      'linkingNotes',
      'linksBetween',
      'unresolved',
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
  setAside: async ({ path }: SqliteConfig, context: ProviderContext) => {
    const file = await locateIndex(path, context);
    refuseWhileHeld(loadEngine(), file);
    return setAside(file);
  },
  stored: async (context: ProviderContext) => openStoredIndex(await locateIndex(undefined, context)),
});

function bounded<Name extends keyof Store>(...reads: readonly Name[]): Readonly<Record<Name, 'bounded'>> {
  return Object.fromEntries(reads.map((name) => [name, 'bounded'])) as Record<Name, 'bounded'>;
}

async function open({ path }: SqliteConfig, context: ProviderContext, signal: AbortSignal): Promise<Opened<Store>> {
  const file = await locateIndex(path, context);
  const engine = loadEngine();
  return isFolderWritable(file) ? openWritable(engine, file, signal) : openUnwritable(engine, file);
}

async function openWritable(engine: Engine, file: string, signal: AbortSignal): Promise<Opened<Store>> {
  const version = await readVersion(engine, file, signal);
  if (version === 0) await prepareDatabase(engine, file, signal);
  const closing = new AbortController();
  const methods = Object.keys(sqliteProvider.limits({}));
  const index = new ReopeningStore({
    file,
    methods,
    openIndex: (lostToken) => openIndex(engine, file, closing.signal, lostToken),
  });
  const ready = index.open();
  const needsMigration = version > 0 && version < SCHEMA_STEPS.length;
  // A migration may take long, so the server starts without waiting for it.
  if (needsMigration) ready.catch(() => undefined);
  else await ready;
  return Object.freeze({
    capability: index.store,
    ...(needsMigration ? { ready } : {}),
    probe: (signal: AbortSignal) => probe(index.store, signal),
    release: () => index.release(),
    close: async () => {
      closing.abort(new VaultgraphError('SHUTTING_DOWN', {}));
      await index.close();
    },
  });
}

/** Reads the version again, because the file may be another one by now. An older index is migrated in the writer thread. */
async function openIndex(
  engine: Engine,
  file: string,
  signal: AbortSignal,
  lostToken: number | null,
): Promise<OpenIndex> {
  const writer = new Writer({ file }, lostToken === null ? null : LOST_TOKEN);
  const heartbeats = new HeartbeatWriter(engine, file, writer);
  try {
    const version = await readVersion(engine, file, signal);
    if (version < SCHEMA_STEPS.length) await writer.run({ op: 'migrate' }, signal);
    const attempt = { op: 'open', file, checkCancelled: () => signal.throwIfAborted() };
    const reader = await retryWhileBusy(attempt, () => openCheckedReader(engine, file));
    const close = async (): Promise<void> => {
      // The last connection to close has to be one that can write: it checkpoints the write-ahead log.
      reader.close();
      heartbeats.close();
      await check.close();
      await writer.close();
    };
    const check = new DamageCheck(file);
    const create = () => createStore(reader, file, heartbeats, check);
    const release = async (): Promise<Store> => {
      if (reader.open) reader.pragma('shrink_memory');
      await writer.release();
      return create();
    };
    return { store: create(), token: () => writer.token(), release, close };
  } catch (thrown) {
    await writer.close();
    throw thrown;
  }
}

/** Stays read-only until the end, even if the folder can be written later. */
async function openUnwritable(engine: Engine, file: string): Promise<Opened<Store>> {
  const closing = new AbortController();
  let detail = '';
  const index = new ReopeningStore({
    file,
    methods: Object.keys(sqliteProvider.limits({})),
    openIndex: async () => {
      const opened = await openUnwritableIndex(engine, file, closing.signal);
      detail = opened.detail;
      // Used after a takeover only, and this store never leads.
      const check = new DamageCheck(file);
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
    capability: index.store,
    probe: async (signal: AbortSignal) => {
      const found = await probe(index.store, signal);
      return { ...found, detail: `${found.detail}; ${detail}` };
    },
    release: () => index.release(),
    close: async () => {
      closing.abort(new VaultgraphError('SHUTTING_DOWN', {}));
      await index.close();
    },
  });
}

async function probe(store: Store, signal: AbortSignal): Promise<Probe> {
  const { indexed, pending, revision } = await store.progress(signal);
  return { ok: true, detail: `${indexed} notes indexed, ${pending} pending, revision ${revision}` };
}
