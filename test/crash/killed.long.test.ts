// Ends, fails or stops a process at each commit of index work and compares the index after the next run with one built from nothing.
// `VAULTGRAPH_CRASH_ROUNDS=20` repeats each case twenty times, each time at another commit of that kind.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSeededRandom } from '../bench/random.ts';
import { fillNotes, repeated } from '../indexing/embed/embedding-under-test.ts';
import { openIndex, signal } from '../indexing/index-under-test.ts';
import { createVaultFolder, type VaultFolder } from '../providers/filesystem/vault-folder.ts';
import { isLong } from '../runner/effort.ts';
import {
  assertLike,
  coldRows,
  doWork,
  endWork,
  type Failpoint,
  forgetSent,
  sentTexts,
  spelled,
  startWork,
  type Work,
} from './crashing.ts';
import type { IndexRows } from './index-rows.ts';

const ROUNDS = Number(process.env.VAULTGRAPH_CRASH_ROUNDS ?? 1);
const random = createSeededRandom(Number(process.env.VAULTGRAPH_TEST_SEED ?? 20_261_121));
const NOTES = 120;
/** Two requests of sixteen texts each: the one that is running, and the one whose answers are being written. */
const OPEN_TEXTS = 2 * 16;
const DONE = 'succeeded - succeeded -';

let folder: VaultFolder;
before(() => {
  folder = createVaultFolder();
  cpSync(join(import.meta.dirname, '../../vault-fixtures/links'), folder.root, { recursive: true });
  fillNotes(folder, NOTES);
});
after(() => folder.delete());
afterEach(endWork);

const data = (): string => join(folder.outside, 'data');

/** Restores the index to its initial state, or removes it. */
function layIndex(from: string | undefined): void {
  rmSync(data(), { recursive: true, force: true });
  if (from !== undefined) cpSync(join(folder.outside, from), data(), { recursive: true });
  forgetSent(folder);
}

interface Setting {
  readonly name: string;
  /** The initial index. */
  readonly from?: 'indexed';
  readonly work: Work;
  readonly commits: readonly string[];
}

const SETTINGS: readonly Setting[] = [
  {
    name: 'the first index',
    work: {},
    commits: [
      'open',
      'takeLease',
      'publish',
      'apply',
      'completeScan',
      'openGeneration',
      'applyVectors',
      'activate',
      'sweepVectors',
      'releaseLease',
    ],
  },
  {
    name: 'vectors of another model',
    from: 'indexed',
    work: { digest: 'sha256:two' },
    commits: ['openGeneration', 'applyVectors', 'activate', 'sweepVectors'],
  },
  { name: 'a rebuild', from: 'indexed', work: { kind: 'rebuild' }, commits: ['reset', 'apply', 'activate'] },
];

/** The cases of `npm test`; the long tests try every commit from both sides. */
const SHORT: readonly string[] = [
  'the first index, apply:after:1:kill',
  'vectors of another model, applyVectors:before:1:kill',
];

describe('S7 a process that is interrupted', () => {
  const cold = new Map<string, IndexRows>();
  before(async () => {
    for (const digest of ['sha256:one', 'sha256:two']) {
      cold.set(digest, await coldRows(folder, digest));
      if (digest === 'sha256:one')
        cpSync(join(folder.outside, 'cold'), join(folder.outside, 'indexed'), { recursive: true });
    }
  });
  const coldOf = ({ digest = 'sha256:one' }: Work): IndexRows => cold.get(digest) as IndexRows;

  for (const { name, from, work, commits } of SETTINGS) {
    for (const failpoint of commits
      .flatMap(bothSides)
      .filter((point) => isLong || SHORT.includes(`${name}, ${spelled(point)}`))) {
      it(`S7 ${name}, killed ${failpoint.side} ${failpoint.work}: the next run ends with the same index as a cold run`, async () => {
        for (let round = 0; round < ROUNDS; round += 1) {
          layIndex(from);
          // Later commits of a kind do not always occur; the first one does.
          const there = { ...failpoint, at: round === 0 ? 1 : 1 + random.below(4) };
          const first = await doWork(folder, { ...work, failpoint: there });
          if (round === 0) assert.equal(first.status, 'SIGKILL', first.said);
          const next = await doWork(folder, { ...work, kind: 'catch_up' });
          assert.equal(next.said, DONE, spelled(there));
          assertLike(coldOf(work), folder, spelled(there));
          const twice = repeated(sentTexts(folder)).length;
          assert.ok(
            work.kind === 'rebuild' || twice <= OPEN_TEXTS,
            `${spelled(there)}: ${twice} texts were sent twice`,
          );
        }
      });
    }
  }

  for (const work of isLong ? ['apply', 'completeScan', 'openGeneration', 'applyVectors', 'activate'] : ['apply']) {
    it(`S5 a disk that is full at ${work}: the job is interrupted, and the next run ends with the same index as a cold run`, async () => {
      layIndex(undefined);
      const first = await doWork(folder, { failpoint: { work, side: 'before', at: 1, deed: 'throw' } });
      assert.equal(first.status, 0);
      assert.match(first.said, /(^| )interrupted STORE_FULL/);
      assert.equal((await doWork(folder)).said, DONE);
      assertLike(coldOf({}), folder, work);
    });
  }

  it('S7 killed at random moments, repeatedly: completed work is kept, and the result equals a cold run', {
    skip: !isLong && 'npm run test:long runs it',
  }, async () => {
    for (let round = 0; round < 2 * ROUNDS; round += 1) {
      layIndex(undefined);
      for (let kill = 0; kill < 4; kill += 1) {
        const kind = random.chance(0.3) ? 'rebuild' : 'catch_up';
        const digest = random.chance(0.5) ? 'sha256:one' : 'sha256:two';
        await doWork(folder, { kind, digest, killAfter: 250 + random.below(1_500) });
      }
      assert.equal((await doWork(folder)).said, DONE);
      assertLike(coldOf({}), folder, `round ${round}`);
    }
  });

  it('S7 stopped while it holds the lock: other processes can read, and it continues where it stopped', async () => {
    layIndex('indexed');
    const failpoint: Failpoint = { work: 'apply', side: 'before', at: 1, deed: 'stop' };
    const { child, ended } = startWork(folder, { kind: 'rebuild', failpoint });
    await untilStopped(child.pid);
    const other = await openIndex(folder, data());
    // The reset is committed; the new entries for the notes are not.
    assert.equal((await other.store.counts(signal)).indexed, 0);
    await assert.rejects(other.store.reset(signal), { code: /^(STORE_BUSY|INDEX_CONFLICT)$/ });
    child.kill('SIGCONT');
    assert.equal((await ended).said, DONE);
    await other.close();
    assertLike(coldOf({}), folder, 'stopped and continued');
  });
});

function bothSides(work: string): Failpoint[] {
  return (['before', 'after'] as const).map((side) => ({ work, side, at: 1, deed: 'kill' }));
}

async function untilStopped(pid: number | undefined): Promise<void> {
  for (let look = 0; look < 3_000; look += 1) {
    if (/\) T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) return;
    await sleep(20);
  }
  assert.fail('the process never stopped');
}
