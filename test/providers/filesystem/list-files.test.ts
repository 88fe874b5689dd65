// The walk itself, with the vault changing under it between two of its steps.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { it } from 'node:test';
import type { FoundFiles } from '../../../src/providers/filesystem/file-task.ts';
import { listFiles } from '../../../src/providers/filesystem/list-files.ts';
import { createExclusion } from '../../../src/providers/filesystem/path-rules.ts';
import { isEvicted } from '../../../src/providers/filesystem/sync-artifacts.ts';
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

it('V1 a root that goes away during the walk is no vault with fewer notes', () => {
  assert.throws(() => walkWhile(({ vanish }) => vanish()), { code: 'VAULT_UNAVAILABLE', message: /ENOENT/ });
});

it('V1 another folder in the place of the root is another vault', () => {
  const swap = ({ root, vanish }: VaultFolder): void => {
    vanish();
    mkdirSync(root);
  };
  assert.throws(() => walkWhile(swap), { code: 'VAULT_UNAVAILABLE', message: /ESTALE/ });
});

it('V2 what a folder held that went away before it was listed is unknown, not gone', () => {
  const { files, unreadableFolders } = walkWhile(({ remove }) => remove('odd'));
  assert.deepEqual(unreadableFolders, [{ path: 'odd', errno: 'ENOENT' }]);
  assert.deepEqual(
    files.map(({ path }) => path),
    ['Top.md', ...[0, 2, 4, 6, 8].map((n) => `even/${n}.md`)],
  );
});

it('a step that throws ends the walk with what it threw', () => {
  const enough = new Error('enough');
  assert.throws(
    () =>
      walkWhile(() => {
        throw enough;
      }),
    enough,
  );
});

it('V2 a file without blocks is evicted on macOS, and only if it should have some', () => {
  assert.equal(isEvicted({ blocks: 0, size: 9 }, 'darwin'), true);
  assert.equal(isEvicted({ blocks: 0, size: 0 }, 'darwin'), false);
  assert.equal(isEvicted({ blocks: 8, size: 9 }, 'darwin'), false);
  assert.equal(isEvicted({ blocks: 0, size: 9 }, 'linux'), false);
});
