// Plans and texts that are kept for a while: bound to their tool, bounded in number, size and age.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import type { Vault } from '../../../src/contracts/vault.ts';
import type { Writer } from '../../../src/contracts/writer.ts';
import { knownText, rememberText } from '../../../src/features/notes/text-cache.ts';
import { dropPlan, keepPlan, keptPlan } from '../../../src/features/write/kept-plans.ts';

const aWriter = (): Writer => Object.freeze({}) as Writer;
const plan = (text = '') => ({ tool: 'edit_note', given: { text }, lines: ['line'] });
const isUnknown = (error: unknown): boolean => error instanceof VaultgraphError && error.code === 'CHANGE_NOT_FOUND';
const MINUTE = 60_000;

test("a plan is its tool's, for half an hour, until it is carried out", () => {
  const writer = aWriter();
  const id = keepPlan(writer, plan('a'), 0);
  assert.deepEqual(keptPlan(writer, 'edit_note', id, 29 * MINUTE).given, { text: 'a' });
  assert.throws(() => keptPlan(writer, 'move_note', id, 0), isUnknown);
  assert.throws(() => keptPlan(aWriter(), 'edit_note', id, 0), isUnknown);
  const later = keepPlan(writer, plan('b'), 20 * MINUTE);
  assert.throws(
    () => keptPlan(writer, 'edit_note', id, 31 * MINUTE),
    (error: VaultgraphError<'CHANGE_NOT_FOUND'>) => error.details.recent.join() === later,
  );
  dropPlan(writer, later);
  assert.throws(() => keptPlan(writer, 'edit_note', later, 21 * MINUTE), isUnknown);
});

test('the oldest goes when there are too many or they are too large; the newest always stays', () => {
  const writer = aWriter();
  const ids = Array.from({ length: 60 }, () => keepPlan(writer, plan(), 0));
  assert.throws(() => keptPlan(writer, 'edit_note', ids[9] ?? '', 0), isUnknown);
  assert.ok(keptPlan(writer, 'edit_note', ids[10] ?? '', 0));
  const large = keepPlan(writer, plan('x'.repeat(20_000_000)), 0);
  assert.ok(keptPlan(writer, 'edit_note', large, 0));
  assert.throws(() => keptPlan(writer, 'edit_note', ids[59] ?? '', 0), isUnknown);
});

test('texts are known by their etag while there is room, the last used longest, and only where somebody may write', () => {
  const vault = { access: 'read-write' } as Vault;
  rememberText(vault, 'one', 'first');
  rememberText(vault, 'two', 'x'.repeat(4_000_000));
  rememberText(vault, 'one', 'first');
  rememberText(vault, 'three', 'y'.repeat(4_500_000));
  assert.deepEqual(
    [knownText(vault, 'one'), knownText(vault, 'two'), knownText(vault, 'three')?.length],
    ['first', undefined, 4_500_000],
  );
  rememberText(vault, 'four', 'z'.repeat(9_000_000));
  assert.equal(knownText(vault, 'four'), undefined);
  assert.equal(knownText(vault, 'one'), 'first');
  const readOnly = { access: 'read-only' } as Vault;
  rememberText(readOnly, 'one', 'first');
  assert.equal(knownText(readOnly, 'one'), undefined);
  assert.equal(knownText({ access: 'read-write' } as Vault, 'one'), undefined);
});
