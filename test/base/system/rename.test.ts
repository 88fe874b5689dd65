// A rename while another program has the file locked for a moment, for each error that the systems give.
import assert from 'node:assert/strict';
import fs, { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { renamePatiently, renamePatientlySync } from '../../../src/base/system/rename.ts';

const MAX_TRIES = 4;

/** [errno, whether another program may only have it locked for a moment]; the first three are how Windows says so. */
const ERRNOS = [
  ['EPERM', true],
  ['EACCES', true],
  ['EBUSY', true],
  ['ENOENT', false],
  ['EXDEV', false],
  ['ENOSPC', false],
  ['EROFS', false],
] as const;

function files(context: TestContext): { readonly from: string; readonly to: string } {
  const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-rename-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const [from, to] = [join(folder, 'from'), join(folder, 'to')];
  writeFileSync(from, 'new');
  writeFileSync(to, 'old');
  return { from, to };
}

for (const [errno, isTemporary] of ERRNOS) {
  const refuse = (): never => {
    throw Object.assign(new Error(errno), { code: errno });
  };

  test(`${errno} ${isTemporary ? 'is tried again until it is over' : 'fails at once'}`, (context) => {
    const { from, to } = files(context);
    let calls = 0;
    const call = (one: string, other: string): void => {
      calls += 1;
      if (calls < MAX_TRIES) refuse();
      fs.renameSync(one, other);
    };
    if (isTemporary) renamePatientlySync(from, to, call);
    else assert.throws(() => renamePatientlySync(from, to, call), { code: errno });
    assert.equal(calls, isTemporary ? MAX_TRIES : 1);
    assert.equal(readFileSync(to, 'utf8'), isTemporary ? 'new' : 'old');
  });

  test(`${errno} that does not end is thrown, and nothing is lost`, (context) => {
    const { from, to } = files(context);
    assert.throws(() => renamePatientlySync(from, to, refuse), { code: errno });
    assert.deepEqual([readFileSync(from, 'utf8'), readFileSync(to, 'utf8')], ['new', 'old']);
  });
}

test('without blocking the thread it replaces a file, and throws what the system says', async (context) => {
  const { from, to } = files(context);
  await renamePatiently(from, to);
  assert.equal(readFileSync(to, 'utf8'), 'new');
  assert.equal(existsSync(from), false);
  await assert.rejects(renamePatiently(from, to), { code: 'ENOENT' });
});
