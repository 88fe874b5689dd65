// A move that the system refuses fails as what it is, changes nothing, and `allow_broken` does not override it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const CHILD = join(import.meta.dirname, 'move-child.ts');
/** Mounts made in there end with the process. */
const OWN_MOUNTS = ['unshare', '--user', '--map-root-user', '--mount'];

const canMount =
  spawnSync(OWN_MOUNTS[0] ?? '', [...OWN_MOUNTS.slice(1), 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;
const skipMounting = canMount ? false : 'this system refuses to mount a small disk (unshare and mount)';

const NOBODY = 65_534;
const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
const canBeNobody = spawnSync(process.execPath, ['-e', 'fs.accessSync(process.argv[1])', CHILD], identity).status === 0;
const skipUnreadable =
  process.platform === 'win32'
    ? 'Windows has other permissions'
    : !canBeNobody && 'no other user may read this checkout';

interface Report {
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly message: string;
  readonly hint: string;
  readonly isIntact: boolean;
  readonly warnings: readonly string[];
}

function moveWithout(refused: string, before: readonly string[], identity: object = {}): Report {
  const [command = '', ...args] = [...before, process.execPath, CHILD, refused];
  const child = spawnSync(command, args, { encoding: 'utf8', ...identity });
  assert.equal(child.status, 0, child.stderr);
  return JSON.parse(child.stdout);
}

test('V7 a move that needs more bytes than are free is refused before anything is written', {
  skip: skipMounting,
}, () => {
  const { code, details, message, hint, isIntact, warnings } = moveWithout('the bytes', OWN_MOUNTS);
  assert.equal(code, 'FILE_WRITE_FAILED', message);
  const { free_bytes: free, needed_bytes: needed, ...rest } = details;
  assert.deepEqual(rest, { path: 'the change', errno: 'ENOSPC', step: 'the space check', original_intact: true });
  assert.ok(Number(free) > 0 && Number(needed) > Number(free), message);
  assert.match(message, /ENOSPC: no space left on device\); the change needs [\d,]+ bytes, [\d,]+ bytes are free$/);
  assert.match(hint, /free some disk space/);
  assert.doesNotMatch(hint, /allow_broken/);
  assert.deepEqual([isIntact, warnings], [true, []]);
});

test('V7 a move that fails in the middle is rolled back, and its error names the errno and the free space', {
  skip: skipMounting,
}, () => {
  const { code, details, message, hint, isIntact, warnings } = moveWithout('the files', OWN_MOUNTS);
  assert.equal(code, 'FILE_WRITE_FAILED', message);
  assert.deepEqual([details.errno, details.original_intact], ['ENOSPC', true]);
  assert.match(String(details.path), /^Log\/\d+\.md$/);
  assert.ok(Number(details.free_bytes) > 0);
  assert.match(message, /bytes are free, the disk takes \d+ more files?$/);
  assert.match(hint, /remove files from that disk/);
  assert.deepEqual([isIntact, warnings], [true, []]);
});

test('V15 a linking note that the system refuses to read stops the move', { skip: skipUnreadable }, () => {
  const { code, details, isIntact, warnings } = moveWithout('a read', [], identity);
  assert.deepEqual([code, details], ['FILE_UNREADABLE', { path: 'Log/7.md', errno: 'EACCES' }]);
  assert.deepEqual([isIntact, warnings], [true, []]);
});
