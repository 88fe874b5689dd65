// Two writers that share no lock, as on two computers, change one note at the same time: no text that one of them confirmed is lost.
import assert from 'node:assert/strict';
import { linkSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { VaultgraphError } from '../../../../src/base/errors.ts';
import type { FileOperation } from '../../../../src/contracts/writer.ts';
import { newId } from '../../../../src/providers/filesystem/writing/logged-change.ts';
import { scratchNames } from '../../../../src/providers/filesystem/writing/scratch-names.ts';
import { inBench } from './change-kinds.ts';
import { isChanging, quickDisk, watchedDisk } from './faulty-disks.ts';
import { assertClean, bytes, note, openWorkbench, type Workbench } from './workbench.ts';

const ANSWERS = ['WRITE_CONFLICT', 'NOTE_EXISTS', 'FILE_UNREADABLE'];
const NEVER = Number.POSITIVE_INFINITY;
const by = { tool: 'a_test', client: 'a client' };

type Deed = 'replace' | 'move' | 'trash';
const DEEDS: readonly Deed[] = ['replace', 'move', 'trash'];

function operationOf(deed: Deed, before: string, who: string): FileOperation {
  const path = note('Note.md');
  if (deed === 'move') return { kind: 'move', path, to: note(`${who}.md`), before };
  return deed === 'trash' ? { kind: deed, path, before } : { kind: deed, path, before, bytes: bytes(who) };
}

/** @returns whether it was confirmed */
function makes(bench: Workbench, operation: FileOperation, disk = quickDisk): boolean {
  try {
    bench.apply({ ...by, operations: [operation] }, { disk });
    return true;
  } catch (thrown) {
    if (thrown instanceof VaultgraphError && ANSWERS.includes(thrown.code)) return false;
    throw thrown;
  }
}

/** The second writer makes its whole change before a call of the first one. @returns how many calls there are */
function interleave(ours: Deed, theirs: Deed, moment: number): number {
  return inBench((bench) => {
    const other = openWorkbench(bench.folder, [], join(bench.folder.outside, 'another log'));
    const before = bench.hash('Note.md');
    const old = readFileSync(join(bench.folder.root, 'Note.md'), 'latin1');
    let calls = 0;
    let isTheirsMade = false;
    const disk = watchedDisk((name, given) => {
      if (!isChanging(name, given) && name !== 'closeSync') return;
      if (calls++ === moment) isTheirsMade = makes(other, operationOf(theirs, before, 'theirs'));
    });
    const isOursMade = makes(bench, operationOf(ours, before, 'ours'), disk);
    const what = `${ours} and ${theirs} before call ${moment} of ${calls}: ${isOursMade} ${isTheirsMade}`;
    const texts = [...bench.snapshot().values()].map((text) => text.replace(/^\d+ /, ''));
    for (const [isMade, deed, who] of [
      [isOursMade, ours, 'ours'],
      [isTheirsMade, theirs, 'theirs'],
    ] as const)
      if (isMade && deed === 'replace') assert.ok(texts.includes(who), `${what}: lost`);
    const isReplaced = (isOursMade && ours === 'replace') || (isTheirsMade && theirs === 'replace');
    assert.ok(isReplaced || texts.includes(old), `${what}: lost`);
    assertClean(bench);
    assertClean(other);
    return calls;
  });
}

for (const ours of DEEDS)
  for (const theirs of DEEDS)
    test(`${ours} during which another writer makes a ${theirs}`, () => {
      const calls = interleave(ours, theirs, NEVER);
      assert.ok(calls > 5);
      for (let moment = 0; moment < calls; moment += 1) interleave(ours, theirs, moment);
    });

/** @returns whether a note can be replaced beside the backup that another writer began to make so long ago */
function isReplacedBeside(ageMs: number): boolean {
  return inBench((bench) => {
    const { backup } = scratchNames(newId(Date.now() - ageMs), 0);
    linkSync(join(bench.folder.root, 'Note.md'), join(bench.folder.root, backup));
    return makes(bench, operationOf('replace', bench.hash('Note.md'), 'ours'));
  });
}

test('what a killed writer left excludes another one for a minute', () => {
  assert.equal(isReplacedBeside(1_000), false);
  assert.equal(isReplacedBeside(120_000), true);
});

test('a note with several names is replaced', () =>
  inBench((bench) => {
    for (const name of ['a backup', '.vaultgraph-chg_0-0.old.tmp'])
      linkSync(join(bench.folder.root, 'Note.md'), join(bench.folder.root, name));
    assert.equal(makes(bench, operationOf('replace', bench.hash('Note.md'), 'ours')), true);
  }));
