// Another program edits, replaces, deletes or creates a file of the vault before each system call of a change.
import assert from 'node:assert/strict';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { VaultgraphError } from '../../../../src/base/errors.ts';
import type { FileOperation } from '../../../../src/contracts/writer.ts';
import type { Disk } from '../../../../src/providers/filesystem/writing/disk.ts';
import { inBench, KINDS, type Kind } from './change-kinds.ts';
import { isChanging, linklessDisk, quickDisk, watchedDisk } from './faulty-disks.ts';
import { afterwards, assertNothingLost, assertWithdrawn, DEEDS, type Deed, others, pathsOf } from './outside-edits.ts';
import { assertClean, type Snapshot } from './workbench.ts';

const ANSWERS = ['WRITE_CONFLICT', 'NOTE_EXISTS', 'FILE_UNREADABLE'];
/** Of a change of many files only some of the moments are tried. */
const MAX_MOMENTS = 45;

interface Meddling {
  readonly disk: Disk;
  readonly end: () => void;
  /** Whether the deed was done. */
  readonly wasDone: () => boolean;
  /** Whether the operation had taken away what was in its old place by then. */
  readonly wasLast: () => boolean;
  readonly moments: () => number;
}

/** @param moment which of the calls that matter is preceded by the deed */
function meddlingDisk(deed: Deed, file: string, source: string, moment: number, beneath: Disk): Meddling {
  let [moments, isDone, isLast] = [0, false, true];
  let open: number | undefined;
  const end = (): void => {
    if (open === undefined) return;
    deed.later?.(open);
    closeSync(open);
    open = undefined;
  };
  const disk = watchedDisk((name, given) => {
    end();
    if (!isChanging(name, given) && name !== 'closeSync') return;
    if (moments++ !== moment || existsSync(file) !== deed.needsFile || deed.isBeyond?.({ name, given }, file)) return;
    isDone = true;
    isLast = !existsSync(source);
    if (deed.later !== undefined) open = openSync(file, 'r+');
    deed.act(file);
  }, beneath);
  return { disk, end, wasDone: () => isDone, wasLast: () => isLast, moments: () => moments };
}

interface Case {
  readonly kind: Kind;
  readonly deed: Deed;
  readonly disk: Disk;
  readonly operationAt: number;
  readonly pathAt: number;
  readonly after: Snapshot;
}

/** @returns how many moments there are */
function meddled(tried: Case, moment: number): number {
  const { kind, deed, disk: beneath, operationAt, pathAt, after } = tried;
  return inBench((bench) => {
    const request = kind.request(bench);
    const before = bench.snapshot();
    const paths = pathsOf(request.operations[operationAt] as FileOperation);
    const file = join(bench.folder.root, paths[pathAt] as string);
    const source = join(bench.folder.root, paths[0] as string);
    const { disk, end, wasDone, wasLast, moments } = meddlingDisk(deed, file, source, moment, beneath);
    const failure = failureOf(() => bench.apply(request, { disk }));
    end();
    if (!wasDone()) return moments();
    const what = `moment ${moment} of ${moments()}, ${paths[pathAt]}: ${failure?.code ?? 'done'}`;
    if (failure !== undefined) assert.ok(ANSWERS.includes(failure.code), what);
    assertClean(bench);
    const now = bench.snapshot();
    const isMade = failure === undefined;
    assertNothingLost({ paths, isMade, before, after, now }, deed, what);
    if (!wasLast() && pathAt === 1 && !deed.leavesText) assertKept(before.get(paths[0] as string), now, what);
    if (deed.leavesText && deed.needsFile && pathAt === 0) assertWithdrawn({ paths, isMade, before, after, now }, what);
    assert.deepEqual(others(now, paths), others(isMade ? after : before, paths), what);
    assert.deepEqual(bench.recover(), [], what);
    return moments();
  });
}

/** Whatever happens to the new file while the old one is still there, the text stays. */
function assertKept(old: string | undefined, now: Snapshot, what: string): void {
  assert.ok([...now.values()].includes(old ?? ''), `${what}, the moved text is lost`);
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

/** Where files have one name only, what is written into a file in the very moment of its replacement is overwritten. */
const DISKS: readonly { readonly on: string; readonly disk: Disk; readonly deeds: readonly Deed[] }[] = [
  { on: '', disk: quickDisk, deeds: DEEDS },
  { on: ', where files have one name only', disk: linklessDisk(), deeds: DEEDS.filter(({ needsFile }) => !needsFile) },
];

for (const { on, disk, deeds } of DISKS) {
  for (const deed of deeds) {
    describe(`V5 V6 another program ${deed.title} during a change${on}: the outside text is kept, and all other files are consistent`, () => {
      for (const kind of KINDS) {
        it(kind.title, () => {
          const { after, operations } = afterwards(kind);
          for (const [operationAt, operation] of operations.entries()) {
            for (const pathAt of pathsOf(operation).keys()) {
              const tried = { kind, deed, disk, operationAt, pathAt, after };
              const count = meddled(tried, Number.POSITIVE_INFINITY);
              const step = Math.ceil((count * operations.length) / MAX_MOMENTS);
              for (let moment = operationAt % step; moment < count; moment += step) meddled(tried, moment);
            }
          }
        });
      }
    });
  }
}
