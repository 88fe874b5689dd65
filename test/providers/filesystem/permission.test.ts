// Folders and files without permission. Root can read everything, so that as root a child of another user opens the vault.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { createVaultFolder } from './vault-folder.ts';

const NOBODY = 65_534;
const CHILD = join(import.meta.dirname, 'list-child.ts');

const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

function canStartChild(): boolean {
  const { status } = spawnSync(process.execPath, ['-e', 'fs.accessSync(process.argv[1])', CHILD], identity);
  return status === 0;
}

const skip =
  process.platform === 'win32'
    ? 'Windows has other permissions'
    : !canStartChild() && 'no other user may read this checkout';

it('V2 a folder and a file without permission are reported, and the rest is listed', { skip }, () => {
  const folder = createVaultFolder();
  const locked = ['closed', 'blind', 'Locked.md'].map((path) => join(folder.root, path));
  try {
    for (const path of ['Fine.md', 'Locked.md', 'closed/In.md', 'closed/deep/In.md', 'blind/In.md'])
      folder.put(path, 'x');
    chmodSync(folder.outside, 0o755);
    const [closed = '', blind = '', file = ''] = locked;
    chmodSync(closed, 0o000);
    chmodSync(blind, 0o444);
    chmodSync(file, 0o000);
    const requested = [folder.outside, 'Locked.md', 'closed/In.md', 'blind/In.md', 'Fine.md'];
    const child = spawnSync(process.execPath, [CHILD, ...requested], { ...identity, encoding: 'utf8' });
    assert.equal(child.status, 0, child.stderr);
    const denied = (path: string): unknown => [path, 'FILE_UNREADABLE', { path, errno: 'EACCES' }];
    assert.deepEqual(JSON.parse(child.stdout), {
      files: ['Fine.md', 'Locked.md'],
      unreadableFolders: ['blind', 'closed'].map((path) => ({ path, errno: 'EACCES' })),
      errors: [denied('Locked.md'), denied('closed/In.md'), denied('blind/In.md')],
    });
  } finally {
    for (const path of locked) chmodSync(path, 0o755);
    folder.delete();
  }
});
