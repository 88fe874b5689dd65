// S4, S7 on PostgreSQL: the server is killed, connections are cut, frozen and delayed. Nothing confirmed is lost, nothing half visible.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSeededRandom } from '../../bench/random.ts';
import { signal } from '../../contracts/store/law.ts';
import { describePostgres } from '../../postgresql/describe-postgres.ts';
import { startProxy } from '../../postgresql/proxy.ts';
import { until } from '../../until.ts';
import { isStoreFailure, keepReading, keepWriting, missingIn, pairsAgain, pairsIn, writePair } from './pairs.ts';
import { openStore, storeConfig } from './postgres-index.ts';

const KILLS = 12;
const CUTS = 60;
const MAX_BYTES_UNTIL_CUT = 30_000;
const PAIRS_APART = 10_000;

describePostgres('a PostgreSQL store whose server is lost', (server) => {
  test('S7 keeps every confirmed change when the server is killed in a transaction and restarted', async () => {
    const random = createSeededRandom(2_311);
    const config = storeConfig(server(), await server().freshDatabase());
    const [writer, reader] = [await openStore(config), await openStore(config)];
    const confirmed = new Set<number>();
    const reading = keepReading(reader.store);
    for (let round = 0; round < KILLS; round += 1) {
      const writing = keepWriting(writer.store, round * PAIRS_APART);
      await until(() => writing.confirmed.size > 2, 'pairs are written');
      await sleep(random.below(100));
      await server().kill(random.below(2) === 0 ? 'SIGKILL' : 'SIGQUIT');
      const before = writing.confirmed.size;
      await server().restart();
      await until(() => writing.confirmed.size > before, 'pairs are written again');
      await writing.stop();
      for (const number of writing.confirmed) confirmed.add(number);
      const found = await pairsAgain(writer.store);
      assert.deepEqual(missingIn(found, confirmed), [], 'a confirmed pair is lost');
      assert.deepEqual(await pairsAgain(reader.store), found, 'both servers show the same');
    }
    await reading.stop();
    const late = await openStore(config);
    assert.deepEqual(
      await pairsIn(late.store),
      await pairsIn(writer.store),
      'so does a server that begins with nothing',
    );
    for (const each of [writer, reader, late]) await each.close();
  });

  test('S7 keeps every confirmed change when connections are cut at random bytes', async () => {
    const random = createSeededRandom(977);
    const database = await server().freshDatabase();
    const proxy = await startProxy(server());
    const cut = await openStore(storeConfig(server(), database, { host: proxy.host, port: proxy.port }));
    const whole = await openStore(storeConfig(server(), database));
    await writePair(cut.store, 0);
    const [reading, writing] = [keepReading(cut.store), keepWriting(cut.store, 1)];
    let cuts = 0;
    while (cuts < CUTS) {
      const { connections } = proxy;
      proxy.cutAfter(random.below(MAX_BYTES_UNTIL_CUT));
      await until(() => proxy.connections > connections, 'a connection was cut and another one made');
      cuts += 1;
    }
    proxy.cutAfter(Number.POSITIVE_INFINITY);
    const before = writing.confirmed.size;
    await until(() => writing.confirmed.size > before, 'pairs are written again');
    await writing.stop();
    await reading.stop();
    const found = await pairsIn(whole.store);
    assert.deepEqual(missingIn(found, writing.confirmed), [], 'a confirmed pair is lost');
    assert.deepEqual(await pairsAgain(cut.store), found);
    assert.ok(reading.answers() > 0 && writing.confirmed.size > 10);
    for (const each of [cut, whole]) await each.close();
    await proxy.close();
  });

  test('fails with its code instead of answering from its copy while the server does not answer', async () => {
    const database = await server().freshDatabase();
    const proxy = await startProxy(server());
    const place = { host: proxy.host, port: proxy.port, timeout: 1_000 };
    const { store, close } = await openStore(storeConfig(server(), database, place));
    await writePair(store, 1);
    for (const [stop, start] of [
      [() => proxy.freeze(), () => proxy.thaw()],
      [
        () => {
          proxy.refuse();
          proxy.cut();
        },
        () => proxy.accept(),
      ],
    ] as const) {
      stop();
      const reads = { pairs: pairsIn(store), progress: store.progress(signal), graph: store.graph(signal) };
      for (const [what, answer] of Object.entries(reads))
        await assert.rejects(answer, (thrown) => isStoreFailure(thrown), `${what} fails with its code`);
      await assert.rejects(writePair(store, 2), isStoreFailure);
      start();
      assert.ok((await pairsAgain(store)).has(1), 'it answers again without a restart');
    }
    await close();
    await proxy.close();
  });

  test('a call goes on when another that asked at the same time is aborted', async () => {
    const database = await server().freshDatabase();
    const proxy = await startProxy(server());
    const { store, close } = await openStore(storeConfig(server(), database, { host: proxy.host, port: proxy.port }));
    await writePair(store, 1);
    proxy.freeze();
    const [first, second] = [new AbortController(), new AbortController()];
    const answers = [store.progress(first.signal), store.progress(second.signal)];
    const reason = new Error('no longer wanted');
    first.abort(reason);
    await assert.rejects(answers[0] ?? Promise.resolve(), reason);
    proxy.thaw();
    assert.equal((await answers[1])?.indexed, 2);
    await close();
    await proxy.close();
  });

  test('ends a call that is aborted while the server does not answer, and its statement', async () => {
    const database = await server().freshDatabase();
    const { store, close } = await openStore(storeConfig(server(), database));
    await writePair(store, 1);
    const holder = await server().connect(database);
    await holder.query('BEGIN; LOCK TABLE vault.head, vault.files IN ACCESS EXCLUSIVE MODE');
    const reason = new Error('no longer wanted');
    for (const work of [(given: AbortSignal) => store.progress(given), (given: AbortSignal) => store.graph(given)]) {
      const controller = new AbortController();
      const answer = work(controller.signal);
      setTimeout(() => controller.abort(reason), 200);
      await assert.rejects(answer, reason);
    }
    const waiting = `SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = '${database}' AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()`;
    await until(async () => {
      const [row] = await server().sql<{ count: number }>(waiting);
      return row?.count === 0;
    }, 'no statement waits on the server');
    await holder.query('ROLLBACK');
    await holder.end();
    assert.deepEqual(await pairsIn(store), new Set([1]));
    await close();
  });
});
