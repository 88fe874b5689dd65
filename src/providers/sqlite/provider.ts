// The store on SQLite: where its file lies, how long its writes may take, how it opens and closes. Loads the engine only then.
import * as z from 'zod';
import { VaultgraphError } from '../../base/errors.ts';
import type { Opened, Probe, Provider, ProviderContext } from '../../contracts/provider.ts';
import type { Store } from '../../contracts/store.ts';
import { isPlaced, placeIndex, setAside } from './database/index-file.ts';
import { prepareDatabase } from './database/migrate-database.ts';
import {
  type Connection,
  type Engine,
  foundVersion,
  loadEngine,
  loadVectorFunctions,
  openReader,
} from './database/open-database.ts';
import { createPlacedStore, type OpenIndex } from './database/reopening-store.ts';
import { SCHEMA_STEPS } from './database/schema.ts';
import { retryWhileBusy } from './database/store-errors.ts';
import { refuseWhileHeld } from './sharing/holder-file.ts';
import { createStore } from './store.ts';
import { createWriter } from './write/writer.ts';

const config = z.strictObject({
  /** The index file; by default `index.db` in the data folder. */
  path: z.string().refine(isPlaced, 'an absolute path, or one that begins with ~/').optional(),
});

export type SqliteConfig = z.infer<typeof config>;

/** Milliseconds for one job of the writing thread. */
const WRITE_LIMIT = 30_000;
const CHECK_LIMIT = 50_000;
/** A sign of life, or a few rows that somebody waits for. */
const SHARE_LIMIT = 10_000;
/** Of one that waits for whatever else this process writes: each change is a sign of life itself. */
const TELL_LIMIT = 60_000;
/** No lease of a file has it: what was begun under one of a file that is gone is refused in every other. */
const LOST = -1;
/** Of one that may have a whole generation to delete; what it leaves is deleted by the next. */
const CLEAR_LIMIT = 50_000;

export const sqliteProvider: Provider<'store', SqliteConfig> = Object.freeze<Provider<'store', SqliteConfig>>({
  capability: 'store',
  type: 'sqlite',
  config,
  limits: () => ({
    apply: WRITE_LIMIT,
    completeScan: WRITE_LIMIT,
    reset: WRITE_LIMIT,
    integrity: CHECK_LIMIT,
    openGeneration: WRITE_LIMIT,
    applyVectors: WRITE_LIMIT,
    activate: CLEAR_LIMIT,
    sweepVectors: CLEAR_LIMIT,
    keepAnswer: WRITE_LIMIT,
    takeLease: SHARE_LIMIT,
    tell: TELL_LIMIT,
    releaseLease: SHARE_LIMIT,
    askHolder: SHARE_LIMIT,
    mark: 'bounded',
    lease: 'bounded',
    keptJobs: 'bounded',
    openRequests: 'bounded',
    holderAnswer: 'bounded',
    progress: 'bounded',
    counts: 'bounded',
    fileStates: 'bounded',
    quarantine: 'bounded',
    searchText: 'bounded',
    listNotes: 'bounded',
    listTags: 'bounded',
    listTasks: 'bounded',
    termPlaces: 'bounded',
    notes: 'bounded',
    candidates: 'bounded',
    names: 'bounded',
    mentions: 'bounded',
    wordCounts: 'bounded',
    wordsFrom: 'bounded',
    links: 'bounded',
    linksBetween: 'bounded',
    unresolved: 'bounded',
    graph: 'bounded',
    generations: 'bounded',
    unembedded: 'bounded',
    heldVectors: 'bounded',
    failedChunks: 'bounded',
    nearestChunks: 'bounded',
    noteVector: 'bounded',
    nearestNotes: 'bounded',
    nearestPairs: 'bounded',
    keptAnswer: 'bounded',
  }),
  open,
  setAside: async ({ path }: SqliteConfig, context: ProviderContext) => {
    const file = placeIndex(path, context);
    refuseWhileHeld(loadEngine(), file);
    return setAside(file);
  },
});

async function open({ path }: SqliteConfig, context: ProviderContext, signal: AbortSignal): Promise<Opened<Store>> {
  const file = placeIndex(path, context);
  const engine = loadEngine();
  const found = await foundVersion(engine, file, signal);
  if (found === 0) await prepareDatabase(engine, file, signal);
  const closing = new AbortController();
  const methods = Object.keys(sqliteProvider.limits({}));
  const openNow = (lost: number | null) => openIndex(engine, file, closing.signal, lost);
  const placed = createPlacedStore({ file, methods, open: openNow });
  const ready = placed.open();
  const isBehind = found > 0 && found < SCHEMA_STEPS.length;
  // A migration may take long: whoever serves does so meanwhile.
  if (isBehind) ready.catch(() => undefined);
  else await ready;
  return Object.freeze({
    capability: placed.store,
    ...(isBehind ? { ready } : {}),
    probe: (signal: AbortSignal) => probe(placed.store, signal),
    close: async () => {
      closing.abort(new VaultgraphError('SHUTTING_DOWN', {}));
      await placed.close();
    },
  });
}

/** Whatever lies there is looked at anew: an index of an older schema is migrated, in the thread that writes. */
async function openIndex(engine: Engine, file: string, signal: AbortSignal, lost: number | null): Promise<OpenIndex> {
  const writer = createWriter(file, lost === null ? null : LOST);
  try {
    const found = await foundVersion(engine, file, signal);
    if (found < SCHEMA_STEPS.length) await writer.run({ op: 'migrate' }, signal);
    const attempt = { op: 'open', file, stop: () => signal.throwIfAborted() };
    const reader = await retryWhileBusy(attempt, () => openSound(engine, file));
    const close = async (): Promise<void> => {
      // The last connection to close must be one that may write: it takes the log back into the file.
      reader.close();
      await writer.close();
    };
    return { store: createStore(reader, file, writer), token: writer.token, close };
  } catch (thrown) {
    await writer.close();
    throw thrown;
  }
}

/** Reads the schema at once: damage in it is known at the start. */
function openSound(engine: Engine, file: string): Connection {
  const connection = openReader(engine, file);
  try {
    connection.prepare('SELECT revision FROM state').get();
    loadVectorFunctions(connection);
    return connection;
  } catch (thrown) {
    connection.close();
    throw thrown;
  }
}

async function probe(store: Store, signal: AbortSignal): Promise<Probe> {
  const { indexed, pending, revision } = await store.progress(signal);
  return { ok: true, detail: `${indexed} notes indexed, ${pending} pending, revision ${revision}` };
}
