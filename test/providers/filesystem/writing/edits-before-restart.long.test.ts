// Another program edits, replaces, deletes or creates a file between the kill of a change and the next start.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { FileOperation } from '../../../../src/contracts/writer.ts';
import { inBench, KINDS, type Kind, onDisk } from './change-kinds.ts';
import { dyingDisk, isKilled, Killed } from './faulty-disks.ts';
import { afterwards, assertNothingLost, assertWithdrawn, DEEDS, type Deed, others, pathsOf } from './outside-edits.ts';
import { assertClean, type Snapshot, type Workbench } from './workbench.ts';

/** Of a change of many files only some of the kills are tried. */
const MAX_KILLS = 60;

interface Case {
  readonly kind: Kind;
  readonly deed: Deed;
  readonly operationAt: number;
  readonly pathAt: number;
  readonly after: Snapshot;
}

const [EDIT] = DEEDS;
/** Whether the file itself goes; then an edit goes with it, both ways. */
const isCarried = (operation: FileOperation): boolean =>
  operation.kind === 'trash' || (operation.kind === 'move' && operation.bytes === undefined);

/** @returns whether there was such a call */
function isCutOff({ kind, deed, operationAt, pathAt, after }: Case, atCall: number): boolean {
  return inBench((bench) => {
    const request = kind.request(bench);
    const before = bench.snapshot();
    const known = bench.log.entries().length;
    const operation = request.operations[operationAt] as FileOperation;
    const paths = pathsOf(operation);
    const file = join(bench.folder.root, paths[pathAt] as string);
    if (!isKilled(() => bench.apply(request, { disk: dyingDisk(atCall) }))) return false;
    if (existsSync(file) !== deed.needsFile) return true;
    deed.act(file);
    const [reported] = bench.recover();
    const what = `killed at ${atCall}, ${paths[pathAt]}: ${reported?.outcome}`;
    assertClean(bench);
    const now = bench.snapshot();
    const isMade = reported === undefined ? bench.log.entries().length > known : reported.outcome === 'finished';
    assertNothingLost({ paths, isMade, before, after, now }, deed, what);
    if (reported?.outcome === 'taken_back' && deed === EDIT && pathAt === 0 && isCarried(operation))
      assertWithdrawn({ paths, isMade, before, after, now }, what);
    assert.deepEqual(others(now, paths), others(isMade ? after : before, paths), what);
    return true;
  });
}

for (const deed of DEEDS.filter(({ later }) => later === undefined)) {
  describe(`V5 V8 another program ${deed.title} between a kill and the next start: the outside text is kept, and the rest is consistent`, () => {
    for (const kind of KINDS) {
      it(kind.title, () => {
        const { after, operations } = afterwards(kind);
        const step = operations.length > 1 ? Math.ceil((100 * operations.length) / MAX_KILLS) : 1;
        for (const [operationAt, operation] of operations.entries()) {
          for (const pathAt of pathsOf(operation).keys()) {
            const tried = { kind, deed, operationAt, pathAt, after };
            for (let call = operationAt; isCutOff(tried, call); call += step);
          }
        }
      });
    }
  });
}

const SINCE: readonly [string, (bench: Workbench, made: string) => void][] = [
  ['edited', (bench, made) => bench.folder.put(made, 'edited since')],
  ['deleted', (bench, made) => bench.folder.remove(made)],
];

for (const [what, act] of SINCE) {
  it(`V8 a complete change without its last stage is reported as finished, and a file that was ${what} since stays so`, () => {
    for (const kind of KINDS.filter(({ title }) => title !== 'remove' && !title.startsWith('trash'))) {
      inBench((bench) => {
        const request = kind.request(bench);
        const die = (point: string): void => {
          if (point === 'emptied') throw new Killed();
        };
        assert.throws(() => bench.apply(request, { at: die }), Killed);
        const [first] = request.operations;
        act(bench, onDisk(String(first?.kind === 'move' ? first.to : first?.path)));
        const then = bench.snapshot();
        const outcomes = bench.recover().map(({ outcome }) => outcome);
        assert.deepEqual(outcomes, ['finished'], kind.title);
        assert.deepEqual(bench.snapshot(), then);
        assertClean(bench);
      });
    }
  });
}
