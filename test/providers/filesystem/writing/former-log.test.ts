// The change log of earlier versions in the data folder: it is moved completely or not at all, and those versions then refuse to write.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { EVERYTHING } from '../../../../src/contracts/vault.ts';
import type { Writer } from '../../../../src/contracts/writer.ts';
import type { LogFolders } from '../../../../src/providers/filesystem/file-task.ts';
import { FileThreadPool } from '../../../../src/providers/filesystem/file-threads.ts';
import { THREAD_SCRIPT } from '../../../../src/providers/filesystem/filesystem-provider.ts';
import { createFolderWriter } from '../../../../src/providers/filesystem/writer-provider.ts';
import { realDisk } from '../../../../src/providers/filesystem/writing/disk.ts';
import { moveFormerLog } from '../../../../src/providers/filesystem/writing/former-log.ts';
import { logFolders } from '../../../../src/providers/filesystem/writing/logged-change.ts';
import { createVaultFolder, ownFoldersOf, type VaultFolder } from '../vault-folder.ts';
import { dyingDisk, isKilled, Killed } from './faulty-disks.ts';
import { openWriter } from './open-writer.ts';
import { bytes, note, openWorkbench } from './workbench.ts';

const { signal } = new AbortController();
const by = { tool: 'a_test', client: '' };
const create = (path: string, text: string) => ({ kind: 'create', path: note(path), bytes: bytes(text) }) as const;
const LONG_TEXT = 'x'.repeat(1_500_000);
const nothing = (): void => undefined;

/** A vault that an earlier version wrote: two changes, one of them in several reads, the first replaced by the second. */
async function inFormer(work: (folder: VaultFolder, folders: LogFolders) => Promise<void> | void): Promise<void> {
  const folder = createVaultFolder();
  const folders = logFolders(ownFoldersOf(folder));
  try {
    const earlier = openWorkbench(folder, [], folders.formerLog);
    earlier.apply({ ...by, operations: [create('Note.md', LONG_TEXT)] });
    const replace = { kind: 'replace', path: note('Note.md'), before: earlier.hash('Note.md') } as const;
    earlier.apply({ ...by, operations: [{ ...replace, bytes: bytes('short') }] });
    await work(folder, folders);
  } finally {
    folder.delete();
  }
}

const changesIn = (log: string): string[] =>
  existsSync(log)
    ? readdirSync(log)
        .filter((name) => /^chg_.*\.(?:done|committed|taken_back)$/.test(name))
        .toSorted()
    : [];
const hasMark = (log: string): boolean => readdirSync(log).some((name) => name.startsWith('chg_000000000_'));

/** The writer of a version that keeps its change log in `log`. */
async function withWriter(folder: VaultFolder, log: string, work: (writer: Writer) => Promise<void>): Promise<void> {
  const setup = { root: folder.root, exclude: [], read: EVERYTHING, write: EVERYTHING };
  const threads = new FileThreadPool(THREAD_SCRIPT, setup, 20_000, 1);
  try {
    await work(createFolderWriter(threads, { log, formerLog: join(folder.outside, 'none') }));
  } finally {
    await threads.close();
  }
}

it('the changes of the former log are listed and undone byte for byte', () =>
  inFormer(async (folder, { formerLog }) => {
    const { capability: writer, close } = await openWriter(folder);
    const [{ id = '' } = {}, ...older] = await writer.changes(10, signal);
    assert.equal(older.length, 1);
    const { operations } = await writer.inverse(id, signal);
    await writer.apply({ ...by, operations, undoes: id }, signal);
    assert.equal(readFileSync(join(folder.root, 'Note.md'), 'utf8'), LONG_TEXT);
    assert.equal(readdirSync(formerLog).length, 1, 'only the mark stays');
    await close();
  }));

it('a change that an earlier version left half made is finished', () =>
  inFormer(async (folder, { formerLog }) => {
    const die = (point: string): void => {
      if (point === 'committed') throw new Killed();
    };
    const earlier = openWorkbench(folder, [], formerLog);
    assert.throws(() => earlier.apply({ ...by, operations: [create('Half.md', 'made')] }, { at: die }), Killed);
    const { capability: writer, close } = await openWriter(folder);
    assert.deepEqual(
      (await writer.recover(signal)).map(({ outcome }) => outcome),
      ['finished'],
    );
    assert.equal(readFileSync(join(folder.root, 'Half.md'), 'utf8'), 'made');
    await close();
  }));

it('an earlier version refuses every task once its log was moved, also one that runs since before', () =>
  inFormer(async (folder, { formerLog }) => {
    const operations = [create('Theirs.md', 'theirs')];
    const refused = { code: 'FILE_WRITE_FAILED', details: { errno: 'EBADMSG', original_intact: true } };
    const isRefused = (error: { code: string; details: object }): boolean => {
      const { errno, original_intact } = error.details as { errno: string; original_intact: boolean };
      assert.deepEqual({ code: error.code, details: { errno, original_intact } }, refused);
      return true;
    };
    await withWriter(folder, formerLog, async (running) => {
      await running.recover(signal);
      const { capability: writer, close } = await openWriter(folder);
      await writer.recover(signal);
      await close();
      await assert.rejects(running.apply({ ...by, operations }, signal), isRefused);
    });
    await withWriter(folder, formerLog, async (started) => {
      for (const work of [
        () => started.recover(signal),
        () => started.apply({ ...by, operations }, signal),
        () => started.check({ ...by, operations }, signal),
        () => started.changes(10, signal),
        () => started.inverse(undefined, signal),
      ])
        await assert.rejects(work(), isRefused);
    });
    assert.deepEqual(readdirSync(folder.root), ['Note.md']);
  }));

it('a log that an earlier version began later is moved before the next change', async () => {
  const folder = createVaultFolder();
  const { log, formerLog } = logFolders(ownFoldersOf(folder));
  const { capability: writer, close } = await openWriter(folder);
  await writer.recover(signal);
  openWorkbench(folder, [], formerLog).apply({ ...by, operations: [create('Theirs.md', 'theirs')] });
  await writer.apply({ ...by, operations: [create('Mine.md', 'mine')] }, signal);
  assert.equal(changesIn(log).length, 2);
  assert.ok(hasMark(formerLog));
  await close();
  folder.delete();
});

it('the move waits while an earlier version holds its lock', () =>
  inFormer(async (folder, { log, formerLog }) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'lock-child.ts'), formerLog]);
    while (!existsSync(join(formerLog, 'lock'))) await pause(5);
    const { capability: writer, close } = await openWriter(folder);
    const recovering = writer.recover(signal);
    while (!readdirSync(formerLog).some((name) => name.startsWith('lock.'))) await pause(5);
    assert.deepEqual([changesIn(log), hasMark(formerLog)], [[], false]);
    child.kill('SIGKILL');
    await Promise.all([recovering, once(child, 'exit')]);
    assert.deepEqual([changesIn(log).length, hasMark(formerLog)], [2, true]);
    await close();
  }));

it('killed at any step, all changes are in one of the two logs, and the next move completes it', () =>
  inFormer((folder, folders) => {
    const { log, formerLog } = folders;
    const [names, kept] = [changesIn(formerLog), join(folder.outside, 'kept')];
    cpSync(formerLog, kept, { recursive: true });
    let isDone = false;
    for (let call = 0; !isDone; call += 1) {
      for (const each of [log, formerLog]) rmSync(each, { recursive: true, force: true });
      cpSync(kept, formerLog, { recursive: true });
      mkdirSync(log, { recursive: true });
      isDone = !isKilled(() => moveFormerLog(dyingDisk(call), folders, nothing));
      assert.deepEqual(changesIn(hasMark(formerLog) ? log : formerLog), names, `killed at call ${call}`);
      // This process, which only played dead, still counts as the holder.
      for (const name of readdirSync(formerLog).filter((each) => each.startsWith('lock')))
        rmSync(join(formerLog, name), { recursive: true });
      moveFormerLog(realDisk, folders, nothing);
      assert.deepEqual([changesIn(log), changesIn(formerLog)], [names, []], `after call ${call}`);
      for (const name of names) assert.ok(readFileSync(join(log, name)).equals(readFileSync(join(kept, name))));
    }
  }));

it('a copy that an interrupted move left at another stage does not count', () =>
  inFormer((_folder, folders) => {
    const [first = ''] = changesIn(folders.formerLog);
    mkdirSync(folders.log, { recursive: true });
    writeFileSync(join(folders.log, first.replace('.done', '.committed')), 'old');
    const names = changesIn(folders.formerLog);
    moveFormerLog(realDisk, folders, nothing);
    assert.deepEqual(changesIn(folders.log), names);
  }));

it('a state folder that cannot be created fails writes, naming it and the errno, and leaves the former log in use', () =>
  inFormer(async (folder, { log, formerLog }) => {
    writeFileSync(join(folder.outside, 'state'), 'a file in its place');
    const { capability: writer, close } = await openWriter(folder);
    const named = { path: `the change log in ${log}`, errno: 'ENOTDIR', step: 'mkdir', original_intact: true };
    for (const work of [
      () => writer.recover(signal),
      () => writer.apply({ ...by, operations: [create('New.md', 'new')] }, signal),
    ])
      await assert.rejects(work(), { code: 'FILE_WRITE_FAILED', details: named });
    assert.deepEqual([changesIn(formerLog).length, readdirSync(folder.root)], [2, ['Note.md']]);
    rmSync(join(folder.outside, 'state'));
    await writer.apply({ ...by, operations: [create('New.md', 'new')] }, signal);
    assert.equal((await writer.changes(10, signal)).length, 3, 'written once the folder can be made');
    await close();
  }));
