// The dates that texts write: forms of the largest languages, ranges, times of day, what is ambiguous, and what is no date.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { everyLanguage, type Language } from '../../../../src/markdown/dates/moment-language.ts';
import { isoOf, type PlainDate, precisionOf, spanOf } from '../../../../src/markdown/dates/written/plain-date.ts';
import { writtenDates } from '../../../../src/markdown/dates/written/written-dates.ts';
import { writtenIn } from '../../../../src/markdown/dates/written/written-language.ts';

let languages: readonly Language[] = [];
// Not awaited here: what a file registers after waiting is not counted as its tests.
beforeEach(async () => {
  languages = await everyLanguage();
});
const shown = (date: PlainDate): string =>
  date.year === undefined ? `${date.month}-${date.day} of some year` : isoOf(date);
const datesIn = (text: string, language?: string, order?: 'day first' | 'month first'): string[] =>
  writtenDates(text, languages, { language, order }).map(({ date, until }) =>
    until === undefined ? shown(date) : `${shown(date)} to ${shown(until)}`,
  );

type Form = readonly [text: string, language?: string];
const DAY: readonly Form[] = [
  ['12 March 2024'],
  ['March 12th, 2024'],
  ['the 12th of March, 2024'],
  ['Tuesday, March 12, 2024'],
  ['12 Mar 2024'],
  ['12-Mar-2024'],
  ['2024-03-12'],
  ['2024/03/12'],
  ['2024.03.12'],
  ['12.3.2024'],
  ['12. 3. 2024', 'de'],
  ['am 12. März 2024', 'de'],
  ['le 12 mars 2024', 'fr'],
  ['12 de marzo de 2024', 'es'],
  ['12 de Marzo, 2024', 'es'],
  ['12 de março de 2024', 'pt'],
  ['12 марта 2024 г.', 'ru'],
  ['12.03.2024г.', 'ru'],
  ['2024年3月12日', 'zh'],
  ['二〇二四年三月十二日', 'zh'],
  ['２０２４年３月１２日', 'ja'],
  ['2024年3月12日に行った', 'ja'],
  ['2024-03-12に行った', 'ja'],
  ['2024년 3월 12일에', 'ko'],
  ['2024. 3. 12.', 'ko'],
  ['१२ मार्च २०२४', 'hi'],
  ['12 मार्च, 2024 को', 'hi'],
  ['١٢ مارس ٢٠٢٤', 'ar'],
  ['12 آذار 2024', 'ar'],
  ['٢٠٢٤/٠٣/١٢', 'ar'],
  ['১২ মার্চ ২০২৪', 'bn'],
  ['১২ই মার্চ ২০২৪', 'bn'],
  ['ngày 12 tháng 3 năm 2024', 'vi'],
  ['12 marzo 2024', 'it'],
  ['[[2024-03-12]]'],
  ['Date:2024-03-12'],
];

test('a day is read in each language and form', () => {
  for (const [text, language] of DAY) assert.deepEqual(datesIn(text, language), ['2024-03-12'], text);
});

const OTHERS: readonly (readonly [text: string, date: string, language?: string])[] = [
  ['1er mars 2024', '2024-03-01', 'fr'],
  ['March 2024', '2024-03'],
  ['Seit März 2024 läuft', '2024-03'],
  ['Mart 2024', '2024-03'],
  ['w styczniu 2024', '2024-01'],
  ['wiosną 2024', '2024'],
  ['1.º de mayo de 2024', '2024-05-01', 'es'],
  ['令和6年3月12日', '2024-03-12', 'ja'],
  ['平成元年1月', '1989-01', 'ja'],
  ['民國113年3月12日', '2024-03-12', 'zh'],
  ['Mar 2024', '2024-03'],
  ['marzo de 2024', '2024-03', 'es'],
  ['март 2024', '2024-03', 'ru'],
  ['مارس ٢٠٢٤', '2024-03', 'ar'],
  ['2024年3月', '2024-03', 'zh'],
  ['2024/03', '2024-03'],
  ['2024-03', '2024-03'],
  ['03/2024', '2024-03'],
  ['Q1 2024', '2024-Q1'],
  ['2024-Q1', '2024-Q1'],
  ['first quarter of 2024', '2024-Q1'],
  ['1. Quartal 2024', '2024-Q1', 'de'],
  ['T1 2024', '2024-Q1', 'fr'],
  ['1-й квартал 2024', '2024-Q1', 'ru'],
  ['الربع الأول من 2024', '2024-Q1', 'ar'],
  ['पहली तिमाही 2024', '2024-Q1', 'hi'],
  ['2024年第一季度', '2024-Q1', 'zh'],
  ['2024-W12', '2024-W12'],
  ['KW 12/2024', '2024-W12', 'de'],
  ['week 12 of 2024', '2024-W12'],
  ['spring 2024', '2024'],
  ['im Sommer 2024', '2024', 'de'],
  ['outono de 2024', '2024', 'pt'],
  ['in 2019 we moved', '2019'],
  ['since 2010.', '2010'],
  ['2019年', '2019', 'ja'],
  ['в 2019 году', '2019', 'ru'],
  ['on 3 May', '5-3 of some year'],
  ['am 3. Mai', '5-3 of some year', 'de'],
  ['el 3 de mayo', '5-3 of some year', 'es'],
  ['3 мая', '5-3 of some year', 'ru'],
  ['3月12日', '3-12 of some year', 'zh'],
  ['2024-03-12 14:30', '2024-03-12T14:30'],
  ['2024-03-12T14:30:05', '2024-03-12T14:30:05'],
  ['12 March 2024 at 3:05 pm', '2024-03-12T15:05'],
  ['12 March 2024, 12:10 a.m.', '2024-03-12T00:10'],
  ['am 12. März 2024 um 14:30 Uhr', '2024-03-12T14:30', 'de'],
  ['4 mai 2024 à 14:30', '2024-05-04T14:30', 'fr'],
  ['2024年3月12日（火）14:30', '2024-03-12T14:30', 'ja'],
  ['3–5 May 2024', '2024-05-03 to 2024-05-05'],
  ['May 3-5, 2024', '2024-05-03 to 2024-05-05'],
  ['from 3 May to 5 June 2024', '2024-05-03 to 2024-06-05'],
  ['28 December – 3 January 2025', '2024-12-28 to 2025-01-03'],
  ['March–May 2024', '2024-03 to 2024-05'],
  ['2024-03-12/2024-03-15', '2024-03-12 to 2024-03-15'],
  ['2024-03-12 to 2024-03-15', '2024-03-12 to 2024-03-15'],
  ['3.–5. Mai 2024', '2024-05-03 to 2024-05-05', 'de'],
  ['du 3 au 5 mai 2024', '2024-05-03 to 2024-05-05', 'fr'],
  ['del 3 al 5 de mayo de 2024', '2024-05-03 to 2024-05-05', 'es'],
  ['с 3 по 5 мая 2024', '2024-05-03 to 2024-05-05', 'ru'],
  ['من 3 إلى 5 مايو 2024', '2024-05-03 to 2024-05-05', 'ar'],
  ['3 से 5 मई 2024', '2024-05-03 to 2024-05-05', 'hi'],
  ['2024年5月3日〜8日', '2024-05-03 to 2024-05-08', 'ja'],
  ['(1879–1955)', '1879 to 1955'],
  ['from 2019 to 2021', '2019 to 2021', 'en'],
  ['between 2019 and 2021', '2019 to 2021', 'en'],
  ['zwischen 2019 und 2021', '2019 to 2021', 'de'],
  ['von 2019 bis 2021', '2019 to 2021', 'de'],
  ['entre 2019 y 2021', '2019 to 2021', 'es'],
  ['de 2019 à 2021', '2019 to 2021', 'fr'],
  ['entre 2019 e 2021', '2019 to 2021', 'pt'],
  ['между 2019 и 2021', '2019 to 2021', 'ru'],
  ['2019 से 2021 तक', '2019 to 2021', 'hi'],
  ['بين 2019 و2021', '2019 to 2021', 'ar'],
  ['২০১৯ থেকে ২০২১', '2019 to 2021', 'bn'],
  ['in the 1990s', '1990 to 1999', 'en'],
  ['in den 1990er Jahren', '1990 to 1999', 'de'],
  ['les années 1990', '1990 to 1999', 'fr'],
  ['los años 1990', '1990 to 1999', 'es'],
  ['в 1990-х', '1990 to 1999', 'ru'],
  ['1990年代', '1990 to 1999', 'ja'],
  ['1990년대', '1990 to 1999', 'ko'],
  ['mid-2025', '2025', 'en'],
  ['Ende 2025', '2025', 'de'],
  ['a mediados de 2025', '2025', 'es'],
  ['mi-2025', '2025', 'fr'],
  ['no ano de 2020', '2020', 'pt'],
  ['2026 में', '2026', 'hi'],
  ['منذ 2019', '2019', 'ar'],
  ['2026 میں', '2026', 'ur'],
  ['مارچ 2026', '2026-03', 'ur'],
  ['sejak 2019', '2019', 'id'],
  ['March 3rd', '3-3 of some year', 'en'],
];

test('months, quarters, weeks, years, days without a year, times of day and ranges keep their precision', () => {
  for (const [text, date, language] of OTHERS) assert.deepEqual(datesIn(text, language), [date], text);
});

test('days and months in digits are told apart where the text or its language shows their order', () => {
  assert.deepEqual(datesIn('3/4/2024'), ['2024']);
  assert.deepEqual(datesIn('3-4-2024'), ['2024']);
  assert.deepEqual(datesIn('3/4/2024', 'de', 'day first'), ['2024-04-03']);
  assert.deepEqual(datesIn('3/4/2024', 'en', 'month first'), ['2024-03-04']);
  assert.deepEqual(datesIn('13/4/2024'), ['2024-04-13']);
  assert.deepEqual(datesIn('4/13/2024'), ['2024-04-13']);
  assert.deepEqual(datesIn('5/5/2024'), ['2024-05-05']);
  const orderIn = (text: string, setting?: string) => writtenIn(text, setting).order;
  assert.equal(orderIn('We met on 3/4/2024 and that was it.'), undefined);
  assert.equal(orderIn('We met on 3/4/2024, and again on 25/4/2024.'), 'day first');
  assert.equal(orderIn('We met on 3/4/2024, and again on 4/25/2024.'), 'month first');
  assert.equal(orderIn('Met on 4/25/2024 and 25/4/2024.'), undefined);
  assert.equal(orderIn('Wir haben uns nicht am 3/4/2024 mit der Chefin getroffen, und das ist gut.'), 'day first');
  assert.equal(orderIn('The day that we met was 3/4/2024 and this is it.', 'en-gb'), 'day first');
  assert.equal(orderIn('The day that we met was 3/4/2024 and this is it.', 'en-us'), 'month first');
  assert.equal(orderIn('इस दिन हम 3/4/2024 को मिले'), 'day first');
  assert.equal(writtenIn('ہم بچوں کے ساتھ بندرگاہ گئے اور یہ اچھا دن تھا۔').language, 'ur');
  assert.equal(writtenIn('Ми ходили в порт із дітьми, і це був гарний день.').language, 'uk');
});

const NONE: readonly Form[] = [
  ['v1.2.2024'],
  ['version 1.2.2024'],
  ['1.20.3'],
  ['1.20.2024'],
  ['2024.1.2'],
  ['10.1.2.2024'],
  ['1.2.2024.5'],
  ['12:30'],
  ['ISBN 978-3-16-148410-0'],
  ['+49 170 2024 03'],
  ['0171/2024-03-12'],
  ['CVE-2024-03-12'],
  ['Log/2024-03-12.md'],
  ['in 1920 pixels'],
  ['in 2048 bits'],
  ['we set 2024 as target'],
  ['3 may help'],
  ['31.2.2024'],
  ['2024-13-01'],
  ['12.3.24'],
  ['12 March 24'],
  ["March 12 '24"],
  ['3/2024'],
  ['mai 1500 Euro'],
  ['Juli 2024 %'],
  ['Mars 2024'],
  ['phone 1990-2005-3'],
  ['2011-12'],
  ['12345678'],
  ['20240312'],
  ['pages 1990-1999'],
  ['S. 1990–1999', 'de'],
  ['from 1500 to 2000 words'],
  ['between 1950 and 2000 people'],
  ['the 1800s'],
  ['1000s of boats'],
  ['mid 2000 m'],
];

test('versions, times, numbers and days that do not exist are no dates', () => {
  for (const [text, language] of NONE) assert.deepEqual(datesIn(text, language), [], text);
});

test('a text has its dates in order, each at its place', () => {
  const text = 'Planted 3 May 2023, harvested 2023-09-12; eaten in 2024.';
  const found = writtenDates(text, languages, { language: 'en', order: undefined });
  assert.deepEqual(
    found.map(({ from, to }) => text.slice(from, to)),
    ['3 May 2023', '2023-09-12', '2024'],
  );
  assert.deepEqual(
    found.map(({ date }) => precisionOf(date)),
    ['day', 'day', 'year'],
  );
});

test('a date covers its whole time', () => {
  const covers = (date: PlainDate) => Object.values(spanOf(date)).join(' ');
  assert.equal(covers({ year: 2024 }), '2024-01-01 2025-01-01');
  assert.equal(covers({ year: 2024, month: 12 }), '2024-12-01 2025-01-01');
  assert.equal(covers({ year: 2024, quarter: 4 }), '2024-10-01 2025-01-01');
  assert.equal(covers({ year: 2024, week: 1 }), '2024-01-01 2024-01-08');
  assert.equal(covers({ year: 2024, month: 2, day: 29 }), '2024-02-29 2024-03-01');
});

test('hostile texts are read in time that grows with their length', () => {
  const seconds = (text: string): number => {
    const before = process.cpuUsage();
    writtenDates(text, languages, { language: undefined, order: undefined });
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  };
  for (const part of ['1', '12 ', '12 March ', '2024-03-', '1.', 'March – ', '三月', '٣/', '2024 ', 'q1 '])
    assert.ok(seconds(part.repeat(100_000 / part.length)) < 8, part);
});
