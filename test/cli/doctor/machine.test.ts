import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { dataFolderFinding, watchesFinding } from '../../../src/cli/doctor/machine.ts';
import type { VaultListing } from '../../../src/contracts/vault.ts';

test('S12 an index in a synced folder, on a network share or on a removable drive is a warning', async () => {
  const on = (type: string | undefined) => async () => type;
  for (const [folder, type, detail] of [
    ['/home/ann/Dropbox/vaultgraph/0123', undefined, /sync client/],
    ['C:\\Users\\ann\\OneDrive - Work\\vaultgraph', undefined, /sync client/],
    ['/Users/ann/Library/Mobile Documents/x', undefined, /sync client/],
    ['\\\\server\\share\\vaultgraph', undefined, /network share/],
    ['/mnt/nas/vaultgraph', 'nfs4', /NFS/],
    ['/mnt/nas/vaultgraph', 'cifs', /SMB/],
    ['/mnt/ssh/vaultgraph', 'fuse.encfs', /FUSE/],
  ] as const) {
    const found = await dataFolderFinding(folder, on(type));
    assert.equal(found.status, 'warning', folder);
    assert.match(found.detail, detail);
    assert.match(found.hint, /--data-dir/);
  }
  assert.equal((await dataFolderFinding('/home/ann/.local/share', on('ext4'))).status, 'ok');
});

test('S12 the real file system is checked, also for a folder that does not exist yet', async () => {
  const found = await dataFolderFinding(join(tmpdir(), 'not', 'there', 'yet'));
  assert.ok(['ok', 'warning'].includes(found.status));
});

function listing(folders: number): { list(): Promise<VaultListing> } {
  const files = Array.from({ length: folders }, (_, at) => ({ path: `a/${at}/note.md`, kind: 'note' }));
  return { list: async () => ({ files, skipped: [], unreadableFolders: [] }) as unknown as VaultListing };
}

function limitFile(context: TestContext, limit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-doctor-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'max'), limit);
  return join(folder, 'max');
}

test('a vault with more folders than the system can watch is a warning, with the command that fixes it', async (context) => {
  const many = await watchesFinding(listing(100), limitFile(context, '100\n'));
  assert.equal(many.status, 'warning');
  assert.match(many.detail, /^102 folders to watch, 100 allowed/);
  assert.match(many.hint, /sysctl fs\.inotify\.max_user_watches=524288/);
  assert.equal((await watchesFinding(listing(50), limitFile(context, '100\n'))).status, 'ok');
  assert.match((await watchesFinding(listing(5), '/no/such/file')).detail, /does not limit watched folders/);
});
