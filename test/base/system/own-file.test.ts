// Tests that what has taken the place of a kept file is not waited for.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readOwnFile } from '../../../src/base/system/own-file.ts';

const skip = process.platform === 'win32' && 'no pipes in folders';

test('a kept file is read, and a pipe, a device, a folder or a link to itself fails at once', { skip }, (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-own-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const at = (name: string): string => join(folder, name);
  writeFileSync(at('file'), 'kept');
  assert.equal(readOwnFile(at('file')).toString(), 'kept');
  execFileSync('mkfifo', [at('pipe')]);
  symlinkSync('/dev/zero', at('endless'));
  mkdirSync(at('folder'));
  symlinkSync('loop', at('loop'));
  const codes = { pipe: 'EFTYPE', endless: 'EFTYPE', folder: 'EISDIR', loop: 'ELOOP', missing: 'ENOENT' };
  for (const [name, code] of Object.entries(codes)) assert.throws(() => readOwnFile(at(name)), { code }, name);
});
