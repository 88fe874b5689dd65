// Checks what answers say of an index that was never built, and of one whose age is unknown.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { viewOf } from '../../../src/mcp/render/index-view.ts';
import { FRESH, RUNNING } from '../test-host.ts';

const { asOf: _, ...rest } = FRESH;
const NEVER = { ...rest, asOf: null, complete: false, freshness: 'unknown', total: 0, indexed: 0 } as const;

test('an index that no process builds is not said to be built', () => {
  const { warnings, part } = viewOf({ ...NEVER, role: 'follower' });
  const message = 'no notes are indexed yet, and no process is indexing them';
  assert.deepEqual(warnings, [{ code: 'INDEX_PENDING', message }]);
  assert.equal(part, 'no notes indexed yet');
  const [left] = viewOf({ ...NEVER, role: 'follower', total: 9, indexed: 2, pending: 7 }).warnings;
  assert.equal(left?.message, '7 of 9 notes are not indexed yet, and no process is indexing them');
});

test('before the notes are listed, the first index has no counts', () => {
  const [warning] = viewOf({ ...NEVER, running: RUNNING }).warnings;
  assert.equal(warning?.message, 'the first index is being built: the notes are being listed');
});

test('a first index that failed is not called one that is being built', () => {
  const lastError = new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'EIO' });
  const messageOf = (state: object): string | undefined =>
    viewOf({ ...NEVER, role: 'leader', lastError, ...state }).warnings[0]?.message;
  assert.equal(messageOf({}), 'the first index could not be completed: [VAULT_UNAVAILABLE]');
  assert.match(messageOf({ total: 9, indexed: 2, pending: 7 }) ?? '', /; 7 of 9 notes are not indexed yet$/);
  assert.match(messageOf({ running: RUNNING }) ?? '', /is being built/);
});

test('require_fresh is advised only for tools that take it', () => {
  const state = { ...FRESH, freshness: 'unknown' } as const;
  assert.match(viewOf(state).warnings[0]?.message ?? '', /require_fresh/);
  assert.doesNotMatch(viewOf(state, { takesFresh: false }).warnings[0]?.message ?? '', /require_fresh/);
});
