// A vault that disappears before each call of a change, like an unplugged drive, and comes back.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { it } from 'node:test';
import { VaultgraphError } from '../../../../src/base/errors.ts';
import { inBench, KINDS, type Kind } from './change-kinds.ts';
import { dyingDisk, isChanging, isKilled, watchedDisk } from './faulty-disks.ts';
import { assertClean, type Snapshot, type Workbench } from './workbench.ts';

interface Course {
  readonly before: Snapshot;
  readonly after: Snapshot;
}

function courseOf(kind: Kind): Course {
  return inBench((bench) => {
    const request = kind.request(bench);
    const before = bench.snapshot();
    bench.apply(request);
    return { before, after: bench.snapshot() };
  });
}

const MOMENTS = ['closeSync', 'lstatSync'];

/** @param leave what the vault's folder becomes. @returns whether there was such a call */
function goesAway(kind: Kind, atCall: number, { before, after }: Course, leave: (root: string) => void): boolean {
  return inBench((bench) => {
    const { folder } = bench;
    const request = kind.request(bench);
    let calls = 0;
    const disk = watchedDisk((name, given) => {
      if ((!isChanging(name, given) && !MOMENTS.includes(name)) || calls++ !== atCall) return;
      folder.vanish();
      leave(folder.root);
    });
    let kept: readonly string[] = [];
    const failure = failureOf(() => {
      ({ kept } = bench.apply(request, { disk }));
    });
    if (calls <= atCall) return false;
    if (existsSync(folder.root)) rmdirSync(folder.root);
    folder.comeBack();
    const what = `away at call ${atCall}: ${failure?.code ?? 'done'}`;
    if (failure !== undefined) assertHonest(failure, what);
    const [reported] = bench.recover();
    assertClean(bench);
    const isMade = failure === undefined || reported?.outcome === 'finished';
    const found = [...bench.snapshot()].filter(([path]) => !kept.includes(path.slice(0, -1)));
    assert.deepEqual(new Map(found), isMade ? after : before, what);
    return true;
  });
}

function assertHonest(failure: VaultgraphError, what: string): void {
  const { original_intact: isIntact } = failure.details as { original_intact?: boolean };
  assert.ok(failure.code === 'VAULT_UNAVAILABLE' || (failure.code === 'FILE_WRITE_FAILED' && isIntact === false), what);
}

function failureOf(work: () => unknown): VaultgraphError | undefined {
  try {
    work();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof VaultgraphError) return thrown;
    throw thrown;
  }
}

const nothing = (): void => undefined;

for (const [what, leave] of [
  ['is gone', nothing],
  ['is an empty folder', (root: string) => mkdirSync(root)],
] as const) {
  for (const kind of KINDS.filter(({ title }) => !title.startsWith('restore'))) {
    it(`V1 V8 the vault ${what} during a change: ${kind.title}`, () => {
      const course = courseOf(kind);
      const step = kind.title.startsWith('move a folder') ? 11 : 2;
      // The first call looks at the vault's folder, so as to know it again.
      for (let call = 1; goesAway(kind, call, course, leave); call += step);
    });
  }
}

it('V1 with an empty mount point in place of the vault, recovery waits for the drive', () => {
  for (const kind of KINDS.filter(({ title }) => title === 'replace' || title === 'move')) {
    const { before, after } = courseOf(kind);
    for (let call = 0, isOver = false; !isOver; call += 1) {
      isOver = inBench((bench) => {
        const request = kind.request(bench);
        if (!isKilled(() => bench.apply(request, { disk: dyingDisk(call) }))) return true;
        const unfinished = bench.log.entries().some(({ stage }) => stage !== 'done');
        bench.folder.vanish();
        mkdirSync(bench.folder.root);
        if (unfinished) assert.throws(() => bench.recover(), { code: 'VAULT_UNAVAILABLE' });
        assert.deepEqual(readdirSync(bench.folder.root), []);
        rmdirSync(bench.folder.root);
        bench.folder.comeBack();
        const [reported] = bench.recover();
        assertClean(bench);
        const isMade = reported === undefined ? bench.log.entries().length > 0 : reported.outcome === 'finished';
        assert.deepEqual(bench.snapshot(), isMade ? after : before);
        return false;
      });
    }
  }
});

it('moving a folder during a change loses none of its files', () => {
  for (const kind of KINDS.filter(({ title }) => !title.startsWith('restore'))) {
    for (let call = 0, isOver = false; !isOver; call += 1) isOver = !folderMoves(kind, call);
  }
});

/** @returns whether there was such a call */
function folderMoves(kind: Kind, atCall: number): boolean {
  return inBench((bench) => {
    const [from, to] = ['Project', 'Elsewhere'].map((name) => `${bench.folder.root}/${name}`) as [string, string];
    const request = kind.request(bench);
    const texts = textsOf(bench);
    let calls = 0;
    const disk = watchedDisk((name, given) => {
      if ((!isChanging(name, given) && name !== 'closeSync') || calls++ !== atCall) return;
      if (existsSync(from)) renameSync(from, to);
    });
    const failure = failureOf(() => bench.apply(request, { disk }));
    if (calls <= atCall) return false;
    if (failure !== undefined) {
      const there = textsOf(bench);
      const missing = [...texts].filter((text) => !there.has(text));
      assert.deepEqual(missing, [], `${kind.title}, call ${atCall}: ${failure.code}`);
    }
    bench.recover();
    return true;
  });
}

function textsOf(bench: Workbench): Set<string> {
  return new Set([...bench.snapshot().values()]);
}
