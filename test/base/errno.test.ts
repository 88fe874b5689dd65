// Tests that system errors have their names, also those for which Node has none.
import assert from 'node:assert/strict';
import { constants } from 'node:os';
import { test } from 'node:test';
import { getSystemErrorName } from 'node:util';
import { errnoOf, isErrno, isSystemError } from '../../src/base/errno.ts';
import { VaultgraphError } from '../../src/base/errors.ts';

/** As Node throws it. */
const thrownFor = (number: number, code = getSystemErrorName(-number)): Error =>
  Object.assign(new Error('a call failed'), { code, errno: -number, syscall: 'fsync' });

test('every error of the system has its name', () => {
  for (const [name, number] of Object.entries(constants.errno)) {
    const errno = errnoOf(thrownFor(number));
    assert.equal(constants.errno[errno as keyof typeof constants.errno], number, name);
    assert.ok(isSystemError(thrownFor(number)), name);
  }
  assert.ok(isErrno(thrownFor(constants.errno.EDQUOT), 'EDQUOT'));
  assert.match(errnoOf(thrownFor(250)), /^E250$/);
});

test('an error of `write`, which has no name and no number in its code, has its name', () => {
  assert.equal(errnoOf(thrownFor(constants.errno.EDQUOT, 'UNKNOWN')), 'EDQUOT');
  assert.ok(isErrno(thrownFor(constants.errno.ESTALE, 'UNKNOWN'), 'ESTALE'));
  assert.equal(errnoOf(thrownFor(4094, 'UNKNOWN')), 'UNKNOWN');
  assert.equal(errnoOf(Object.assign(new Error('a call failed'), { code: 'UNKNOWN' })), 'UNKNOWN');
});

test('a full quota, a limit of file sizes and a drive that was mounted again have hints of their own', () => {
  const written = (errno: string): VaultgraphError =>
    new VaultgraphError('FILE_WRITE_FAILED', { path: 'a.md', errno, step: 'fsync', original_intact: true });
  assert.match(written('EDQUOT').message, /\(EDQUOT: disk quota exceeded\)$/);
  assert.match(written('EDQUOT').hint, /free some disk space/);
  assert.match(written('ESTALE').hint, /mount the drive again/);
  assert.match(written('EFBIG').hint, /ulimit -f/);
  const unread = new VaultgraphError('FILE_UNREADABLE', { path: 'a.md', errno: 'ESTALE' });
  assert.match(unread.hint, /mount the drive again/);
});
