// Checks that a folder is created with those above it, and that a refusal of the system ends the attempt.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeFolder } from '../../src/base/make-folder.ts';

test('creates the missing folders with the mode, and says which is the topmost', (context) => {
  const root = mkdtempSync(join(tmpdir(), 'vaultgraph-folder-'));
  context.after(() => rmSync(root, { recursive: true }));
  const folder = join(root, 'a/b/c');
  assert.equal(makeFolder(folder, 0o700), join(root, 'a'));
  assert.equal(statSync(join(root, 'a')).mode & 0o777, 0o700);
  assert.equal(makeFolder(folder), undefined);
  writeFileSync(join(root, 'file'), '');
  assert.throws(() => makeFolder(join(root, 'file')), { code: 'EEXIST' });
  assert.throws(() => makeFolder(join(root, 'file/below')), { code: 'ENOTDIR' });
});

test('fails where the system refuses a folder as not found, without trying forever', {
  skip: process.platform !== 'linux',
}, () => {
  assert.throws(() => makeFolder('/proc/x/y'), { code: /^(ENOENT|EACCES)$/ });
});
