// Tests that after random edits of a watched folder the index equals a cold one.
import assert from 'node:assert/strict';
import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { runs } from '../../runner/effort.ts';
import { coldRebuild, contentOf } from '../index-under-test.ts';
import { withWatch } from './watch-under-test.ts';

const NAMES = ['a', 'B', 'b', 'n.md', 'N.md', 'o.md', 'na\u0308.md', 'p.canvas', 'i.png', '.hidden', 'x.tmp'];
const RUNS = runs(10);
/** A wait of about this length meets a look now and then. */
const MAX_PAUSE_MS = 120;

const path = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
const edit = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('write' as const), path, word: fc.nat(99) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('save' as const), path, word: fc.nat(99) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('move' as const), path, to: path }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), path }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('folder' as const), path }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pause' as const), ms: fc.nat(MAX_PAUSE_MS) }) },
);
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

const isFolder = (at: string): boolean => existsSync(at) && lstatSync(at).isDirectory();

/** A file is never in the way: a path through one replaces it by a folder. */
function makeWay(root: string, at: string): void {
  const folder = dirname(at);
  if (folder === root || isFolder(folder)) return;
  makeWay(root, folder);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
}

async function perform(root: string, step: Edit): Promise<void> {
  if (step.kind === 'pause') return sleep(step.ms);
  const at = join(root, step.path);
  if (step.kind === 'remove') return rmSync(at, { recursive: true, force: true });
  if (step.kind === 'move') return move(root, at, join(root, step.to));
  makeWay(root, at);
  if (step.kind === 'folder') {
    if (!existsSync(at)) mkdirSync(at);
    return;
  }
  if (isFolder(at)) rmSync(at, { recursive: true });
  const text = `[[n]] [[o.md]] word${step.word}\n`;
  if (step.kind === 'write') return writeFileSync(at, text);
  writeFileSync(`${at}~`, text);
  renameSync(`${at}~`, at);
}

function move(root: string, from: string, to: string): void {
  if (!existsSync(from) || to === from || to.startsWith(`${from}/`)) return;
  makeWay(root, to);
  if (!existsSync(from)) return;
  rmSync(to, { recursive: true, force: true });
  if (existsSync(from)) renameSync(from, to);
}

test('V11 after random edits of a watched vault the index equals a cold one', { timeout: 300_000 }, () =>
  fc.assert(
    fc.asyncProperty(fc.array(edit, { minLength: 10, maxLength: 40 }), (steps) =>
      withWatch(async (under) => {
        const { folder, store } = under;
        // So many that no edit looks like the loss of the vault.
        for (let n = 0; n < 60; n += 1) folder.put(`kept/Note ${n}.md`, `[[n]] kept${n}\n`);
        await under.begun();
        for (const step of steps) await perform(folder.root, step);
        await under.caughtUp();
        assert.deepEqual(await contentOf(store), await coldRebuild(under));
        assert.equal(under.watch.state.mode, 'events');
      }),
    ),
    {
      numRuns: RUNS,
      interruptAfterTimeLimit: 120_000,
      markInterruptAsFailure: false,
      endOnFailure: true,
    },
  ),
);
