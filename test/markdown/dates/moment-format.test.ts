// Tests the letters of Obsidian's date formats against its documentation and the calendar.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatMoment } from '../../../src/markdown/dates/moment-format.ts';

const at = (year: number, month: number, day: number, hours = 9, minutes = 5) =>
  new Date(year, month - 1, day, hours, minutes, 7);
const text = (date: Date, format: string): string => {
  const written = formatMoment(date, format);
  assert.ok('text' in written, JSON.stringify(written));
  return written.text;
};

test('days, months, quarters and times', () => {
  const date = at(2026, 3, 2, 15);
  for (const [format, expected] of [
    ['YYYY-MM-DD', '2026-03-02'],
    ['YY/M/D', '26/3/2'],
    ['dddd, MMMM Do, YYYY', 'Monday, March 2nd, 2026'],
    ['ddd dd d E', 'Mon Mo 1 1'],
    ['MMM', 'Mar'],
    ['[Q]Q YYYY', 'Q1 2026'],
    ['DDDD DDD', '061 61'],
    ['HH:mm:ss H h hh m s', '15:05:07 15 3 03 5 7'],
    ['h:mm A (a)', '3:05 PM (pm)'],
    ['YYYY[/]MM[ today is ]DD', '2026/03 today is 02'],
    ['', ''],
    ['日記 YYYY_MM', '日記 2026_03'],
  ] as const)
    assert.equal(text(date, format), expected, format);
});

test('ordinals', () => {
  const days = Array.from({ length: 31 }, (_, at0) => text(at(2026, 1, at0 + 1), 'Do'));
  assert.deepEqual(days.slice(0, 4), ['1st', '2nd', '3rd', '4th']);
  assert.deepEqual(days.slice(10, 13), ['11th', '12th', '13th']);
  assert.deepEqual(days.slice(20, 24), ['21st', '22nd', '23rd', '24th']);
  assert.equal(days[30], '31st');
});

test('the year of an ISO week is that of its Thursday, of an English week that of its Saturday', () => {
  for (const [date, iso, english] of [
    [at(2026, 1, 1), '2026-01', '2026-01'],
    [at(2026, 11, 21), '2026-47', '2026-47'],
    [at(2027, 1, 1), '2026-53', '2027-01'],
    [at(2026, 12, 27), '2026-52', '2027-01'],
    [at(2023, 1, 1), '2022-52', '2023-01'],
    [at(2024, 12, 30), '2025-01', '2025-01'],
  ] as const) {
    assert.equal(text(date, 'GGGG-WW'), iso, String(date));
    assert.equal(text(date, 'gggg-ww'), english, String(date));
  }
  assert.equal(text(at(2026, 1, 5), 'W w'), '2 2');
});

test('an unsupported format letter is named', () => {
  for (const [format, unknown] of [
    ['YYYY-MM-DD x', 'x'],
    ['Mo', 'Mo'],
    ['YYYYY', 'YYYYY'],
    ['LL', 'LL'],
    ['HH:mm Z', 'Z'],
    ['YYYY\\MM', '\\'],
    ['DDo', 'DDo'],
  ] as const)
    assert.deepEqual(formatMoment(at(2026, 1, 1), format), { unknown }, format);
});

test('the letters of ISO dates agree with the calendar on every day', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(1971, 0, 2), max: new Date(2100, 0, 1), noInvalidDate: true }), (date) => {
      const [year, month, day] = text(date, 'YYYY-MM-DD').split('-').map(Number);
      assert.deepEqual([year, month, day], [date.getFullYear(), date.getMonth() + 1, date.getDate()]);
      const nextDay = new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1, 12);
      const [one, other] = [text(date, 'GGGG-WW'), text(nextDay, 'GGGG-WW')];
      assert.equal(one === other, nextDay.getDay() !== 1, `${date}`);
    }),
  );
});
