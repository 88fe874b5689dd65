// Checks that a file that changed in any way is never answered from what is kept of it, and that others are not read again.
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NotePath } from '../../../src/base/note.ts';
import type { FileContent, Vault } from '../../../src/contracts/vault.ts';
import { KeptContents } from '../../../src/providers/filesystem/folder-vault.ts';
import { assertEach } from '../../assert-each.ts';
import { createVaultFolder, openVault } from './vault-folder.ts';

const { signal } = new AbortController();
/** After it, a change gives a file other times than it has. */
const SETTLED_MS = 3_200;

const CHANGES: Readonly<Record<string, (file: string, root: string) => void>> = {
  'written.md': (file) => writeFileSync(file, 'other text'),
  'same-size.md': (file) => writeFileSync(file, 'TEXT'),
  'same-size-and-time.md': (file) => {
    const { atimeMs, mtimeMs } = statSync(file);
    writeFileSync(file, 'TEXT');
    utimesSync(file, atimeMs / 1_000, mtimeMs / 1_000);
  },
  'replaced.md': (file) => {
    writeFileSync(`${file}.new`, 'TEXT');
    renameSync(`${file}.new`, file);
  },
  'removed.md': (file) => rmSync(file),
  'a-folder.md': (file) => {
    rmSync(file);
    mkdirSync(file);
  },
  'linked.md': (file, root) => {
    renameSync(file, join(root, '../linked.md'));
    symlinkSync(join(root, '../linked.md'), file);
  },
  'moved/folder/linked.md': (_file, root) => {
    renameSync(join(root, 'moved'), join(root, '../moved'));
    symlinkSync(join(root, '../moved'), join(root, 'moved'));
  },
};
const UNCHANGED = ['Kept.md', 'deep/er/Kept 灯.md'];

async function kept(vault: Vault, paths: readonly string[]) {
  const { succeeded, failed } = await vault.readKept(paths as NotePath[], signal);
  const contents = new Map<string, FileContent>(succeeded.map(({ id, result }) => [id, result]));
  return { contents, codes: new Map<string, string>(failed.map(({ id, error }) => [id, error.code])) };
}

const textOf = (content: FileContent | undefined): string => new TextDecoder().decode(content?.bytes);

test('every change of a file is seen, and a file without one is not read again', async () => {
  const folder = createVaultFolder();
  const { vault, close } = await openVault(folder);
  const paths = [...Object.keys(CHANGES), ...UNCHANGED];
  for (const path of paths) folder.put(path, 'text');
  try {
    await sleep(SETTLED_MS);
    const first = await kept(vault, paths);
    assert.deepEqual([...first.contents.values()].map(textOf), Array(paths.length).fill('text'));
    const again = await kept(vault, paths);
    for (const path of paths)
      assert.equal(again.contents.get(path), first.contents.get(path), `${path} was read again`);
    for (const [path, change] of Object.entries(CHANGES)) change(join(folder.root, path), folder.root);
    const { contents, codes } = await kept(vault, paths);
    const read = await vault.read(paths as NotePath[], signal);
    assert.deepEqual(
      [...contents].map(([path, content]) => [path, textOf(content)]),
      read.succeeded.map(({ id, result }) => [id, textOf(result)]),
    );
    assert.deepEqual(
      [...codes],
      read.failed.map(({ id, error }) => [id, error.code]),
    );
    const texts = ['written.md', 'same-size.md', 'same-size-and-time.md', 'replaced.md'];
    assertEach(texts, (path) => textOf(contents.get(path)), ['other text', 'TEXT', 'TEXT', 'TEXT']);
    assert.deepEqual(
      ['removed.md', 'a-folder.md', 'linked.md', 'moved/folder/linked.md'].map((path) => codes.get(path)),
      ['FILE_UNREADABLE', 'FILE_UNREADABLE', 'PATH_NOT_ALLOWED', 'PATH_NOT_ALLOWED'],
    );
    for (const path of UNCHANGED) assert.equal(contents.get(path), first.contents.get(path));
  } finally {
    await close();
    folder.delete();
  }
});

test('a file that was changed just now is read again each time, and none is kept for `read`', async () => {
  const folder = createVaultFolder();
  const { vault, close } = await openVault(folder);
  try {
    folder.put('New.md', 'one');
    assert.equal(textOf((await kept(vault, ['New.md'])).contents.get('New.md')), 'one');
    folder.put('New.md', 'two');
    assert.equal(textOf((await kept(vault, ['New.md'])).contents.get('New.md')), 'two');
    await sleep(SETTLED_MS);
    const { contents } = await kept(vault, ['New.md']);
    const own = await vault.read(['New.md'] as NotePath[], signal);
    assert.notEqual(own.succeeded[0]?.result.bytes, contents.get('New.md')?.bytes, 'the bytes are shared');
    structuredClone(own.succeeded[0]?.result.bytes, {
      transfer: [own.succeeded[0]?.result.bytes.buffer as ArrayBuffer],
    });
    assert.equal(textOf((await kept(vault, ['New.md'])).contents.get('New.md')), 'two');
  } finally {
    await close();
    folder.delete();
  }
});

test('what was used last is kept, within four megabytes, and no large file', () => {
  const contents = new KeptContents();
  const content = (path: string, length: number): FileContent => ({
    ...{ path: path as NotePath, bytes: new Uint8Array(length), sizeBytes: length, modifiedMs: 0, stamp: path },
  });
  const paths = Array.from({ length: 40 }, (_, at) => `${at}.md`);
  const held = (): string[] => [...contents.at([...paths, 'large.md']).keys()];
  for (const path of paths) contents.use(content(path, 250_000));
  assert.deepEqual(held(), paths.slice(-16));
  contents.use(content('large.md', 300_000));
  contents.use(contents.at(['24.md']).get('24.md' as NotePath) as FileContent);
  contents.use(content('0.md', 250_000));
  assert.deepEqual(held(), ['0.md', '24.md', ...paths.slice(26)]);
  const { stamp: _, ...unsettled } = content('30.md', 10);
  contents.use(unsettled);
  assert.ok(!held().includes('30.md'));
  contents.clear();
  assert.deepEqual(held(), []);
});
