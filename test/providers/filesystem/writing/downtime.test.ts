// A change is killed, and before the next start somebody edits, replaces, deletes or makes one of its files: both are respected.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { FileOperation } from '../../../../src/contracts/writer.ts';
import { afterwards, DEEDS, type Deed, others, pathsOf, THEIRS } from './deeds.ts';
import { dyingDisk, isKilled } from './disks.ts';
import { inBench, KINDS, type Kind } from './kinds.ts';
import { assertClean, type Snapshot } from './workbench.ts';

/** Of a change of many files only some of the kills are tried. */
const MOST_KILLS = 60;

interface Case {
  readonly kind: Kind;
  readonly deed: Deed;
  readonly operationAt: number;
  readonly pathAt: number;
  readonly after: Snapshot;
}

/** @returns whether there was such a call */
function isCutOff({ kind, deed, operationAt, pathAt, after }: Case, atCall: number): boolean {
  return inBench((bench) => {
    const request = kind.request(bench);
    const before = bench.snapshot();
    const known = bench.log.names().length;
    const paths = pathsOf(request.operations[operationAt] as FileOperation);
    const file = join(bench.folder.root, paths[pathAt] as string);
    if (!isKilled(() => bench.apply(request, { disk: dyingDisk(atCall) }))) return false;
    if (existsSync(file) !== deed.needsFile) return true;
    deed.act(file);
    const [told] = bench.recover();
    const what = `killed at ${atCall}, ${paths[pathAt]}: ${told?.outcome}`;
    assertClean(bench);
    const now = bench.snapshot();
    if (deed.leavesText)
      assert.ok(
        [...now.values()].some((text) => text.endsWith(THEIRS)),
        `${what}, their text is lost`,
      );
    const isMade = told === undefined ? bench.log.names().length > known : told.outcome === 'finished';
    assert.deepEqual(others(now, paths), others(isMade ? after : before, paths), what);
    return true;
  });
}

for (const deed of DEEDS.filter(({ later }) => later === undefined)) {
  describe(`V5 V8 somebody ${deed.title} between a kill and the next start: their text stays, the rest is whole`, () => {
    for (const kind of KINDS) {
      it(kind.title, () => {
        const { after, operations } = afterwards(kind);
        const step = operations.length > 1 ? Math.ceil((100 * operations.length) / MOST_KILLS) : 1;
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
