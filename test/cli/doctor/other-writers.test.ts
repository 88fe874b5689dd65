// The doctor checks for writers on other machines: the file system of the vault, and the machines in the change log.
import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { type TestContext, test } from 'node:test';
import { doctorChecks } from '../../../src/cli/doctor/checks.ts';
import { type Finding, ok } from '../../../src/cli/doctor/finding.ts';
import {
  fileSystemOf,
  machinesFinding,
  parseMountInfo,
  parseMountOutput,
  sharedFileSystem,
} from '../../../src/cli/doctor/other-writers.ts';
import { configFile, copyOfFixture, temporaryFolder } from '../../journeys/session.ts';
import { createVaultFolder } from '../../providers/filesystem/vault-folder.ts';
import { openWriter } from '../../providers/filesystem/writing/open-writer.ts';
import { bytes, note } from '../../providers/filesystem/writing/workbench.ts';

test('the list of mounts is read on Linux and macOS, with spaces in folders', () => {
  const linux = `27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
41 27 0:40 / /mnt/my\\040nas rw,relatime - nfs4 nas:/export rw,vers=4.2`;
  assert.deepEqual(parseMountInfo(`${linux}\n`), [
    { folder: '/', type: 'ext4' },
    { folder: '/mnt/my nas', type: 'nfs4' },
  ]);
  const macos = `/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
//ann@nas._smb._tcp.local/notes on /Volumes/my notes (smbfs, nodev, nosuid, mounted by ann)`;
  assert.deepEqual(parseMountOutput(`${macos}\n`), [
    { folder: '/', type: 'apfs' },
    { folder: '/Volumes/my notes', type: 'smbfs' },
  ]);
});

test('only file systems that other machines can write to count as shared', () => {
  for (const type of ['nfs', 'nfs4', 'cifs', 'smb3', 'smbfs', '9p', 'virtiofs', 'fuse.sshfs', 'afpfs'])
    assert.ok(sharedFileSystem('/notes', type), type);
  for (const type of ['ext4', 'btrfs', 'apfs', 'overlay', 'tmpfs', 'fuseblk', 'fuse.gocryptfs', undefined])
    assert.equal(sharedFileSystem('/notes', type), undefined, type);
  assert.equal(sharedFileSystem('\\\\nas\\notes', undefined), 'a network share');
});

test('the file system of a folder is that of the innermost mount', {
  skip: process.platform !== 'linux' && 'the folders are of Linux',
}, async () => {
  assert.equal(await fileSystemOf('/proc/self/fd'), 'proc');
  assert.equal(await fileSystemOf('/process'), await fileSystemOf('/'));
});

const LOCK = 'by a lock';
const wroteBy = (...machines: (string | undefined)[]): readonly { machine?: string }[] =>
  machines.map((machine) => (machine === undefined ? {} : { machine }));

test('two machines are reported if both continue to write', () => {
  for (const machines of [
    ['desk b1', 'lap b2', 'desk b1'],
    ['desk', 'lap', 'desk'],
  ]) {
    const found = machinesFinding(undefined, wroteBy(...machines), LOCK);
    assert.equal(found.status, 'warning');
    assert.match(found.detail, /desk, lap/);
    assert.match(found.hint, /read-only/);
  }
});

test('a restart, and a container on the same machine, are not two machines', () => {
  for (const machines of [['desk b2', 'desk b2', 'desk b1', undefined], ['desk b1', '0123abc b1', 'desk b1'], []])
    assert.deepEqual(machinesFinding(undefined, wroteBy(...machines), LOCK), ok(LOCK));
});

test('a vault on a network file system is a warning', () => {
  const found = machinesFinding('NFS', [], LOCK);
  assert.equal(found.status, 'warning');
  assert.match(found.detail, /on NFS/);
});

test('a change names the machine that made it', async () => {
  const vault = createVaultFolder();
  const { capability: writer, close } = await openWriter(vault);
  const { signal } = new AbortController();
  const operations = [{ kind: 'create', path: note('New.md'), bytes: bytes('new') }] as const;
  await writer.apply({ operations, tool: 'a_test', client: '' }, signal);
  const [change] = await writer.changes(1, signal);
  await close();
  vault.delete();
  assert.ok(change?.machine?.startsWith(hostname()));
});

async function findingOf(context: TestContext, access: string): Promise<Finding> {
  const vault = copyOfFixture(context, 'tiny');
  const config = configFile(context, `vault: { access: ${access} }\n`);
  const checks = doctorChecks({ vault, config, dataDir: temporaryFolder(context) });
  const check = checks.find(({ name }) => name === 'other writers');
  assert.ok(check);
  return check.run();
}

test('without other machines it says by which lock servers write in turn, or that this one does not write', async (context) => {
  const writes = await findingOf(context, 'read-write');
  assert.equal(writes.status, 'ok');
  assert.match(writes.detail, /write in turn, by a lock/);
  assert.match((await findingOf(context, 'read-only')).detail, /does not write/);
});
