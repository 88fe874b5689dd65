// Periods in comparisons of properties: which dates are compared, and which texts stay texts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PropertyFilter } from '../../../src/contracts/note-filter.ts';
import { literalPeriod, withPeriod } from '../../../src/tools/periods/compared-period.ts';

/** A Friday. */
const NOW = new Date(2026, 10, 20, 15, 30);

function compared(operator: PropertyFilter['operator'], value: PropertyFilter['value']): unknown[] {
  const filter = withPeriod({ name: 'due', operator, value }, NOW);
  return [filter.operator, filter.value];
}

test('a comparison with a period includes or excludes all of it', () => {
  const cases: [string, string, string][] = [
    ['today', '2026-11-20', '2026-11-21'],
    ['this week', '2026-11-16', '2026-11-23'],
    ['2026-W47', '2026-11-16', '2026-11-23'],
    ['Q3 2026', '2026-07-01', '2026-10-01'],
    ['last 2 weeks', '2026-11-07', '2026-11-21'],
    ['in 3 days', '2026-11-23', '2026-11-24'],
    ['next friday', '2026-11-27', '2026-11-28'],
    ['2026-11-20', '2026-11-20', '2026-11-21'],
    ['2026-11', '2026-11', '2026-12'],
    ['last month', '2026-10', '2026-11'],
    ['2 hours ago', '2026-11-20T13:30', '2026-11-20T13:30'],
  ];
  for (const [value, from, to] of cases) {
    assert.deepEqual(compared('gte', value), ['gte', from], value);
    assert.deepEqual(compared('lt', value), ['lt', from], value);
    assert.deepEqual(compared('gt', value), ['gte', to], value);
    assert.deepEqual(compared('lte', value), ['lt', to], value);
  }
});

test('other values are compared as they are', () => {
  for (const value of ['5', 'zinc', '2026', 'friday', 'november', '1.2', '2026-13', 5, true, null]) {
    for (const operator of ['gt', 'lte'] as const) assert.deepEqual(compared(operator, value), [operator, value]);
  }
  for (const operator of ['eq', 'ne', 'contains'] as const)
    assert.deepEqual(compared(operator, 'today'), [operator, 'today']);
});

test('a bare length of time is refused with both sides of today, and m with what it can be', () => {
  for (const [value, reason] of [
    ['7d', /where\.due is not a date: write `7d ago` or `in 7d`/],
    ['2 weeks', /write `2 weeks ago` or `in 2 weeks`/],
    ['10m', /`10min` or `10mo`/],
  ] as const) {
    assert.throws(() => compared('lt', value), reason);
  }
});

test('a text that can be a period says how to write it as one', () => {
  const literal = (operator: PropertyFilter['operator'], value: string): string =>
    literalPeriod({ name: 'due', operator, value }, NOW) ?? '';
  assert.match(literal('eq', 'this week'), /"gte":"this week","lte":"this week"/);
  assert.match(literal('lt', 'friday'), /last, this or next/);
  assert.match(literal('eq', '2026-11-20'), /"gte":"2026-11-20","lte":"2026-11-20"/);
  assert.equal(literal('gte', '2026-11-20'), '');
  for (const value of ['open', '2026']) assert.equal(literal('eq', value), '');
});
