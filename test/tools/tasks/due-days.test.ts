// Due date filters, before and after today.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { daysOf } from '../../../src/tools/tasks/list_tasks.ts';

/** A Friday. */
const NOW = new Date(2026, 10, 20, 15, 30);

test('due_before excludes the period from its first day, due_after up to its last day', () => {
  const cases: [string, string, string][] = [
    ['2026-11-20', '2026-11-20', '2026-11-21'],
    ['today', '2026-11-20', '2026-11-21'],
    ['tomorrow', '2026-11-21', '2026-11-22'],
    ['yesterday', '2026-11-19', '2026-11-20'],
    ['this week', '2026-11-16', '2026-11-23'],
    ['Next week', '2026-11-23', '2026-11-30'],
    ['next month', '2026-12-01', '2027-01-01'],
    ['next year', '2027-01-01', '2028-01-01'],
    ['2026-12', '2026-12-01', '2027-01-01'],
    ['7d', '2026-11-27', '2026-11-28'],
    ['2 weeks', '2026-12-04', '2026-12-05'],
    ['in 3 days', '2026-11-23', '2026-11-24'],
    ['3 days ago', '2026-11-17', '2026-11-18'],
    ['monday', '2026-11-23', '2026-11-24'],
    ['2026-11-20T09:30', '2026-11-20', '2026-11-21'],
  ];
  for (const [words, before, from] of cases) {
    assert.deepEqual(daysOf({ due_before: words }, NOW), { due: { before } }, words);
    assert.deepEqual(daysOf({ due_after: words }, NOW), { due: { from } }, words);
  }
  assert.deepEqual(daysOf({}, NOW), {});
});

test('due, scheduled and start take a period; a bare length of time begins today', () => {
  const cases: [string, string | undefined, string | undefined][] = [
    ['overdue', undefined, '2026-11-20'],
    ['today', '2026-11-20', '2026-11-21'],
    ['this week', '2026-11-16', '2026-11-23'],
    ['next 7 days', '2026-11-20', '2026-11-27'],
    ['7d', '2026-11-20', '2026-11-27'],
    ['2 weeks', '2026-11-20', '2026-12-04'],
    ['12h', '2026-11-20', '2026-11-22'],
    ['in 3 days', '2026-11-23', '2026-11-24'],
    ['2026-12', '2026-12-01', '2027-01-01'],
    ['2026-W47', '2026-11-16', '2026-11-23'],
    ['next friday', '2026-11-27', '2026-11-28'],
    ['by monday', undefined, '2026-11-24'],
    ['since monday', '2026-11-16', undefined],
    ['last 2 weeks', '2026-11-07', '2026-11-21'],
    ['2026-11-20T09:30', '2026-11-20', '2026-11-21'],
  ];
  for (const [words, from, before] of cases) {
    const span = { ...(from && { from }), ...(before && { before }) };
    for (const field of ['due', 'scheduled', 'start'] as const)
      assert.deepEqual(daysOf({ [field]: words }, NOW), { [field]: span }, `${field} ${words}`);
  }
  assert.deepEqual(daysOf({ due: 'this month', due_after: 'today', due_before: '2027' }, NOW), {
    due: { from: '2026-11-21', before: '2026-12-01' },
  });
});

test('an invalid date is rejected with the name of its argument', () => {
  for (const field of ['due', 'scheduled', 'start', 'due_before', 'due_after'] as const) {
    for (const words of ['soonish', '10m']) {
      assert.throws(
        () => daysOf({ [field]: words }, NOW),
        (error) =>
          error instanceof VaultgraphError &&
          error.code === 'INVALID_QUERY' &&
          error.message.startsWith(field) &&
          error.hint.includes('next 7 days'),
      );
    }
  }
});
