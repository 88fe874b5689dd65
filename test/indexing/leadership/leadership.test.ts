// Tests leadership with a manual clock and two real stores on one index: takeover, stalls, fencing and clock changes.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../src/base/async/waits.ts';
import { VaultgraphError } from '../../../src/base/errors.ts';
import type { Store } from '../../../src/contracts/store.ts';
import { Leadership } from '../../../src/indexing/leadership/leadership.ts';
import { createIndexFolder, type IndexFolder } from '../../providers/sqlite/database/index-folder.ts';

const { signal } = new AbortController();
const HOUR = 3_600_000;
const STEP = 100;
const REAL_MS = 60_000;

/** Moves on only while it is moved; what waits for real work is given real time. */
function movedClock() {
  let time = 0;
  const sleepers = new Set<{ due: number; wake: () => void }>();
  const clock: Clock = {
    now: () => time,
    sleep: (ms, until) =>
      new Promise((resolve) => {
        const sleeper = { due: time + ms, wake: resolve };
        sleepers.add(sleeper);
        until.addEventListener('abort', () => resolve(), { once: true });
        if (until.aborted) resolve();
      }),
  };
  const move = async (ms: number): Promise<void> => {
    for (const until = time + ms; time < until; ) {
      time += STEP;
      for (const one of sleepers) {
        if (one.due > time) continue;
        sleepers.delete(one);
        one.wake();
      }
      await sleep(4);
    }
  };
  return { clock, move, now: () => time };
}

interface Side {
  readonly store: Store;
  readonly leadership: Leadership;
  readonly seen: string[];
  close(): Promise<void>;
}

let folder: IndexFolder;
let sides: Side[];
beforeEach(() => {
  folder = createIndexFolder();
  sides = [];
});
afterEach(async () => {
  mock.timers.reset();
  for (const side of sides) await side.close();
  folder.remove();
});

async function open(clock: Clock, change: (store: Store) => Store = (store) => store): Promise<Side> {
  const { capability, close } = await folder.open();
  const store = change(capability);
  const seen: string[] = [];
  const leadership = new Leadership({
    ...{ store, clock, log: () => {}, client: () => 'a test', firstJobs: () => [] },
    report: () => ({ freshness: 'unknown', watching: { mode: 'off', pending: 0 } }),
    onLead: () => void seen.push('leads'),
    onLost: ({ code }) => void seen.push(`lost ${code}`),
    onPoll: async () => false,
    onTakeover: () => void seen.push('takeover'),
  });
  const side = {
    ...{ store, leadership, seen },
    close: async () => {
      await leadership.close();
      await close();
    },
  };
  sides.push(side);
  return side;
}

async function until(isSo: () => boolean, move: (ms: number) => Promise<void>, longestMs: number): Promise<void> {
  for (let waited = 0; !isSo() && waited < longestMs; waited += STEP) await move(STEP);
  // What was started may take long on a busy machine; the clock does not move meanwhile.
  for (let waited = 0; !isSo() && waited < REAL_MS; waited += 10) await sleep(10);
  assert.ok(isSo(), `not so within ${longestMs} ms`);
}

/** Both attend; the first one leads. The clock of each moves by itself. */
async function leaderAndFollower() {
  const [one, other] = [movedClock(), movedClock()];
  const leader = await open(one.clock);
  leader.leadership.attend();
  await until(() => leader.leadership.isLeader, one.move, 0);
  const follower = await open(other.clock);
  follower.leadership.attend();
  await until(() => follower.leadership.isFollower, other.move, 0);
  assert.deepEqual([leader.seen, follower.seen], [['leads'], []]);
  return { leader, follower, moveLeader: one.move, moveFollower: other.move, followerNow: other.now };
}

describe('S10: leadership', () => {
  it('a lease that was read before it was taken, and arrives afterwards, costs no leader its lease', async () => {
    const { clock, move } = movedClock();
    const read = Promise.withResolvers<void>();
    const late = Promise.withResolvers<void>();
    const { leadership, seen } = await open(clock, (store) => ({
      ...store,
      lease: async (until) => {
        const lease = await store.lease(until);
        read.resolve();
        await late.promise;
        return lease;
      },
    }));
    leadership.attend();
    await read.promise;
    await leadership.lead();
    late.resolve();
    for (let round = 0; round < 5; round += 1) await move(3_000);
    assert.deepEqual([seen, leadership.isLeader], [['leads'], true]);
  });

  it('a leader that sends heartbeats stays the leader', async () => {
    const { leader, follower, moveLeader, moveFollower } = await leaderAndFollower();
    for (let round = 0; round < 20; round += 1) await Promise.all([moveLeader(3_000), moveFollower(3_000)]);
    assert.deepEqual([leader.seen, follower.seen], [['leads'], []]);
  });

  it('a leader without heartbeats for 15 s is replaced once, notices it when it resumes, and follows', async () => {
    const { leader, follower, moveLeader, moveFollower, followerNow } = await leaderAndFollower();
    const began = followerNow();
    await moveFollower(14_000);
    assert.deepEqual(follower.seen, []);
    await until(() => follower.leadership.isLeader, moveFollower, 4_000);
    assert.ok(followerNow() - began >= 15_000 && followerNow() - began < 20_000, String(followerNow() - began));
    assert.deepEqual([follower.seen, leader.seen], [['takeover', 'leads'], ['leads']]);
    await until(() => !leader.leadership.isLeader, moveLeader, 5_000);
    assert.deepEqual(leader.seen, ['leads', 'lost INDEX_CONFLICT']);
    for (let round = 0; round < 8; round += 1) await Promise.all([moveLeader(3_000), moveFollower(3_000)]);
    assert.deepEqual([leader.leadership.isLeader, follower.leadership.isLeader], [false, true]);
    assert.equal(follower.seen.length, 2, 'once');
  });

  it('a clock change of an hour in either direction causes no takeover', async () => {
    const { leader, follower, moveLeader, moveFollower } = await leaderAndFollower();
    for (const jump of [HOUR, -HOUR]) {
      const then = Date.now() + jump;
      mock.timers.enable({ apis: ['Date'], now: then });
      for (let round = 0; round < 3; round += 1) await Promise.all([moveLeader(3_000), moveFollower(3_000)]);
      mock.timers.reset();
    }
    assert.deepEqual([leader.seen, follower.seen], [['leads'], []]);
  });

  it('a follower that was suspended does not take over because of its own pause', async () => {
    const { leader, follower, moveFollower } = await leaderAndFollower();
    let leap = 0;
    const leaping: Clock = {
      now: () => leap,
      sleep: (_ms, end) => new Promise((go) => end.addEventListener('abort', () => go())),
    };
    const sleeper = await open(leaping);
    await sleeper.leadership.refresh();
    leap += HOUR;
    await sleeper.leadership.refresh();
    await assert.rejects(sleeper.leadership.lead(), { code: 'INDEX_CONFLICT' });
    await moveFollower(1_000);
    assert.deepEqual([leader.seen, follower.seen, sleeper.seen], [['leads'], [], []]);
  });

  it('a leader that ends frees the lease, and the next one leads immediately', async () => {
    const { leader, follower, moveFollower } = await leaderAndFollower();
    await leader.leadership.close();
    await until(() => follower.leadership.isLeader, moveFollower, 1_500);
    assert.deepEqual(follower.seen, ['leads']);
  });

  it('a heartbeat that cannot be written ends the leadership, which is taken again once it can be written', async () => {
    const { clock, move } = movedClock();
    let isFull = false;
    const full = (): never => {
      throw new VaultgraphError('STORE_FULL', { op: 'publish', file: 'index.db', free_bytes: 0 } as never);
    };
    const { leadership, seen } = await open(clock, (store) => ({
      ...store,
      publish: async (update, end) => (isFull ? full() : store.publish(update, end)),
    }));
    leadership.attend();
    await until(() => leadership.isLeader, move, 0);
    isFull = true;
    await until(() => !leadership.isLeader, move, 4_000);
    assert.deepEqual(seen, ['leads', 'lost STORE_FULL']);
    isFull = false;
    await until(() => leadership.isLeader, move, 10_000);
    assert.deepEqual(seen, ['leads', 'lost STORE_FULL', 'leads']);
    assert.equal((await sides[0]?.store.lease(signal))?.isMine, true);
  });

  it('a store that was away for long is led again as soon as it is back', async () => {
    const { clock, move } = movedClock();
    let isAway = false;
    const { leadership, seen } = await open(clock, (store) => {
      const unlessAway =
        <A extends unknown[], T>(method: (...args: A) => Promise<T>) =>
        async (...args: A): Promise<T> => {
          if (isAway) throw new VaultgraphError('STORE_UNAVAILABLE', { op: 'open' } as never);
          return method(...args);
        };
      const { mark, lease, takeLease, publish } = store;
      return {
        ...store,
        ...{ mark: unlessAway(mark), lease: unlessAway(lease) },
        ...{ takeLease: unlessAway(takeLease), publish: unlessAway(publish) },
      };
    });
    leadership.attend();
    await until(() => leadership.isLeader, move, 0);
    isAway = true;
    await until(() => !leadership.isLeader, move, 4_000);
    for (let tries = 0; tries < 6; tries += 1) {
      await assert.rejects(leadership.lead());
      await move(STEP);
    }
    isAway = false;
    await until(() => leadership.isLeader, move, 1_000);
    assert.deepEqual(seen, ['leads', 'lost STORE_UNAVAILABLE', 'leads']);
  });
});
