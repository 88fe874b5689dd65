// Dates in filters: their meaning in the local time zone, and errors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { parseDate } from '../../../src/tools/notes/parse-date.ts';

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
    ['last 7 days', local(2026, 10, 14), local(2026, 10, 21)],
    ['the past 2 weeks', local(2026, 10, 7), local(2026, 10, 21)],
    ['last 3 months', local(2026, 7, 21), local(2026, 10, 21)],
    ['next 7 days', local(2026, 10, 20), local(2026, 10, 27)],
    ['last 12 hours', local(2026, 10, 20, 3, 30), local(2026, 10, 20, 15, 30)],
    ['past week', local(2026, 10, 14), local(2026, 10, 21)],
    ['in 3 days', local(2026, 10, 23), local(2026, 10, 24)],
    ['in two weeks', local(2026, 11, 4), local(2026, 11, 5)],
    ['a month from now', local(2026, 11, 20), local(2026, 11, 21)],
    ['day before yesterday', local(2026, 10, 18), local(2026, 10, 19)],
    // A Friday names itself, or the one before or after it.
    ['friday', local(2026, 10, 20), local(2026, 10, 21)],
    ['last friday', local(2026, 10, 13), local(2026, 10, 14)],
    ['next friday', local(2026, 10, 27), local(2026, 10, 28)],
    ['this mon', local(2026, 10, 16), local(2026, 10, 17)],
    ['last weekend', local(2026, 10, 14), local(2026, 10, 16)],
    ['Q3 2026', local(2026, 6, 1), local(2026, 9, 1)],
    ['2026-Q3', local(2026, 6, 1), local(2026, 9, 1)],
    ['last quarter', local(2026, 6, 1), local(2026, 9, 1)],
    ['week 46', local(2026, 10, 9), local(2026, 10, 16)],
    ['december', local(2025, 11, 1), local(2026, 0, 1)],
    ['Dec 2026', local(2026, 11, 1), local(2027, 0, 1)],
    ['3 march 2026', local(2026, 2, 3), local(2026, 2, 4)],
    ['March 3rd, 2026', local(2026, 2, 3), local(2026, 2, 4)],
    ['2026-11-01..2026-11-07', local(2026, 10, 1), local(2026, 10, 8)],
    ['from monday to friday', local(2026, 10, 16), local(2026, 10, 21)],
    ['in march', local(2026, 2, 1), local(2026, 3, 1)],
    ['in 2025', local(2025, 0, 1), local(2026, 0, 1)],
    ['last march', local(2026, 2, 1), local(2026, 3, 1)],
    ['last november', local(2025, 10, 1), local(2025, 11, 1)],
    ['next november', local(2027, 10, 1), local(2027, 11, 1)],
    ['yesterday evening', local(2026, 10, 19, 18), local(2026, 10, 20)],
    ['last night', local(2026, 10, 19, 18), local(2026, 10, 20, 4)],
    ['this morning', local(2026, 10, 20, 4), local(2026, 10, 20, 12)],
    ['Monday afternoon', local(2026, 10, 16, 12), local(2026, 10, 16, 18)],
    ['tonight', local(2026, 10, 20, 18), local(2026, 10, 21, 4)],
    ['yesterday evening to this morning', local(2026, 10, 19, 18), local(2026, 10, 20, 12)],
    ['last hour', local(2026, 10, 20, 14, 30), local(2026, 10, 20, 15, 30)],
    ['20.11.2026', local(2026, 10, 20), local(2026, 10, 21)],
    ['3. 4. 2026', local(2026, 3, 3), local(2026, 3, 4)],
    ['2026/11/20', local(2026, 10, 20), local(2026, 10, 21)],
    ['11/20/2026', local(2026, 10, 20), local(2026, 10, 21)],
    ['20/11/2026', local(2026, 10, 20), local(2026, 10, 21)],
    ['2026年11月20日', local(2026, 10, 20), local(2026, 10, 21)],
    ['2026년 11월 20일', local(2026, 10, 20), local(2026, 10, 21)],
    ['2026年11月', local(2026, 10, 1), local(2026, 11, 1)],
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
    ['2026-11-20T09:30:59.745Z', Date.UTC(2026, 10, 20, 9, 30, 59, 745)],
    ['2026-11-20T09:30+02:00', Date.UTC(2026, 10, 20, 7, 30)],
    ['12h', local(2026, 10, 20, 3, 30)],
    ['7d', local(2026, 10, 13, 15, 30)],
    ['2w', local(2026, 10, 6, 15, 30)],
    ['3mo', local(2026, 7, 20, 15, 30)],
    ['7 days', local(2026, 10, 13, 15, 30)],
    ['90 minutes', local(2026, 10, 20, 14, 0)],
    ['now', local(2026, 10, 20, 15, 30)],
    ['1y', local(2025, 10, 20, 15, 30)],
    ['2 hours ago', local(2026, 10, 20, 13, 30)],
    ['an hour ago', local(2026, 10, 20, 14, 30)],
    ['2026-11-20t09:30z', Date.UTC(2026, 10, 20, 9, 30)],
    ['yesterday at 18:30', local(2026, 10, 19, 18, 30)],
    ['yesterday, 6 pm', local(2026, 10, 19, 18)],
    ['monday at 9', local(2026, 10, 16, 9)],
    ['19 november 12am', local(2026, 10, 19)],
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
  assert.equal(parseDate('3mo', 'since', last), local(2026, 1, 28, 15, 30));
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
    ['10m', 0],
    ['last 10 m', 0],
    ['in 5m', 0],
    ['last 3 fridays', 0],
    ['99999 years ago', 0],
    ['since monday', 0],
    ['next wek', 0],
    ['last wek', 0],
    ['2026-13', 5],
    ['2026-00', 5],
    ['2026-00-10', 5],
    ['2026-11-00', 5],
    ['2026-W54', 5],
    ['2026-11-20 dawn', 0],
    ['last week morning', 0],
    ['in monday', 0],
    ['friday 20', 0],
    ['monday at 25', 7],
    ['3/4/2026', 0],
    ['31.2.2026', 5],
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

test('a side that a period does not have cannot be compared, except as the day before or after it', () => {
  assert.equal(parseDate('since monday', 'since', NOW), local(2026, 10, 16));
  assert.equal(parseDate('until friday', 'until', NOW), local(2026, 10, 21));
  assert.equal(parseDate('after 2026-11', 'since', NOW), local(2026, 11, 1));
  assert.equal(parseDate('before friday', 'due_before', NOW), local(2026, 10, 20));
  assert.throws(() => parseDate('until friday', 'since', NOW), /since is not a date: it has no beginning/);
});

test('days and weeks of the calendar do not depend on the hours that a change of the clock takes or adds', () => {
  // In most time zones with summer time one of these days has 23 or 25 hours.
  for (let day = 0; day < 370; day += 1) {
    const at = new Date(2026, 0, 1 + day, 12);
    const [today, tomorrow] = [parseDate('today', 'since', at), parseDate('tomorrow', 'since', at)];
    assert.equal(new Date(tomorrow).getDate(), new Date(2026, 0, 2 + day).getDate());
    assert.equal(new Date(today).getDate(), at.getDate());
    assert.equal(parseDate('last 7 days', 'since', at), local(2026, 0, 1 + day - 6));
    assert.equal(new Date(parseDate('this week', 'since', at)).getDay(), 1);
  }
});
