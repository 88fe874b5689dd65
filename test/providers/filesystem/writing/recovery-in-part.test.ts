// A change is interrupted, and other programs edit a note that it had reached and one that it had not.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { VaultgraphError } from '../../../../src/base/errors.ts';
import { listChanges } from '../../../../src/providers/filesystem/writing/inverse-change.ts';
import { inBench } from './change-kinds.ts';
import { Killed } from './faulty-disks.ts';
import { assertClean, bytes, note, type Workbench } from './workbench.ts';

const by = { tool: 'test', client: '' };
const NAMES = ['one.md', 'two.md', 'three.md', 'four.md'];

/** Replaces four notes. @param meanwhile called when it has reached two of them */
function replaceAll(bench: Workbench, meanwhile: () => void): void {
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
    if (point === 'applied' && reached === 2) meanwhile();
  };
  bench.apply({ ...by, operations }, { at });
}

function interrupt(bench: Workbench): void {
  const kill = (): never => {
    throw new Killed();
  };
  assert.throws(() => replaceAll(bench, kill), Killed);
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

for (const [what, meddle] of [
  ['edited', ({ folder }: Workbench) => folder.put('one.md', 'new one.md, edited')],
  ['removed', ({ folder }: Workbench) => rmSync(join(folder.root, 'one.md'))],
] as const) {
  it(`a change that meets another program's edit is not called undone if a note that it had reached was ${what} since`, () => {
    inBench((bench) => {
      const meanwhile = (): void => {
        meddle(bench);
        bench.folder.put('three.md', 'old three.md, edited');
      };
      const failure = errorOf(() => replaceAll(bench, meanwhile));
      assert.equal(failure.code, 'FILE_WRITE_FAILED');
      assert.equal((failure.details as { original_intact?: boolean }).original_intact, false);
      const [recovered] = bench.recover();
      assert.deepEqual([recovered?.outcome, recovered?.kept], ['partly_taken_back', ['one.md']]);
      assert.deepEqual(textsIn(bench).slice(1), ['old two.md', 'old three.md, edited', 'old four.md']);
      assertClean(bench);
    });
  });
}

function errorOf(work: () => void): VaultgraphError {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof VaultgraphError) return thrown;
    throw thrown;
  }
  return assert.fail('it succeeded');
}
