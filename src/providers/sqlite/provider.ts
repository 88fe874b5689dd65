// The store on SQLite: where its file lies, how long its writes may take, how it opens and closes. Loads the engine only then.
import * as z from 'zod';
import type { Opened, Probe, Provider, ProviderContext } from '../../contracts/provider.ts';
import type { Store } from '../../contracts/store.ts';
import { type Connection, loadEngine, loadVectorFunctions } from './engine.ts';
import { toStoreFault } from './faults.ts';
import { isPlaced, placeIndex } from './index-location.ts';
import { openReader, prepareDatabase } from './open-database.ts';
import { setAside } from './set-aside.ts';
import { createStore } from './store.ts';
import { createWriter } from './writer.ts';

const config = z.strictObject({
  /** The index file; by default `index.db` in the data folder. */
  path: z.string().refine(isPlaced, 'an absolute path, or one that begins with ~/').optional(),
});

export type SqliteConfig = z.infer<typeof config>;

/** Milliseconds for one job of the writing thread. */
const WRITE_LIMIT = 30_000;
const CHECK_LIMIT = 50_000;
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
    counts: 'bounded',
    fileStates: 'bounded',
    quarantine: 'bounded',
    searchText: 'bounded',
    listNotes: 'bounded',
    listTags: 'bounded',
    notes: 'bounded',
    candidates: 'bounded',
    names: 'bounded',
    mentions: 'bounded',
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
  }),
  open,
  setAside: async ({ path }: SqliteConfig, context: ProviderContext) => setAside(placeIndex(path, context)),
});

async function open({ path }: SqliteConfig, context: ProviderContext, signal: AbortSignal): Promise<Opened<Store>> {
  const file = placeIndex(path, context);
  const engine = loadEngine();
  await prepareDatabase(engine, file, signal);
  const reader = openSound(() => openReader(engine, file), file);
  loadVectorFunctions(reader);
  const writer = createWriter(file);
  const capability = createStore(reader, file, writer);
  return Object.freeze({
    capability,
    probe: (signal: AbortSignal) => probe(capability, signal),
    close: async () => {
      // The last connection to close must be one that may write: it takes the log back into the file.
      reader.close();
      await writer.close();
    },
  });
}

/** Reads the schema at once: damage in it is known at the start. */
function openSound(connect: () => Connection, file: string): Connection {
  try {
    const connection = connect();
    connection.prepare('SELECT revision FROM state').get();
    return connection;
  } catch (thrown) {
    throw toStoreFault(thrown, { op: 'open', file });
  }
}

async function probe(store: Store, signal: AbortSignal): Promise<Probe> {
  const { indexed, pending, revision } = await store.counts(signal);
  return { ok: true, detail: `${indexed} notes indexed, ${pending} pending, revision ${revision}` };
}
