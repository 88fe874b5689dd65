// A change that is killed at each call that changes the disk, on several kinds of disk: after the next start it is made completely or not at all.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Disk } from '../../../../src/providers/filesystem/writing/disk.ts';
import { inBench, KINDS, type Kind } from './change-kinds.ts';
import {
  dyingDisk,
  foldingDisk,
  isChanging,
  isKilled,
  Killed,
  linklessDisk,
  quickDisk,
  watchedDisk,
} from './faulty-disks.ts';
import { asPlatform, assertClean, type Snapshot } from './workbench.ts';

interface Sort {
  readonly title: string;
  readonly disk: Disk;
  readonly platform: NodeJS.Platform;
}

const { platform } = process;
const LINKLESS = linklessDisk();
const DISK: Sort = { title: 'a disk', disk: quickDisk, platform };
const DISKS: readonly Sort[] = [
  DISK,
  { title: 'a disk without hard links', disk: LINKLESS, platform },
  { title: 'a disk that ignores case and normalization', disk: foldingDisk(), platform: 'darwin' },
];

const NEVER = Number.POSITIVE_INFINITY;

/** What the vault is before and after, and how many calls lie between. */
interface Course {
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly calls: number;
}

function countCalls(disk: Disk, work: (counting: Disk) => unknown): number {
  let calls = 0;
  const counting = watchedDisk((name, given) => {
    if (isChanging(name, given)) calls += 1;
  }, disk);
  work(counting);
  return calls;
}

function undisturbed(kind: Kind, disk: Disk): Course {
  return inBench((bench) => {
    const request = kind.request(bench);
    const before = bench.snapshot();
    const calls = countCalls(disk, (counting) => bench.apply(request, { disk: counting }));
    assertClean(bench);
    return { before, after: bench.snapshot(), calls };
  });
}

/** Kills the change, then the start after it at one call after the other, until a start survives. @returns what that one reported */
function killedAt(atCall: number, kind: Kind, disk: Disk, course: Course, atCallOfStart = NEVER) {
  return inBench((bench) => {
    const request = kind.request(bench);
    const known = bench.log.entries().length;
    assert.throws(() => bench.apply(request, { disk: dyingDisk(atCall, disk) }), Killed);
    if (disk !== LINKLESS) assertWhole(bench.snapshot(), course);
    const isStartKilled =
      atCallOfStart !== NEVER && isKilled(() => bench.recover({ disk: dyingDisk(atCallOfStart, disk) }));
    const [reported, ...others] = bench.recover({ disk });
    assert.deepEqual(others, []);
    assertClean(bench);
    const isMade = bench.log.entries().length > known;
    const what = `killed at call ${atCall}, the start at ${atCallOfStart}: ${reported?.outcome}`;
    assert.deepEqual(bench.snapshot(), isMade ? course.after : course.before, what);
    if (reported !== undefined) assert.equal(reported.outcome, isMade ? 'finished' : 'forgotten');
    assert.deepEqual(bench.recover({ disk }), []);
    return { outcome: reported?.outcome ?? 'none', isStartKilled };
  });
}

/** Every note is as it was or as it is to be, and what is to stay in the vault is nowhere but there, also before the next start. */
function assertWhole(now: Snapshot, { before, after }: Course): void {
  for (const [path, content] of now) {
    const isHidden = path.startsWith('.') || path.includes('/.');
    if (!isHidden && !path.endsWith('/')) assert.ok([before.get(path), after.get(path)].includes(content), path);
  }
  const [goal, there] = [new Set(after.values()), new Set(now.values())];
  assert.ok([...before.values()].every((content) => !goal.has(content) || there.has(content)));
}

for (const { title, disk, platform: name } of DISKS) {
  describe(`V8 V15 killed at each call on ${title}: all or nothing`, () => {
    for (const kind of KINDS) {
      it(kind.title, () => {
        asPlatform(name, () => {
          const course = undisturbed(kind, disk);
          assert.notDeepEqual(course.before, course.after);
          const outcomes = new Set<string>();
          for (let call = 0; call < course.calls; call += 1) {
            const { outcome } = killedAt(call, kind, disk, course);
            outcomes.add(outcome);
          }
          assert.deepEqual([...outcomes].toSorted(), ['finished', 'forgotten', 'none']);
        });
      });
    }
  });
}

describe('V8 the recovery after a kill is killed at each of its calls', () => {
  for (const title of ['create in new folders', 'replace', 'move and edit', 'trash the last of a folder']) {
    it(title, () => {
      const kind = KINDS.find((each) => each.title === title) as Kind;
      const course = undisturbed(kind, quickDisk);
      for (let call = 0; call < course.calls; call += 1) {
        for (let second = 0; killedAt(call, kind, quickDisk, course, second).isStartKilled; second += 1);
      }
    });
  }
});
