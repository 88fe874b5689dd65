// Due date filters, before and after today.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { dueRange } from '../../../src/features/tasks/list_tasks.ts';

/** A Friday. */
const NOW = new Date(2026, 10, 20, 15, 30);

test('due_before excludes the period from its first day, due_after up to its last day', () => {
  const cases: [string, string, string][] = [
    ['2026-11-20', '2026-11-20', '2026-11-20'],
    ['today', '2026-11-20', '2026-11-20'],
    ['tomorrow', '2026-11-21', '2026-11-21'],
    ['yesterday', '2026-11-19', '2026-11-19'],
    ['this week', '2026-11-16', '2026-11-22'],
    ['Next week', '2026-11-23', '2026-11-29'],
    ['next month', '2026-12-01', '2026-12-31'],
    ['next year', '2027-01-01', '2027-12-31'],
    ['2026-12', '2026-12-01', '2026-12-31'],
    ['7d', '2026-11-13', '2026-11-13'],
    ['2026-11-20T09:30', '2026-11-20', '2026-11-20'],
  ];
  for (const [words, dueBefore, dueAfter] of cases) {
    assert.deepEqual(dueRange({ due_before: words, due_after: words }, NOW), { dueBefore, dueAfter }, words);
  }
  assert.deepEqual(dueRange({}, NOW), {});
});

test('an invalid date is rejected with the name of its argument', () => {
  for (const field of ['due_before', 'due_after'] as const) {
    assert.throws(
      () => dueRange({ [field]: 'soonish' }, NOW),
      (error) => error instanceof VaultgraphError && error.code === 'INVALID_QUERY' && error.message.includes(field),
    );
  }
});
