// Checks that a path that the system does not let us look at is not reported as missing.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { faultAt, mayExist } from '../../src/base/system/presence.ts';

test('a path is there, is missing, or is what the system does not let us look at', () => {
  const folder = mkdtempSync(join(tmpdir(), 'presence-'));
  try {
    writeFileSync(join(folder, 'file'), '');
    symlinkSync(join(folder, 'circle'), join(folder, 'circle'));
    const paths = ['file', 'none', 'file/below', 'circle', 'circle/below', 'x'.repeat(300)];
    const found = paths.map((path) => [faultAt(join(folder, path)), mayExist(join(folder, path))]);
    assert.deepEqual(found, [
      [undefined, true],
      ['ENOENT', false],
      ['ENOTDIR', false],
      ['ELOOP', true],
      ['ELOOP', true],
      ['ENAMETOOLONG', true],
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
