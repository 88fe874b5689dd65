// Processes that are killed during a change, at each failpoint and at random, and several that write to one note.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Failpoint } from '../../../../src/providers/filesystem/writing/write-context.ts';
import { createVaultFolder, type VaultFolder } from '../vault-folder.ts';
import { inBench, KINDS, type Kind } from './change-kinds.ts';
import { logFolderOf, openWriter } from './open-writer.ts';
import { assertClean, openWorkbench, type Snapshot } from './workbench.ts';

const KILL_CHILD = join(import.meta.dirname, 'kill-child.ts');
const WRITER_CHILD = join(import.meta.dirname, 'writer-child.ts');
const ROUNDS = 15;
const WRITERS = ['anna', 'bert', 'cleo', 'dora'];
const WRITES_EACH = 50;
const { signal } = new AbortController();
const skip = process.platform === 'win32' ? 'Windows has no signals' : false;

function start(script: string, ...given: string[]): ChildProcess {
  return spawn(process.execPath, [script, ...given], { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function inVault(work: (folder: VaultFolder) => Promise<void>): Promise<void> {
  const folder = createVaultFolder();
  try {
    await work(folder);
  } finally {
    folder.delete();
  }
}

/** What the vault is before and after, and each failpoint as often as it is passed. */
function courseOf(kind: Kind) {
  return inBench((bench) => {
    const request = kind.request(bench);
    const before = bench.snapshot();
    const points: Failpoint[] = [];
    bench.apply(request, { at: (point) => void points.push(point) });
    return { before, after: bench.snapshot(), points };
  });
}

async function killedAt(kind: Kind, point: Failpoint, occurrence: number, before: Snapshot, after: Snapshot) {
  await inVault(async (folder) => {
    const child = start(KILL_CHILD, folder.outside, kind.title, point, `${occurrence}`);
    assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL']);
    const bench = openWorkbench(folder);
    const [reported] = bench.recover();
    assertClean(bench);
    const isMade = reported === undefined ? point === 'done' : reported.outcome === 'finished';
    assert.deepEqual(bench.snapshot(), isMade ? after : before);
    const isCommitted = !['planned', 'begun', 'folders', 'prepared'].includes(point);
    assert.equal(isMade, isCommitted, `${point}: ${reported?.outcome}`);
  });
}

describe('V8 V15 kill -9 at each failpoint: all or nothing after the next start, which says which', { skip }, () => {
  const titles = ['replace', 'move and edit', 'restore'];
  for (const kind of KINDS.filter(({ title }) => titles.includes(title) || title.startsWith('move a folder of five'))) {
    it(kind.title, { timeout: 120_000 }, async () => {
      const { before, after, points } = courseOf(kind);
      assert.ok(points.length >= 8);
      const kills = points.map(
        (point, at) => [point, points.slice(0, at).filter((each) => each === point).length] as const,
      );
      const others = kills.slice(1);
      // Two at a time, as there are processors for.
      while (others.length > 0) {
        await Promise.all(others.splice(0, 2).map(([point, nth]) => killedAt(kind, point, nth, before, after)));
      }
    });
  }
});

it('V8 V15 after kills at random times, three files always belong to one round', {
  skip,
  timeout: 120_000,
}, async () => {
  await inVault(async (folder) => {
    for (const [path, text] of [
      ['Note.md', '0'],
      ['deep/Hub.md', '0'],
      ['0.md', 'moves'],
    ] as const)
      folder.put(path, text);
    mkdirSync(logFolderOf(folder), { recursive: true });
    let last = 0;
    for (let kill = 0; kill < ROUNDS; kill += 1) {
      const child = start(WRITER_CHILD, folder.outside, 'rounds', 'a client');
      const seen = readdirSync(logFolderOf(folder)).length;
      while (readdirSync(logFolderOf(folder)).length === seen && child.exitCode === null) await pause(2);
      await pause(Math.random() * 60);
      child.kill('SIGKILL');
      await once(child, 'exit');
      last = await roundAfterRecovery(folder, last);
    }
    assert.ok(last > 0, 'it was never let to make one');
  });
});

async function roundAfterRecovery(folder: VaultFolder, last: number): Promise<number> {
  const { capability: writer, close } = await openWriter(folder);
  const reported = await writer.recover(signal);
  await close();
  assert.ok(reported.length <= 1);
  assertClean(openWorkbench(folder, [], logFolderOf(folder)));
  const read = (path: string): string => readFileSync(join(folder.root, path), 'utf8');
  const round = Number(read('Note.md'));
  assert.ok(round >= last);
  assert.equal(Number(read('deep/Hub.md')), round);
  assert.deepEqual(readdirSync(folder.root).toSorted(), [`${round}.md`, 'Note.md', 'deep'].toSorted());
  assert.equal(read(`${round}.md`), 'moves');
  return round;
}

it('200 concurrent writes to one note by four processes are each made or refused, in one chain', {
  timeout: 120_000,
}, async () => {
  await inVault(async (folder) => {
    folder.put('Note.md', 'first');
    const children = WRITERS.map((name) => start(WRITER_CHILD, folder.outside, 'race', name, `${WRITES_EACH}`));
    const outcomes = await Promise.all(children.map(outcomesOf));
    const all = outcomes.flatMap((each) => Object.entries(each));
    assert.deepEqual([...new Set(all.map(([code]) => code))].toSorted(), ['WRITE_CONFLICT', 'done']);
    assert.equal(
      all.reduce((sum, [, times]) => sum + times, 0),
      WRITERS.length * WRITES_EACH,
    );
    const done = all.reduce((sum, [code, times]) => sum + (code === 'done' ? times : 0), 0);
    const bench = openWorkbench(folder, [], logFolderOf(folder));
    assertClean(bench);
    const { capability: writer, close } = await openWriter(folder);
    const files = (await writer.changes(1_000, signal)).toReversed().map(({ files: [file] }) => file);
    await close();
    assert.equal(files.length, done);
    assert.ok(done >= WRITERS.length);
    for (const [at, file] of files.entries())
      assert.equal(file?.before, at === 0 ? file?.before : files[at - 1]?.after);
    assert.equal(bench.hash('Note.md'), files.at(-1)?.after);
    assert.match(readFileSync(join(folder.root, 'Note.md'), 'utf8'), /^(?:anna|bert|cleo|dora) \d+$/);
  });
});

async function outcomesOf(child: ChildProcess): Promise<Record<string, number>> {
  let reported = '';
  child.stdout?.on('data', (piece: Buffer) => {
    reported += piece;
  });
  const [code] = await once(child, 'close');
  assert.equal(code, 0);
  return JSON.parse(reported) as Record<string, number>;
}
