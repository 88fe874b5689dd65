// A change is interrupted, and other programs edit a note that it had reached and one that it had not.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { listChanges } from '../../../../src/providers/filesystem/writing/inverse-change.ts';
import { inBench } from './change-kinds.ts';
import { Killed } from './faulty-disks.ts';
import { assertClean, bytes, note, type Workbench } from './workbench.ts';

const by = { tool: 'test', client: '' };
const NAMES = ['one.md', 'two.md', 'three.md', 'four.md'];

/** Replaces four notes and is killed when it has reached two of them. */
function interrupt(bench: Workbench): void {
  bench.apply({
    ...by,
    operations: NAMES.map((path) => ({ kind: 'create', path: note(path), bytes: bytes(`old ${path}`) })),
  });
  const operations = NAMES.map(
    (path) => ({ kind: 'replace', path: note(path), before: bench.hash(path), bytes: bytes(`new ${path}`) }) as const,
  );
  let reached = 0;
  const at = (point: string): void => {
    if (point === 'applied') reached += 1;
    if (reached === 2) throw new Killed();
  };
  assert.throws(() => bench.apply({ ...by, operations }, { at }), Killed);
}

const textsIn = (bench: Workbench): string[] =>
  NAMES.map((name) => String(bench.snapshot().get(name)).replace(/^\d+ /, ''));

it('a note that was edited after the change had reached it is named, and the outcome is not taken_back', () => {
  inBench((bench) => {
    interrupt(bench);
    bench.folder.put('one.md', 'new one.md, edited');
    bench.folder.put('four.md', 'old four.md, edited');
    const [recovered] = bench.recover();
    assert.deepEqual([recovered?.outcome, recovered?.kept], ['partly_taken_back', ['one.md']]);
    assert.deepEqual(textsIn(bench), ['new one.md, edited', 'old two.md', 'old three.md', 'old four.md, edited']);
    assert.equal(listChanges(bench.log, 1)[0]?.state, 'partly_taken_back');
    assertClean(bench);
  });
});

it('a note that was edited before the change had reached it keeps the edit, and all others their old texts', () => {
  inBench((bench) => {
    interrupt(bench);
    bench.folder.put('three.md', 'old three.md, edited');
    const [recovered] = bench.recover();
    assert.deepEqual([recovered?.outcome, recovered?.kept], ['taken_back', undefined]);
    assert.deepEqual(textsIn(bench), ['old one.md', 'old two.md', 'old three.md, edited', 'old four.md']);
    assertClean(bench);
  });
});
