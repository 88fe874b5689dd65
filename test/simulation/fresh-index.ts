// Builds an index of the vault of a simulation from nothing: by the job of the servers, in a database in memory that is emptied for the next one.
import { join } from 'node:path';
import type { NotePath } from '../../src/base/note.ts';
import { createCompute } from '../../src/compute/offload.ts';
import type { Store } from '../../src/contracts/store.ts';
import { JobRecord } from '../../src/indexing/jobs/job-record.ts';
import { runJob } from '../../src/indexing/jobs/run-job.ts';
import { addVectorFunctions, loadEngine } from '../../src/providers/sqlite/database/engine.ts';
import { addChecksumFunction } from '../../src/providers/sqlite/database/open-database.ts';
import { createRows } from '../../src/providers/sqlite/database/rows.ts';
import { SCHEMA_STEPS } from '../../src/providers/sqlite/database/schema.ts';
import { createStore } from '../../src/providers/sqlite/store.ts';
import { ChangeWriter } from '../../src/providers/sqlite/write/apply-changes.ts';
import { unpackChanges } from '../../src/providers/sqlite/write/unpack-changes.ts';
import type { IndexWriter } from '../../src/providers/sqlite/write/writer.ts';
import type { StoreJob } from '../../src/providers/sqlite/write/writer-messages.ts';
import { contentOf, signal } from '../indexing/index-under-test.ts';
import { openVault, vaultFolderAt } from '../providers/filesystem/vault-folder.ts';
import type { SimulatedDisk } from './simulated-disk.ts';
import { inProcess, useWorld, World } from './world.ts';

const PROCESS = { name: 'reference', pid: 99_999, isDead: false };
/** Its time goes on from one use to the next, and has nothing to do with that of a schedule. */
const world = new World(0);
let reference: Awaited<ReturnType<typeof openReference>> | undefined;

/** @param root of the vault, always the same */
export async function freshIndex(root: string, disk: SimulatedDisk, seed: number): Promise<Answers> {
  const { costMs } = disk;
  disk.costMs = 0;
  useWorld(world);
  let outcome: PromiseSettledResult<Answers> | undefined;
  inProcess(PROCESS, () => void Promise.allSettled([build(root, seed)]).then(([ended]) => (outcome = ended)));
  await world.runUntil(() => outcome !== undefined);
  await world.endTurn();
  useWorld(disk.world);
  disk.costMs = costMs;
  if (outcome?.status === 'fulfilled') return outcome.value;
  throw outcome?.reason ?? new Error('the fresh index has no end');
}

async function build(root: string, seed: number): Promise<Answers> {
  reference ??= await openReference(root);
  const { vault, store, compute, reset } = reference;
  reset();
  await runJob(new JobRecord({ kind: 'catch_up' }), {
    vault,
    store,
    compute,
    isAwaited: () => false,
    massDelete: { ratio: 1, minNotes: 0 },
    reset: async () => reset(),
    onCommit: async () => undefined,
  });
  return answersOf(store, seed);
}

/** The words of the notes of a simulation. */
const WORDS = ['alpha', 'beta', 'gamma', 'delta', 'omega', 'remote', 'note', 'mark', 'moved'];
const EVERY = { limit: 1_000, offset: 0 };

export interface Answers {
  readonly files: readonly { readonly path: NotePath; readonly hash: string }[];
}

/** The content of an index, and what it finds. */
export async function answersOf(store: Store, seed: number): Promise<Answers> {
  // A search costs more than all else here, and another seed has other words.
  const searched = [0, 1, 2].map((n) => WORDS[(seed + n * 2) % WORDS.length] ?? '');
  const content = (await contentOf(store)) as Answers;
  const vectors = await store.termVectors(
    content.files.map(({ path }) => path),
    signal,
  );
  const properties = await store.propertyNames(signal);
  const found = {
    words: await store.wordCounts(WORDS, signal),
    found: await Promise.all(searched.map((word) => hitsOf(store, word))),
    vectors: [...vectors].map(([path, terms]) => [path, Buffer.from(terms).toString('hex')]),
    properties: await Promise.all(
      properties.map(async (name) => ({ name, ...(await store.propertyUse(name, EVERY.limit, signal)) })),
    ),
    tasks: await store.listTasks({ status: 'any' }, EVERY, signal),
  };
  return { ...content, ...found };
}

/** Scores are sums, whose last digits depend on their order. */
async function hitsOf(store: Store, text: string): Promise<readonly unknown[]> {
  const query = { terms: [{ text, kind: 'word', negated: false }], match: 'all' } as const;
  const { hits } = await store.searchText(query, {}, EVERY, signal);
  return hits.map(({ path, score }) => `${path} ${score.toPrecision(6)}`).toSorted();
}

/** Without the threads, the lease and the kept jobs of a server: what they do is what is compared. */
async function openReference(root: string) {
  const { vault } = await openVault(vaultFolderAt(join(root, '..')));
  const connection = new (loadEngine('better-sqlite3'))(':memory:');
  addVectorFunctions(connection);
  addChecksumFunction(connection);
  for (const step of SCHEMA_STEPS) connection.exec(step);
  const changes = new ChangeWriter(createRows(connection));
  const write = connection.transaction((job: StoreJob) => {
    if (job.op === 'apply') changes.apply(unpackChanges(job.changes), new Date().toISOString(), () => undefined);
    if (job.op === 'completeScan') changes.completeScan(job.at);
  });
  const run = (async (job: StoreJob) => write(job)) as IndexWriter['run'];
  const unchecked = { start: () => undefined, throwIfDamaged: () => undefined };
  const store = createStore(connection, ':memory:', { run, token: () => null }, unchecked);
  return { vault, store, compute: createCompute(), reset: () => changes.reset() };
}
