// S10 on PostgreSQL: one of several servers leads, whatever is killed, frozen or cut off, and whatever the clocks show.
import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lease } from '../../../src/contracts/lease.ts';
import type { Store } from '../../../src/contracts/store.ts';
import { createSeededRandom } from '../../bench/random.ts';
import { signal } from '../../contracts/store/law.ts';
import { describePostgres } from '../../postgresql/describe-postgres.ts';
import { startProxy } from '../../postgresql/proxy.ts';
import { until } from '../../until.ts';
import { missingIn, pairsIn, writePair } from './pairs.ts';
import { openStore, type StoreConfig, storeConfig } from './postgres-index.ts';

const RACERS = 6;
const RACES = 15;
const FREEZES = 4;
const DAY_MS = 86_400_000;
const FROM_OTHER = 1_000_000;

interface Leader {
  readonly process: ChildProcessByStdio<null, Readable, null>;
  readonly confirmed: Set<number>;
  /** What it printed before the pairs, and what ended it. */
  readonly said: Map<string, string>;
  readonly ended: Promise<unknown>;
}

function startLeader(config: StoreConfig, from: number, clockMs = 0): Leader {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'leader-child.ts'), JSON.stringify({ config, from, clockMs })],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const confirmed = new Set<number>();
  const said = new Map<string, string>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [what = '', value = ''] = line.split(' ');
    if (what === 'pair') confirmed.add(Number(value));
    else said.set(what, value);
  });
  return { process: child, confirmed, said, ended: once(child, 'close') };
}

/** Takes the lease of a leader whose heartbeats do not move. */
async function takeOver(store: Store): Promise<void> {
  await until(async () => {
    const stalled = await store.lease(signal);
    const lease = await store.takeLease({ client: 'the successor', stalled, jobs: [] }, signal);
    return lease.isMine;
  }, 'the lease is taken over');
}

describePostgres('the lease of an index in PostgreSQL', (server) => {
  test('S10 a leader frozen in a transaction is replaced; resumed, it writes nothing', async () => {
    const random = createSeededRandom(71);
    for (let round = 0; round < FREEZES; round += 1) {
      const config = storeConfig(server(), await server().freshDatabase());
      const { store, close } = await openStore(config);
      const leader = startLeader(config, 0);
      await until(() => leader.confirmed.size > 3, 'it leads and writes');
      await sleep(random.below(50));
      leader.process.kill('SIGSTOP');
      await takeOver(store);
      await writePair(store, FROM_OTHER);
      const found = await pairsIn(store);
      leader.process.kill('SIGCONT');
      await leader.ended;
      assert.ok(
        ['INDEX_CONFLICT', 'STORE_UNAVAILABLE'].includes(leader.said.get('ended') ?? ''),
        leader.said.get('ended'),
      );
      assert.deepEqual(await pairsIn(store), found, 'nothing was written after the lease was lost');
      assert.deepEqual(missingIn(found, leader.confirmed), [], 'a confirmed pair is lost');
      await close();
    }
  });

  test('S10 a leader cut off from the network is replaced; connected again, it writes nothing', async () => {
    const database = await server().freshDatabase();
    const proxy = await startProxy(server());
    const cutOff = await openStore(
      storeConfig(server(), database, { host: proxy.host, port: proxy.port, timeout: 2_000 }),
    );
    const other = await openStore(storeConfig(server(), database));
    await cutOff.store.takeLease({ client: 'cut off', jobs: [] }, signal);
    await writePair(cutOff.store, 1);
    proxy.freeze();
    const late = writePair(cutOff.store, 2).then(
      () => 'written',
      (thrown) => thrown.code,
    );
    await takeOver(other.store);
    await writePair(other.store, 3);
    proxy.thaw();
    const outcome = await late;
    const found = await pairsIn(other.store);
    // It was sent before the takeover: all of it arrived in time, or none.
    assert.ok(
      outcome === 'written' ? found.has(2) : ['INDEX_CONFLICT', 'STORE_UNAVAILABLE', 'STORE_BUSY'].includes(outcome),
      outcome,
    );
    await assert.rejects(writePair(cutOff.store, 4), { code: 'INDEX_CONFLICT' });
    assert.deepEqual(await pairsIn(other.store), found);
    assert.deepEqual(await pairsIn(cutOff.store), found, 'it reads on');
    for (const each of [cutOff, other]) await each.close();
    await proxy.close();
  });

  test('S10 of several servers that take a stalled lease at once, one gets it, and only its changes are written', async () => {
    const config = storeConfig(server(), await server().freshDatabase());
    const racers = await Promise.all(Array.from({ length: RACERS }, () => openStore(config)));
    const [first] = racers;
    assert.ok(first);
    await first.store.takeLease({ client: 'racer', jobs: [] }, signal);
    for (let race = 0; race < RACES; race += 1) {
      const stalled: Lease = await first.store.lease(signal);
      const leases = await Promise.all(
        racers.map(({ store }) => store.takeLease({ client: 'racer', stalled, jobs: [] }, signal)),
      );
      const winners = leases.flatMap(({ isMine }, at) => (isMine ? [at] : []));
      assert.equal(winners.length, 1, `race ${race} has ${winners.length} winners`);
      const number = race * RACERS;
      const writes = await Promise.allSettled(racers.map(({ store }, at) => writePair(store, number + at)));
      for (const [at, write] of writes.entries())
        assert.equal(
          write.status === 'rejected' ? write.reason.code : 'written',
          at === winners[0] ? 'written' : 'INDEX_CONFLICT',
        );
    }
    assert.equal((await pairsIn(first.store)).size, RACES);
    for (const each of racers) await each.close();
  });

  test('S10 clocks that are a day apart change nothing: the lease goes by heartbeats and the clock of the server', async () => {
    const config = storeConfig(server(), await server().freshDatabase());
    const { store, close } = await openStore(config);
    for (const clockMs of [DAY_MS, -DAY_MS]) {
      const leader = startLeader(config, clockMs > 0 ? 0 : FROM_OTHER, clockMs);
      await until(() => leader.confirmed.size > 3, 'it leads and writes');
      const lease = await store.lease(signal);
      assert.deepEqual([lease.isMine, lease.isDead, lease.holder?.pid], [false, false, leader.process.pid]);
      const age = lease.holder?.heartbeat_age_ms ?? Number.NaN;
      assert.ok(Math.abs(age) < DAY_MS / 2, `the last heartbeat is ${age} ms old`);
      const refused = await store.takeLease({ client: 'another', jobs: [] }, signal);
      assert.equal(refused.isMine, false, 'a lease that is alive is not taken');
      leader.process.kill('SIGKILL');
      await leader.ended;
      await takeOver(store);
      await store.releaseLease(signal);
      assert.deepEqual(missingIn(await pairsIn(store), leader.confirmed), []);
    }
    await close();
  });
});
