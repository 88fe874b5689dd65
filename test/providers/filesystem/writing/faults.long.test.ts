// A disk that fails a call, once or always: the change is made completely, or fails with a typed error and changes nothing.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VaultgraphError } from '../../../../src/base/errors.ts';
import type { Disk } from '../../../../src/providers/filesystem/writing/disk.ts';
import { inBench, KINDS, type Kind } from './change-kinds.ts';
import { type Failure, failingDisk, isChanging, linklessDisk, quickDisk, watchedDisk } from './faulty-disks.ts';
import { assertClean, bytes, note, type Snapshot, type Workbench } from './workbench.ts';

interface Refusal extends Omit<Failure, 'from'> {
  readonly title: string;
  /** Whether what was written on the way can be taken away at once. */
  readonly mayTidy: boolean;
  /** Of very many calls only some are tried. */
  readonly every?: number;
}

const ALWAYS = Number.POSITIVE_INFINITY;
const TAKES_SPACE = ['linkSync', 'mkdirSync', 'writeSync'];
const takesSpace: Failure['isFailing'] = (name, given) =>
  TAKES_SPACE.includes(name) || (name === 'openSync' && isChanging(name, given));
const READS = ['accessSync', 'fstatSync', 'lstatSync', 'readFileSync', 'readSync', 'readdirSync', 'realpathSync'];
const isReading: Failure['isFailing'] = (name, given) =>
  READS.includes(name) || (name === 'openSync' && !isChanging(name, given));

const REFUSALS: readonly Refusal[] = [
  { title: 'EIO once', errno: 'EIO', times: 1, isFailing: isChanging, mayTidy: true },
  { title: 'EPERM once', errno: 'EPERM', times: 1, isFailing: isChanging, mayTidy: true, every: 2 },
  { title: 'EROFS on all later calls', errno: 'EROFS', times: ALWAYS, isFailing: isChanging, mayTidy: false, every: 2 },
  { title: 'ENOSPC on all later calls', errno: 'ENOSPC', times: ALWAYS, isFailing: takesSpace, mayTidy: true },
  { title: 'EIO on fsync', errno: 'EIO', times: 1, isFailing: (name) => name === 'fsyncSync', mayTidy: true },
  {
    title: 'EMFILE on all later calls that open',
    errno: 'EMFILE',
    times: ALWAYS,
    isFailing: (name) => name === 'openSync',
    mayTidy: false,
    every: 3,
  },
  { title: 'EIO on one read', errno: 'EIO', times: 1, isFailing: isReading, mayTidy: true, every: 3 },
  {
    title: 'EIO on all later reads',
    errno: 'EIO',
    times: ALWAYS,
    isFailing: isReading,
    mayTidy: false,
    every: 3,
  },
];

interface Course {
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly calls: number;
}

function undisturbed(kind: Kind, disk: Disk, { isFailing }: Refusal): Course {
  return inBench((bench) => {
    const request = kind.request(bench);
    const before = bench.snapshot();
    let calls = 0;
    const counting = watchedDisk((name, given) => {
      if (isFailing(name, given)) calls += 1;
    }, disk);
    bench.apply(request, { disk: counting });
    return { before, after: bench.snapshot(), calls };
  });
}

/** @returns how it ended */
function refusedFrom(from: number, kind: Kind, disk: Disk, refusal: Refusal, course: Course): string {
  return inBench((bench) => {
    const request = kind.request(bench);
    const outcome = outcomeOf(() => bench.apply(request, { disk: failingDisk({ ...refusal, from }, disk) }));
    const now = bench.snapshot();
    if (outcome instanceof VaultgraphError) assertHonest(outcome, now, refusal, course);
    const reported = bench.recover({ disk });
    assertClean(bench);
    const isMade = !(outcome instanceof VaultgraphError) || reported[0]?.outcome === 'finished';
    const kept = outcome instanceof VaultgraphError ? [] : outcome.kept;
    const wanted = isMade ? course.after : course.before;
    for (const path of kept) assert.ok(course.before.has(`${path}/`));
    const withoutKept = [...bench.snapshot()].filter(([path]) => wanted.has(path) || !isIn(path, kept));
    assert.deepEqual(new Map(withoutKept), wanted);
    goesOn(bench);
    return isMade ? 'made' : 'not made';
  });
}

const isIn = (path: string, folders: readonly string[]): boolean => folders.some((folder) => path === `${folder}/`);

function outcomeOf(work: () => ReturnType<Workbench['apply']>) {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof VaultgraphError) return thrown;
    throw thrown;
  }
}

/** What it says of itself is true at that very moment. */
function assertHonest(
  error: VaultgraphError,
  now: Snapshot,
  { errno, isFailing, mayTidy }: Refusal,
  { before }: Course,
): void {
  assert.ok(
    ['FILE_WRITE_FAILED', ...(isFailing === isChanging || isFailing === takesSpace ? [] : READ_FAILURES)].includes(
      error.code,
    ),
    error.code,
  );
  assert.equal((error.details as { errno?: string }).errno, errno);
  const { step, original_intact } = error.details as { step?: string; original_intact?: boolean };
  if (error.code === 'FILE_WRITE_FAILED') assert.match(String(step), /^[a-zA-Z]+$/);
  if (original_intact === false) return;
  const isLitter = (path: string): boolean => path.includes('.vaultgraph-') || path.endsWith('/');
  const found = mayTidy ? now : new Map([...now].filter(([path]) => before.has(path) || !isLitter(path)));
  assert.deepEqual(found, before);
}

const READ_FAILURES = ['FILE_UNREADABLE', 'VAULT_UNAVAILABLE'];

function goesOn(bench: Workbench): void {
  const operations = [{ kind: 'create', path: note('Next.md'), bytes: bytes('next') }] as const;
  assert.equal(bench.apply({ operations, tool: 'a_test', client: '' }).state, 'done');
  assertClean(bench);
}

for (const refusal of REFUSALS) {
  describe(`V7 ${refusal.title}, at each call: the change is made completely or not at all`, () => {
    for (const kind of KINDS) {
      it(kind.title, () => {
        for (const disk of refusal.isFailing === isReading ? [quickDisk] : [quickDisk, linklessDisk()]) {
          const course = undisturbed(kind, disk, refusal);
          for (let from = 0; from < course.calls; from += refusal.every ?? 1)
            refusedFrom(from, kind, disk, refusal, course);
        }
      });
    }
  });
}
