// Dates in filters: their meaning in the local time zone, and errors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { parseDate } from '../../../src/features/notes/parse-date.ts';

const NOW = new Date(2026, 10, 20, 15, 30);
const local = (...parts: [number, number, number, number?, number?]) => new Date(...parts).getTime();

test('a day, week, month or year is its start for `since` and its end for `until`', () => {
  const cases: [string, number, number][] = [
    ['2026-11-20', local(2026, 10, 20), local(2026, 10, 21)],
    ['2026-12-31', local(2026, 11, 31), local(2027, 0, 1)],
    ['today', local(2026, 10, 20), local(2026, 10, 21)],
    ['yesterday', local(2026, 10, 19), local(2026, 10, 20)],
    [' Today ', local(2026, 10, 20), local(2026, 10, 21)],
    ['0 days ago', local(2026, 10, 20), local(2026, 10, 21)],
    ['a day ago', local(2026, 10, 19), local(2026, 10, 20)],
    ['3 days  ago', local(2026, 10, 17), local(2026, 10, 18)],
    ['2 weeks ago', local(2026, 10, 6), local(2026, 10, 7)],
    ['1 month ago', local(2026, 9, 20), local(2026, 9, 21)],
    ['one year ago', local(2025, 10, 20), local(2025, 10, 21)],
    // The 20th is a Friday.
    ['this week', local(2026, 10, 16), local(2026, 10, 23)],
    ['Last Week', local(2026, 10, 9), local(2026, 10, 16)],
    ['this month', local(2026, 10, 1), local(2026, 11, 1)],
    ['last month', local(2026, 9, 1), local(2026, 10, 1)],
    ['this year', local(2026, 0, 1), local(2027, 0, 1)],
    ['last year', local(2025, 0, 1), local(2026, 0, 1)],
    ['2026', local(2026, 0, 1), local(2027, 0, 1)],
    ['2026-11', local(2026, 10, 1), local(2026, 11, 1)],
    ['2026-12', local(2026, 11, 1), local(2027, 0, 1)],
    ['2026-W47', local(2026, 10, 16), local(2026, 10, 23)],
    ['2026-w01', local(2025, 11, 29), local(2026, 0, 5)],
  ];
  for (const [text, since, until] of cases) {
    assert.equal(parseDate(text, 'since', NOW), since, text);
    assert.equal(parseDate(text, 'until', NOW), until, text);
  }
});

test('a time is the same for `since` and `until`', () => {
  const cases: [string, number][] = [
    ['2026-11-20T09:30', local(2026, 10, 20, 9, 30)],
    ['2026-11-20 09:30:00', local(2026, 10, 20, 9, 30)],
    ['2026-11-20T09:30:00.250Z', Date.UTC(2026, 10, 20, 9, 30, 0, 250)],
    ['2026-11-20T09:30+02:00', Date.UTC(2026, 10, 20, 7, 30)],
    ['12h', local(2026, 10, 20, 3, 30)],
    ['7d', local(2026, 10, 13, 15, 30)],
    ['2w', local(2026, 10, 6, 15, 30)],
    ['3m', local(2026, 7, 20, 15, 30)],
    ['1y', local(2025, 10, 20, 15, 30)],
    ['last 7 days', local(2026, 10, 13, 15, 30)],
    ['past 2 weeks', local(2026, 10, 6, 15, 30)],
    ['last 12 hours', local(2026, 10, 20, 3, 30)],
    ['2 hours ago', local(2026, 10, 20, 13, 30)],
    ['an hour ago', local(2026, 10, 20, 14, 30)],
    ['2026-11-20t09:30z', Date.UTC(2026, 10, 20, 9, 30)],
  ];
  for (const [text, expected] of cases) {
    assert.equal(parseDate(text, 'since', NOW), expected, text);
    assert.equal(parseDate(text, 'until', NOW), expected, text);
  }
});

test('a week begins on Monday, also on a Sunday and over a new year', () => {
  const sunday = new Date(2027, 0, 3, 9);
  assert.equal(parseDate('this week', 'since', sunday), local(2026, 11, 28));
  assert.equal(parseDate('last week', 'until', sunday), local(2026, 11, 28));
  assert.equal(parseDate('this week', 'since', new Date(2026, 11, 28)), local(2026, 11, 28));
});

test('a shorter month gives its last day', () => {
  const last = new Date(2026, 4, 31, 15, 30);
  assert.equal(parseDate('3m', 'since', last), local(2026, 1, 28, 15, 30));
  assert.equal(parseDate('1 month ago', 'since', last), local(2026, 3, 30));
  assert.equal(parseDate('1y', 'since', new Date(2024, 1, 29)), local(2023, 1, 28));
});

test('an invalid date is rejected with field and position', () => {
  const cases: [string, number][] = [
    ['soon', 0],
    ['', 0],
    ['2026-1-2', 0],
    ['2026-02-30', 5],
    ['2026-13-01', 5],
    ['2026-11-20T24:10', 11],
    ['2026-11-20T09:30+99:00', 16],
    ['7 days', 0],
    ['next wek', 0],
    ['last wek', 0],
    ['2026-13', 5],
    ['2026-00', 5],
    ['2026-00-10', 5],
    ['2026-11-00', 5],
    ['2026-W54', 5],
    ['2026-11-20 morning', 0],
    ['026', 0],
    ['-7d', 0],
  ];
  for (const [text, position] of cases) {
    assert.throws(
      () => parseDate(text, 'until', NOW),
      (thrown) => {
        assert.ok(thrown instanceof VaultgraphError, text);
        assert.equal(thrown.code, 'INVALID_QUERY');
        assert.deepEqual(
          { ...(thrown as VaultgraphError<'INVALID_QUERY'>).details, reason: '' },
          { field: 'until', position, reason: '' },
          text,
        );
        return true;
      },
    );
  }
});
