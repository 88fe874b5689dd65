// Tests the letters of Obsidian's date formats against its documentation and the calendar.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatMoment } from '../../../src/markdown/dates/moment-format.ts';
import { everyLanguage } from '../../../src/markdown/dates/moment-language.ts';

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

test('every letter of Moment.js is known in English', () => {
  const date = new Date(2026, 1, 3, 0, 5, 9, 78);
  for (const [format, written] of [
    ['do Mo Wo wo Qo DDDo yo', '2nd 2nd 6th 6th 1st 34th 2026th'],
    ['k kk e E', '24 24 2 2'],
    ['LT|LTS|L|LL', '12:05 AM|12:05:09 AM|02/03/2026|February 3, 2026'],
    ['LLL|LLLL', 'February 3, 2026 12:05 AM|Tuesday, February 3, 2026 12:05 AM'],
    ['l|ll|lll|llll', '2/3/2026|Feb 3, 2026|Feb 3, 2026 12:05 AM|Tue, Feb 3, 2026 12:05 AM'],
    ['S SS SSS SSSSS', '0 07 078 07800'],
    ['hmm hmmss Hmm Hmmss', '1205 120509 005 00509'],
    ['N NNN NNNN NNNNN z zz', 'AD AD Anno Domini AD  '],
    ['Y YYYYY YYYYYY y yy GG gg GGGGG', '2026 02026 +002026 2026 2026 26 26 02026'],
    ['DDDDD MMMMM YYY QQ', '0343 February2 262026 11'],
    [String.raw`\MM [a] [b]c`, 'MM a bc'],
    ['[x] YYYY]', 'x] YYYY'],
    ['[a[b]T', '[ambT'],
  ] as const)
    assert.equal(text(date, format), written, format);
  assert.equal(text(date, 'X'), String(Math.floor(date.getTime() / 1000)));
  assert.equal(text(date, 'x'), String(date.getTime()));
  assert.match(text(date, 'Z ZZ'), /^[+-]\d\d:\d\d [+-]\d{4}$/);
});

test('a letter that is known in English only is named in other languages', async () => {
  const french = (await everyLanguage()).find(({ code }) => code === 'fr');
  for (const letters of ['Mo', 'LL', 'llll', 'N', 'NNNN'])
    assert.deepEqual(formatMoment(at(2026, 1, 1), `YYYY ${letters}`, french), { unknown: letters });
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
