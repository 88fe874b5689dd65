// Tests a write session: writes one at a time, dry-run plans limited in number, size and age, and texts limited in size.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { createWriteSession } from '../../../src/tools/write/write-session.ts';

const never = new AbortController().signal;
const plan = (text = '') => ({ tool: 'edit_note', args: { text }, steps: [{ path: 'a.md', key: 'key' }] });
const isUnknown = (error: unknown): boolean => error instanceof VaultgraphError && error.code === 'CHANGE_NOT_FOUND';
const MINUTE_MS = 60_000;

test('writes of one session run in the order of the calls, in parallel with another session', async () => {
  const [one, other] = [createWriteSession('read-write'), createWriteSession('read-write')];
  const seen: string[] = [];
  const work = (name: string, ms: number) => async () => {
    seen.push(`${name} begins`);
    await sleep(ms);
    seen.push(`${name} ends`);
    return name;
  };
  const results = await Promise.all([
    one.exclusive(never, work('first', 30)),
    one.exclusive(never, work('second', 1)),
    other.exclusive(never, work('beside', 1)),
  ]);
  assert.deepEqual(results, ['first', 'second', 'beside']);
  assert.deepEqual(
    seen.filter((each) => !each.startsWith('beside')),
    ['first begins', 'first ends', 'second begins', 'second ends'],
  );
  assert.ok(seen.indexOf('beside ends') < seen.indexOf('first ends'));
});

test('an aborted wait ends at once and the calls after it still run after the calls before it', async () => {
  const session = createWriteSession('read-write');
  const seen: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = session.exclusive(never, async () => {
    await gate.promise;
    seen.push('first');
    throw new Error('it failed');
  });
  const leaving = new AbortController();
  const second = session.exclusive(leaving.signal, async () => seen.push('second'));
  const third = session.exclusive(never, async () => seen.push('third'));
  leaving.abort(new Error('gone'));
  await assert.rejects(second, /gone/);
  gate.resolve();
  await assert.rejects(first, /it failed/);
  await third;
  assert.deepEqual(seen, ['first', 'third']);
  await assert.rejects(
    session.exclusive(leaving.signal, async () => seen.push('never')),
    /gone/,
  );
  assert.equal(await session.exclusive(never, async () => 'next'), 'next');
});

test('a plan belongs to its tool and is kept for half an hour, until it is carried out', () => {
  let now = 0;
  const session = createWriteSession('read-write', undefined, () => now);
  const id = session.addPlan(plan('a'));
  now = 29 * MINUTE_MS;
  assert.deepEqual(session.findPlan('edit_note', id).args, { text: 'a' });
  assert.throws(() => session.findPlan('move_note', id), isUnknown);
  assert.throws(() => createWriteSession('read-write').findPlan('edit_note', id), isUnknown);
  const later = session.addPlan(plan('b'));
  now = 31 * MINUTE_MS;
  assert.throws(
    () => session.findPlan('edit_note', id),
    (error: VaultgraphError<'CHANGE_NOT_FOUND'>) => error.details.recent.join() === later,
  );
  session.dropPlan(later);
  assert.throws(() => session.findPlan('edit_note', later), isUnknown);
});

test('the oldest plans are dropped when there are too many or they are too large; the newest is always kept', () => {
  const session = createWriteSession('read-write');
  const ids = Array.from({ length: 60 }, () => session.addPlan(plan()));
  assert.throws(() => session.findPlan('edit_note', ids[9] ?? ''), isUnknown);
  assert.ok(session.findPlan('edit_note', ids[10] ?? ''));
  const large = session.addPlan(plan('x'.repeat(20_000_000)));
  assert.ok(session.findPlan('edit_note', large));
  assert.throws(() => session.findPlan('edit_note', ids[59] ?? ''), isUnknown);
});

test('texts are found by etag while there is room, the last remembered longest, and only in a writable vault', () => {
  const session = createWriteSession('read-write');
  session.rememberText('one', 'first');
  session.rememberText('two', 'x'.repeat(2_000_000));
  session.rememberText('one', 'first');
  session.rememberText('three', 'ä'.repeat(1_200_000));
  assert.deepEqual(
    [session.findText('one'), session.findText('two'), session.findText('three')?.length],
    ['first', undefined, 1_200_000],
  );
  session.rememberText('four', 'z'.repeat(9_000_000));
  assert.equal(session.findText('four'), undefined);
  assert.equal(session.findText('one'), 'first');
  session.rememberText('five', '📅'.repeat(2_000_000));
  assert.deepEqual([session.findText('five')?.length, session.findText('one')], [4_000_000, undefined]);
  const readOnly = createWriteSession('read-only');
  readOnly.rememberText('one', 'first');
  assert.equal(readOnly.findText('one'), undefined);
  assert.equal(createWriteSession('read-write').findText('one'), undefined);
});
