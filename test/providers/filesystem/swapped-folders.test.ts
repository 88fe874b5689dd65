// Reads while another process swaps folders of the vault for links to folders outside: what is outside is never read or listed.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import type { NotePath } from '../../../src/base/note.ts';
import type { Vault } from '../../../src/contracts/vault.ts';
import { runs } from '../../runner/effort.ts';
import { createVaultFolder, openVault, type VaultFolder } from './vault-folder.ts';

const CHILD = join(import.meta.dirname, 'swap-child.ts');
/** Makes a broken test fail instead of hanging the run. */
const MAX_TEST_MS = 180_000;
const { signal } = new AbortController();
const SWAPPED = ['shared', '.obsidian'];
const SETTINGS = '.obsidian/daily-notes.json';
/** Each note is in another folder than the one before, so that each read opens its folder. */
const NOTES = Array.from({ length: 10 }, (_, n) =>
  ['shared', 'kept', 'shared/deep'].map((folder) => `${folder}/${n}.md`),
);
const PATHS = NOTES.flat() as NotePath[];
const skip = process.platform === 'linux' ? (false as const) : 'only Linux has paths that go through a descriptor';

function fill(folder: VaultFolder): void {
  for (const path of PATHS) folder.put(path, 'inside');
  folder.put(SETTINGS, 'inside');
  for (const path of [...PATHS, 'shared/Secret.md', SETTINGS]) {
    mkdirSync(dirname(join(folder.outside, path)), { recursive: true });
    writeFileSync(join(folder.outside, path), 'outside');
  }
}

async function startSwapping({ root, outside }: VaultFolder): Promise<ChildProcess> {
  const child = spawn(process.execPath, [CHILD, root, outside, ...SWAPPED], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout as NonNullable<ChildProcess['stdout']>, 'data');
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

function whileSwapping(title: string, check: (vault: Vault) => Promise<void>): void {
  it(title, { skip, timeout: MAX_TEST_MS }, async () => {
    const folder = createVaultFolder();
    fill(folder);
    const child = await startSwapping(folder);
    const { vault, close } = await openVault(folder);
    try {
      await check(vault);
    } finally {
      await close();
      await stop(child);
      folder.delete();
    }
  });
}

whileSwapping('V9 a note is not read from outside while its folder is swapped', async (vault) => {
  const seen = new Set<string>();
  // A busy machine may run the other process late.
  for (let batch = 0; batch < runs(2_000) || !seen.has('PATH_NOT_ALLOWED'); batch += 1) {
    const { succeeded, failed } = await vault.read(PATHS, signal);
    for (const { result } of succeeded) seen.add(new TextDecoder().decode(result.bytes));
    for (const { error } of failed) seen.add(error.code);
  }
  seen.delete('FILE_UNREADABLE');
  assert.deepEqual([...seen].toSorted(), ['PATH_NOT_ALLOWED', 'inside']);
});

whileSwapping('V9 nothing outside is listed while a folder is swapped', async (vault) => {
  const listed = new Set<string>();
  for (let round = 0; round < runs(2_000); round += 1)
    for (const { path } of (await vault.list(signal)).files) listed.add(path);
  assert.deepEqual([...listed].toSorted(), PATHS.toSorted());
});

whileSwapping('V9 settings are not read from outside while their folder is swapped', async (vault) => {
  const texts = new Set<string>();
  for (let round = 0; round < runs(4_000); round += 1) {
    const settings = await vault.settings('daily-notes', signal);
    if (settings.result === 'text') texts.add(settings.text);
  }
  assert.deepEqual([...texts], ['inside']);
});
