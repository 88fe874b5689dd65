// The dates that a question names, in the languages with the most writers, in digits, and as weeks and quarters.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everyLanguage } from '../../../src/markdown/dates/moment-language.ts';
import { namedDates } from '../../../src/markdown/dates/named-dates.ts';

const languages = await everyLanguage();
const daysIn = (text: string, language = 'en') =>
  namedDates(text, languages, language).flatMap(({ unit, days }) => (unit === 'week' ? days.slice(0, 1) : days));

const DAY = '2023-10-13';
const DAYS: readonly (readonly [text: string, language?: string])[] = [
  ['What did Ann paint on October 13, 2023?'],
  ['the 13th of October 2023'],
  ['on 13 Oct 2023'],
  ['今天2023年10月13日发生了什么'],
  ['二〇二三年十月十三日'],
  ['¿Qué pasó el 13 de octubre de 2023?', 'es'],
  ['१३ अक्टूबर २०२३ को क्या हुआ'],
  ['ماذا حدث في 13 أكتوبر 2023'],
  ['ماذا حدث في ١٣ أكتوبر ٢٠٢٣'],
  ['O que houve em 13 de outubro de 2023?', 'pt'],
  ['১৩ অক্টোবর ২০২৩ তারিখে'],
  ['Что было 13 октября 2023 года?'],
  ['2023年10月13日に何をしましたか'],
  ['Was geschah am 13. Oktober 2023?', 'de'],
  ['le vendredi 13 octobre 2023', 'fr'],
  ['2023년 10월 13일에 무엇을 했나'],
  ['ngày 13 tháng 10 năm 2023'],
  ['כתבתי ב-13 באוקטובר 2023'],
  ['2023-10-13'],
  ['am 13.10.2023'],
  ['10/13/2023'],
  ['13/10/2023'],
  ['20231013'],
];

test('a day is read in each language and form', () => {
  for (const [text, language] of DAYS) assert.deepEqual(daysIn(text, language), [DAY], text);
});

const OTHERS: readonly (readonly [text: string, days: readonly string[], language?: string])[] = [
  ['in October 2023', ['2023-10']],
  ['Which trip was in July?', ['____-07']],
  ['notes de juillet', ['____-07']],
  ['в октябре 2023', ['2023-10']],
  ['что было в мае', ['____-05']],
  ['w październiku 2023', ['2023-10']],
  ['10월에', ['____-10']],
  ['on 3 May', ['____-05-03']],
  ['from July to September 2023', ['2023-07', '2023-09']],
  ['October 3 and 5, 2023', ['2023-10-03', '2023-10-05']],
  ['3/4/2023', ['2023-04-03', '2023-03-04']],
  ['2023-10', ['2023-10']],
  ['What happened in 2023?', ['2023']],
  ['Q3 2023', ['2023-07', '2023-08', '2023-09']],
  ['third quarter of 2023', ['2023-07', '2023-08', '2023-09']],
  ['3. Quartal 2023', ['2023-07', '2023-08', '2023-09'], 'de'],
  ['2023年第三季度', ['2023-07', '2023-08', '2023-09']],
  ['2023-W41', ['2023-10-09']],
  ['week 41 of 2023', ['2023-10-09']],
  ['semaine 41, 2023', ['2023-10-09'], 'fr'],
  ['2024-02-29', ['2024-02-29']],
];

test('months, years, quarters, weeks and days without a year are read', () => {
  for (const [text, days, language] of OTHERS) assert.deepEqual(daysIn(text, language), days, text);
});

test('other words and numbers, and days that do not exist, are not dates', () => {
  const texts = [
    ...['May I leave? They march on. The may tree', 'who flew to Mars', 'set 5 alarms, out 3', 'Jan wrote to April'],
    ...['300 people, 555-123-4567, 192.168.10.12', '5个月', 'the 1990s', 'week 41', 'Abigail 12', 'constructor'],
    ...['31.02.', 'x'.repeat(5_000)],
  ];
  assert.deepEqual(
    texts.flatMap((text) => daysIn(text)),
    ['____-04'],
  );
  assert.deepEqual(daysIn('February 30, 2023'), []);
  assert.deepEqual(daysIn('Martin 2019, Julia 2019'), ['2019']);
});

test('a day has the days around it and its written forms', () => {
  const [day] = namedDates('am 2. Januar 2023', languages, 'de');
  assert.deepEqual([day?.around.at(0), day?.around.at(-1), day?.around.length], ['2022-12-30', '2023-01-05', 7]);
  for (const text of ['2023-01-02', '2.1.2023', 'January 2, 2023', '2 Januar 2023'])
    assert.ok(day?.written.includes(text), text);
  assert.deepEqual(namedDates('on 2 January', languages, 'en')[0]?.around, []);
});
