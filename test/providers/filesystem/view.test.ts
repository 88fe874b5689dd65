// Tests that a vault with a view lists, reads and watches nothing of what is outside, as if it did not exist.
import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { NotePath } from '../../../src/base/note.ts';
import type { Vault } from '../../../src/contracts/vault.ts';
import { assertEach } from '../../assert-each.ts';
import { listenTo } from '../../contracts/vault.ts';
import { createVaultFolder, openVault, type VaultFolder } from './vault-folder.ts';

const { signal } = new AbortController();
const READ = ['**', '!Diary/**', '!Work/Sjö/**'];

async function withView(check: (folder: VaultFolder, vault: Vault) => Promise<void>): Promise<void> {
  const folder = createVaultFolder();
  folder.put('Work/a.md', 'a');
  folder.put('Diary/secret.md', 'secret');
  folder.put('Work/Sjo\u0308/decomposed.md', 'hidden');
  symlinkSync(join(folder.root, 'Work/a.md'), join(folder.root, 'Diary/link.md'));
  symlinkSync(join(folder.root, 'Diary'), join(folder.root, 'Way'));
  const { vault, close } = await openVault(folder, [], 'read-only', { read: READ });
  try {
    await check(folder, vault);
  } finally {
    await close();
    folder.delete();
  }
}

async function errorOf(vault: Vault, path: string): Promise<unknown[]> {
  const { failed } = await vault.read([path as NotePath], signal);
  const [{ error } = {}] = failed;
  return [error?.code, (error?.details as { errno?: string; rule?: string })?.errno];
}

test('a listing has nothing of what is outside, not even a link', () =>
  withView(async (_folder, vault) => {
    const { files, skipped, unreadableFolders } = await vault.list(signal);
    assertEach(files, ({ path }) => path, ['Work/a.md']);
    assertEach(skipped, ({ path }) => path, ['Way']);
    assert.deepEqual(unreadableFolders, []);
    const at = await vault.listAt(['Diary/secret.md', 'Diary/none.md'] as NotePath[], signal);
    assert.deepEqual([at.files, at.skipped], [[], []]);
    const whole = await vault.view?.whole?.list(signal);
    assert.deepEqual(whole?.files.length, 3);
  }));

test('a file outside reads like one that does not exist, in every spelling', () =>
  withView(async (_folder, vault) => {
    const missing = await errorOf(vault, 'Work/none.md');
    assert.deepEqual(missing, ['FILE_UNREADABLE', 'ENOENT']);
    for (const path of [
      ...['Diary/secret.md', 'Diary/none.md', 'diary/SECRET.md', 'DIARY/secret.md', 'Diary/link.md'],
      ...['Work/Sj\u00f6/decomposed.md', 'Work/Sjo\u0308/decomposed.md', 'work/SJ\u00d6/decomposed.md'],
    ])
      assert.deepEqual(await errorOf(vault, path), missing, path);
    assert.deepEqual(await errorOf(vault, 'Work/a.md/x.md'), ['FILE_UNREADABLE', 'ENOTDIR']);
    assert.equal((await errorOf(vault, 'Way/secret.md'))[0], 'PATH_NOT_ALLOWED');
  }));

test('a change outside is not reported', () =>
  withView(async (folder, vault) => {
    const { heard, until, close } = await listenTo(vault);
    folder.put('Diary/secret.md', 'changed');
    folder.put('Diary/2026/new.md', 'new');
    folder.remove('Diary/link.md');
    folder.put('Work/a.md', 'changed');
    await until(() => heard.paths.has('Work/a.md'));
    assert.deepEqual(
      [...heard.paths, ...heard.folders].filter((path) => !path.startsWith('Work/')),
      [],
    );
    await close();
  }));
