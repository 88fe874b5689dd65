// Copies of the index on several machines equal each other after any changes, whenever each of them catches up and whoever leads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Store } from '../../../src/contracts/store.ts';
import { Database } from '../../../src/providers/postgresql/connection/database.ts';
import { changeSetOf } from '../../../src/providers/postgresql/copy/apply-copied.ts';
import { isListing, NOTHING } from '../../../src/providers/postgresql/copy/position.ts';
import { readChanges } from '../../../src/providers/postgresql/copy/read-changes.ts';
import { asPath, changes, fill, found, indexed, rewrite, signal } from '../../contracts/store/law.ts';
import { everything, type Files, step, take } from '../../contracts/store/random-changes.ts';
import { type Chunk, embed, nearChunks, opened, vector } from '../../contracts/store/vector-vault.ts';
import { describePostgres } from '../../postgresql/describe-postgres.ts';
import { runs } from '../../runner/effort.ts';
import { until } from '../../until.ts';
import { settingsFor } from './postgres-index.ts';
import { createMachines, type Machines } from './servers-on-one-index.ts';

const MACHINES = [0, 1, 2] as const;
const DIRECTIONS = [vector(1, 0, 0), vector(0, 1, 0), vector(0.6, 0.8, 0)] as const;

/** Each is made by one machine; `looks` are those that look at the index afterwards. */
const action = fc.record({
  by: fc.constantFrom(...MACHINES),
  step,
  embeds: fc.boolean(),
  ends: fc.constantFrom('nothing', 'nothing', 'scan', 'sweep', 'activation', 'reset'),
  looks: fc.subarray([...MACHINES]),
});

/** What a client can learn of vectors. */
async function vectorsIn(store: Store): Promise<object> {
  const generations = await store.generations(signal);
  const of = await Promise.all(
    generations.map(async ({ id }) => ({
      near: await nearChunks(store, { id }, DIRECTIONS[0]),
      failed: await store.failedChunks(id, { limit: 100, offset: 0 }, signal),
      pending: await store.unembedded(id, '', 100, true, signal),
    })),
  );
  return { generations, of };
}

/** A text has one vector in a generation, as from a model, so copies fetch only the vectors that they lack. */
async function embedAll(store: Store, files: Files): Promise<number> {
  const { id } = await opened(store);
  const texts = [...files].filter((one): one is [string, string] => one[1] !== null && one[0].endsWith('.md'));
  const chunks = (text: string): Chunk[] => [
    [`${text} 1`, DIRECTIONS[text.length % 3] ?? DIRECTIONS[0]],
    ['same', DIRECTIONS[1]],
    [`${text} bad`, 'refused'],
  ];
  await embed(store, { id }, Object.fromEntries(texts.map(([path, text]) => [path, [text, ...chunks(text)]])));
  return id;
}

/** Catches up; an index that another machine has begun again cannot answer until the vault is compared with it. */
async function look(store: Store): Promise<void> {
  const answer = store.graph(new AbortController().signal);
  await answer.catch((thrown: unknown) => assert.equal((thrown as { code?: unknown }).code, 'NOT_READY'));
}

/** On a busy machine a copy takes longer than a call waits for it. */
const isCopied = async (store: Store): Promise<boolean> =>
  store.counts(new AbortController().signal).then(
    () => true,
    (thrown: unknown) => {
      assert.equal((thrown as { code?: unknown }).code, 'NOT_READY');
      return false;
    },
  );

describePostgres('copies of an index in PostgreSQL', (server) => {
  let schemas = 0;
  const machinesOn = (): Machines => {
    schemas += 1;
    const { host, port, user, password } = server();
    return createMachines({ host, port, user, password, database: 'postgres', schema: `copies_${schemas}` });
  };

  test('copies are equal after any changes by any of the machines', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 8 }), async (actions) => {
        const machines = machinesOn();
        const all = await Promise.all(MACHINES.map(() => machines.open()));
        const stores = all.map(({ capability }) => capability);
        const files: Files = new Map();
        for (const { by, step: one, embeds, ends, looks } of actions) {
          const store = stores[by] as Store;
          await take(store, files, one);
          const generation = embeds ? await embedAll(store, files) : undefined;
          if (ends === 'scan') await store.completeScan('2026-11-20T10:00:00.000Z', signal);
          if (ends === 'sweep') await store.sweepVectors([], signal);
          if (ends === 'activation' && generation !== undefined) await store.activate(generation, signal);
          if (ends === 'reset') await store.reset(signal);
          if (ends === 'reset') files.clear();
          for (const at of looks) await look(stores[at] as Store);
        }
        await stores[0]?.completeScan('2026-11-20T11:00:00.000Z', signal);
        const late = await machines.open();
        const [first, ...others] = await Promise.all(
          [...stores, late.capability].map(async (store) => ({
            ...{ index: await everything(store), vectors: await vectorsIn(store) },
            ...{ revision: (await store.progress(signal)).revision, integrity: await store.integrity(signal) },
          })),
        );
        assert.deepEqual(first?.integrity, []);
        for (const other of others) assert.deepEqual(other, first);
        for (const { close } of [...all, late]) await close();
        machines.remove();
      }),
      { numRuns: runs(40), endOnFailure: true },
    );
  });

  test('a copy that was set aside, and one whose tables were made again, start from nothing', async () => {
    const machines = machinesOn();
    const schema = `copies_${schemas}`;
    const [one, other] = [await machines.open(), await machines.open()];
    await fill(one.capability, { 'Ebb.md': 'low' });
    assert.equal((await other.capability.counts(signal)).files, 1);
    await server().sql(`DROP SCHEMA ${schema} CASCADE`);
    await assert.rejects(other.capability.counts(new AbortController().signal), { code: 'STORE_UNAVAILABLE' });
    const fresh = await machines.open();
    await fill(fresh.capability, { 'Flow.md': 'high', 'Calm.md': '' });
    assert.equal((await other.capability.counts(new AbortController().signal)).files, 2);
    await rewrite(other.capability, { 'Flow.md': 'higher' });
    await other.capability.apply(changes({ removed: [asPath('Calm.md')] }), signal);
    assert.equal((await one.capability.counts(new AbortController().signal)).files, 1);
    for (const { close } of [one, other, fresh]) await close();
    machines.remove();
  });

  test('the time of a change is kept on the machine that has read the file', async () => {
    const machines = machinesOn();
    const [one, other] = [await machines.open(), await machines.open()];
    const times = () =>
      Promise.all(
        [one, other].map(async ({ capability }) => {
          await until(() => isCopied(capability), 'the copy is whole');
          return (await capability.fileStates(signal)).map(({ changedMs }) => changedMs);
        }),
      );
    const ebb = indexed('Ebb.md', 'low', { changedMs: 12.5 });
    await one.capability.apply(changes({ added: [found('Ebb.md')], indexed: [ebb] }), signal);
    assert.deepEqual(await times(), [[12.5], [undefined]]);
    await other.capability.apply(changes({ sightings: [{ ...ebb, changedMs: 14 }] }), signal);
    assert.deepEqual(await times(), [[12.5], [14]]);
    await rewrite(other.capability, { 'Ebb.md': 'lower' });
    assert.deepEqual(await times(), [[undefined], [undefined]]);
    for (const { close } of [one, other]) await close();
    machines.remove();
  });

  test('a new copy lists all files before it reads the content of the first', async () => {
    const machines = machinesOn();
    const one = await machines.open();
    await fill(one.capability, { 'Ebb.md': 'to [[Flow]]', 'Flow.md': 'high' });
    await fill(one.capability, { 'Calm.md': 'still' });
    const direct = new Database(settingsFor(server(), 'postgres', `copies_${schemas}`), 1, () => undefined);
    const listing = await readChanges(direct, NOTHING, signal);
    const content = await readChanges(direct, listing.to, signal);
    await direct.close();
    const { added, removed } = changeSetOf(content.files, content.from);
    assert.deepEqual([isListing(listing.to), listing.files.length, listing.rest], [true, 3, undefined]);
    assert.deepEqual([isListing(content.to), added.length, removed], [false, 3, []]);
    assert.ok(content.files.every((file) => file.content !== null));
    await one.close();
    machines.remove();
  });
});
