// Random changes and undos, with random outside edits in between, compared with a model in memory.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import fc from 'fast-check';
import { contentHash } from '../../../../src/base/content-hash.ts';
import { VaultgraphError } from '../../../../src/base/errors.ts';
import type { FileOperation } from '../../../../src/contracts/writer.ts';
import { runs } from '../../../runner/effort.ts';
import { quickDisk } from './faulty-disks.ts';
import { type Files, modelled } from './model.ts';
import { assertClean, bytes, note, openWorkbench, type Workbench } from './workbench.ts';

const RUNS = runs(150);
const MAX_STEPS = 40;
/** Only Linux holds two notes that differ in case alone. */
const CASE_TWINS = process.platform === 'linux' ? ['A.md', 'd/B.md'] : [];
const PATHS = ['a.md', 'a 1.md', 'b.md', 'd/a.md', 'd/b.md', 'd/e/a.md', '灯.md', ...CASE_TWINS];

const path = fc.constantFrom(...PATHS);
const text = fc.constantFrom('', 'one', 'two', 'three\r\n', '\ufefffour');

interface Draft {
  readonly kind: 'create' | 'replace' | 'move' | 'trash';
  /** Which of the notes there are; another path where it is not given. */
  readonly pick: number | undefined;
  readonly path: string;
  readonly to: string;
  readonly text: string | undefined;
  readonly isStale: boolean;
}

const rarely = fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0);
const draft: fc.Arbitrary<Draft> = fc.record({
  kind: fc.constantFrom('create', 'replace', 'move', 'move', 'trash'),
  pick: fc.option(fc.nat(20), { nil: undefined, freq: 9 }),
  path,
  to: path,
  text: fc.option(text, { nil: undefined }),
  isStale: rarely,
});

type Step =
  | { readonly do: 'change'; readonly drafts: readonly Draft[] }
  | { readonly do: 'undo'; readonly back: number }
  | { readonly do: 'edit'; readonly path: string; readonly text: string }
  | { readonly do: 'delete'; readonly path: string };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('change' as const),
      drafts: fc.array(draft, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('undo' as const), back: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('edit' as const), path, text }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), path }) },
);

interface Made {
  readonly id: string;
  readonly inverse: readonly FileOperation[];
}

interface State {
  files: Files;
  /** The changes that were not undone, oldest first. */
  made: Made[];
}

const hashOf = (files: Files, at: string): string => contentHash(bytes(files.get(at) ?? 'no such note'));

function pathOf(files: Files, { kind, pick, path: wild }: Draft): string {
  const notes = [...files.keys()].filter((each) => !each.startsWith('.trash/'));
  return kind === 'create' || pick === undefined ? wild : (notes[pick % notes.length] ?? wild);
}

function operationOf(files: Files, given: Draft): FileOperation {
  const from = note(pathOf(files, given));
  const before = given.isStale ? contentHash(bytes('stale')) : hashOf(files, from);
  const content = bytes(given.text ?? '');
  switch (given.kind) {
    case 'trash':
      return { kind: 'trash', path: from, before };
    case 'create':
      return { kind: 'create', path: from, bytes: content };
    case 'replace':
      return { kind: 'replace', path: from, before, bytes: content };
    case 'move':
      return {
        kind: 'move',
        path: from,
        to: note(given.to),
        ...(given.text === undefined ? {} : { bytes: content, before }),
      };
  }
}

/** As the contract demands: no path in two operations, in no spelling. */
function apart(operations: readonly FileOperation[]): readonly FileOperation[] {
  const taken = new Set<string>();
  return operations.filter((operation) => {
    const to = operation.kind === 'move' ? [operation.to] : [];
    const paths = [operation.path, ...to].map((each) => each.toLowerCase());
    if (to[0] === operation.path || paths.some((each) => taken.has(each))) return false;
    for (const each of paths) taken.add(each);
    return true;
  });
}

function applied(
  bench: Workbench,
  operations: readonly FileOperation[],
  undoes?: Made,
): { id: string } | { code: string } {
  try {
    const emptied = undoes === undefined ? [] : bench.inverse(undoes.id).emptied;
    const request = { operations, emptied, tool: 'a_test', client: '' };
    return bench.apply(undoes === undefined ? request : { ...request, undoes: undoes.id }, { disk: quickDisk });
  } catch (thrown) {
    if (thrown instanceof VaultgraphError) return { code: thrown.code };
    throw thrown;
  }
}

function change(bench: Workbench, state: State, operations: readonly FileOperation[], undoes?: Made): void {
  const expected = modelled(state.files, operations, undoes !== undefined);
  const found = applied(bench, operations, undoes);
  if (typeof expected === 'string') {
    assert.deepEqual(found, { code: expected });
    return;
  }
  assert.ok('id' in found, `refused with ${'code' in found && found.code}`);
  state.files = expected.files;
  state.made = state.made.filter((each) => each !== undoes);
  state.made.push({ id: found.id, inverse: expected.inverse });
}

function take(bench: Workbench, state: State, next: Step): void {
  const at = 'path' in next ? join(bench.folder.root, next.path) : '';
  if (next.do === 'change') {
    const operations = next.drafts.map((given) => operationOf(state.files, given));
    change(bench, state, apart(operations));
  } else if (next.do === 'undo') {
    const last = state.made.at(-1 - next.back);
    if (last !== undefined) change(bench, state, operationsOf(bench, last), last);
  } else if (next.do === 'edit') {
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, next.text);
    state.files = new Map(state.files).set(next.path, next.text);
  } else {
    rmSync(at, { force: true });
    state.files = new Map([...state.files].filter(([each]) => each !== next.path));
  }
}

/** What the writer itself proposes is what the model does. */
function operationsOf(bench: Workbench, { id, inverse }: Made): readonly FileOperation[] {
  const { operations } = bench.inverse(id);
  const plain = (all: readonly FileOperation[]) => all.map(({ kind, path: at }) => [kind, at]);
  assert.deepEqual(plain(operations), plain(inverse));
  return operations;
}

function filesOf(bench: Workbench): Files {
  const files = [...bench.snapshot()].filter(([each]) => !each.endsWith('/'));
  return new Map(
    files.map(([each, content]) => [each.normalize('NFC'), Buffer.from(content.slice(4), 'latin1').toString()]),
  );
}

function sorted(files: Files): [string, string][] {
  return [...files].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

it('V5 V6 V10 V16 random changes, undos and outside edits match a model in memory', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: MAX_STEPS, size: 'max' }), (steps) => {
      const bench = openWorkbench();
      try {
        const state: State = { files: new Map(), made: [] };
        for (const next of steps) {
          take(bench, state, next);
          assert.deepEqual(sorted(filesOf(bench)), sorted(state.files));
        }
        assertClean(bench);
      } finally {
        bench.folder.delete();
      }
    }),
    { numRuns: RUNS },
  );
});

it('undoing random changes from last to first restores all bytes, permissions and folders', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(draft, { minLength: 1, maxLength: 4 }), { maxLength: 12, size: 'max' }),
      (changes) => {
        const bench = openWorkbench();
        try {
          for (const [at, given] of PATHS.filter((_, index) => index % 2 === 0).entries())
            bench.folder.put(given, `${at}`);
          const before = bench.snapshot();
          const state: State = { files: filesOf(bench), made: [] };
          for (const drafts of changes) take(bench, state, { do: 'change', drafts });
          for (const { id } of state.made.toReversed()) {
            const { operations, emptied } = bench.inverse(id);
            bench.apply({ operations, emptied, undoes: id, tool: 'a_test', client: '' }, { disk: quickDisk });
          }
          assert.deepEqual(bench.snapshot(), before);
          assert.throws(() => bench.inverse(), { code: 'CHANGE_NOT_FOUND' });
        } finally {
          bench.folder.delete();
        }
      },
    ),
    { numRuns: RUNS },
  );
});
