// The listing of a vault that changes between two steps of the walk.
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { isEvicted } from '../../../src/base/system/evicted-file.ts';
import type { FoundFiles } from '../../../src/providers/filesystem/file-task.ts';
import { listFiles } from '../../../src/providers/filesystem/list-files.ts';
import { createExclusion } from '../../../src/providers/filesystem/path-rules.ts';
import { createVaultFolder, type VaultFolder } from './vault-folder.ts';

const NOTHING_EXCLUDED = createExclusion([]);

/** Walks a vault of ten notes in two folders; `change` happens behind the first step. */
function walkWhile(change: (folder: VaultFolder) => void): FoundFiles {
  const folder = createVaultFolder();
  try {
    folder.put('Top.md', '');
    for (let n = 0; n < 9; n += 1) folder.put(`${n % 2 === 0 ? 'even' : 'odd'}/${n}.md`, '');
    let steps = 0;
    return listFiles(folder.root, NOTHING_EXCLUDED, () => {
      steps += 1;
      if (steps === 1) change(folder);
    });
  } finally {
    folder.delete();
  }
}

it('reports the files that it has found so far, and all of them in the end', () => {
  const folder = createVaultFolder();
  for (let n = 0; n < 9; n += 1) folder.put(`${n}.md`, '');
  const counts: number[] = [];
  listFiles(folder.root, NOTHING_EXCLUDED, (files) => counts.push(files));
  folder.delete();
  assert.deepEqual(counts.slice(0, 9), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
  assert.ok(counts.slice(9).every((count) => count === 9));
});

it('V1 a root that disappears during the walk is an error, not a vault with fewer notes', () => {
  assert.throws(() => walkWhile(({ vanish }) => vanish()), { code: 'VAULT_UNAVAILABLE', message: /ENOENT/ });
});

it('V1 a root that is replaced by another folder during the walk is an error', () => {
  const swap = ({ root, vanish }: VaultFolder): void => {
    vanish();
    mkdirSync(root);
  };
  assert.throws(() => walkWhile(swap), { code: 'VAULT_UNAVAILABLE', message: /ESTALE/ });
});

it('V2 the files of a folder that disappears before it is listed are unknown, not deleted', () => {
  const { files, unreadableFolders } = walkWhile(({ remove }) => remove('odd'));
  assert.deepEqual(unreadableFolders, [{ path: 'odd', errno: 'ENOENT' }]);
  assert.deepEqual(
    files.map(({ path }) => path),
    ['Top.md', ...[0, 2, 4, 6, 8].map((n) => `even/${n}.md`)],
  );
});

it('V9 a folder that is swapped for a link before it is listed is reported as a link', () => {
  const { files, skipped } = walkWhile(({ root, outside, remove }) => {
    mkdirSync(join(outside, 'private'));
    writeFileSync(join(outside, 'private/Secret.md'), 'secret');
    remove('odd');
    symlinkSync(join(outside, 'private'), join(root, 'odd'));
  });
  assert.deepEqual(skipped, [{ path: 'odd', reason: 'symlink' }]);
  assert.ok(files.every(({ path }) => !path.startsWith('odd/')));
});

it('an error thrown by checkStop ends the walk', () => {
  const enough = new Error('enough');
  assert.throws(
    () =>
      walkWhile(() => {
        throw enough;
      }),
    enough,
  );
});

it('V2 on macOS a file without blocks is evicted unless it is empty', () => {
  assert.equal(isEvicted({ blocks: 0, size: 9 }, 'darwin'), true);
  assert.equal(isEvicted({ blocks: 0, size: 0 }, 'darwin'), false);
  assert.equal(isEvicted({ blocks: 8, size: 9 }, 'darwin'), false);
  assert.equal(isEvicted({ blocks: 0, size: 9 }, 'linux'), false);
});

it('naming and sorting the files found are steps, too, so that a large vault does not look like one that hangs', () => {
  let steps = 0;
  const folder = createVaultFolder();
  try {
    for (let n = 0; n < 40; n += 1) folder.put(`${n}.md`, '');
    const { files } = listFiles(folder.root, NOTHING_EXCLUDED, () => {
      steps += 1;
    });
    assert.equal(files.length, 40);
    assert.ok(steps >= 3 * 40 - 1, `${steps} steps`);
  } finally {
    folder.delete();
  }
});
