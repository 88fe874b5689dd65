// The dates that a question names, in the languages with the most writers, in digits, and as weeks and quarters.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { everyLanguage, type Language } from '../../../src/markdown/dates/moment-language.ts';
import { namedDates } from '../../../src/markdown/dates/named-dates.ts';

let languages: readonly Language[] = [];
// Not awaited here: what a file registers after waiting is not counted as its tests.
beforeEach(async () => {
  languages = await everyLanguage();
});
const daysIn = (text: string, language = 'en') => namedDates(text, languages, language).flatMap(({ days }) => days);

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
  ['July and September 2023', ['2023-07', '2023-09']],
  ['October 3 and 5, 2023', ['2023-10-03', '2023-10-05']],
  ['3/4/2023', ['2023-04-03', '2023-03-04']],
  ['2023-10', ['2023-10']],
  ['What happened in 2023?', ['2023']],
  ['Q3 2023', ['2023-07', '2023-08', '2023-09']],
  ['third quarter of 2023', ['2023-07', '2023-08', '2023-09']],
  ['3. Quartal 2023', ['2023-07', '2023-08', '2023-09'], 'de'],
  ['2023年第三季度', ['2023-07', '2023-08', '2023-09']],
  ['2024-02-29', ['2024-02-29']],
];

test('months, years, quarters, weeks and days without a year are read', () => {
  for (const [text, days, language] of OTHERS) assert.deepEqual(daysIn(text, language), days, text);
});

const WEEK = ['2023-10-09', '2023-10-15'];
/** The first and the last of the days, months or years of each. */
const LONGER: readonly (readonly [text: string, ends: readonly string[], language?: string])[] = [
  ...(['2023-W41', 'week 41 of 2023'] as const).map((text) => [text, WEEK] as const),
  ['semaine 41, 2023', WEEK, 'fr'],
  ...(['between May and July 2021', 'May–July 2021', 'from May to July 2021', 'с мая по июль 2021'] as const).map(
    (text) => [text, ['2021-05', '2021-07']] as const,
  ),
  ['zwischen Mai und Juli 2021', ['2021-05', '2021-07'], 'de'],
  ['entre mayo y julio de 2021', ['2021-05', '2021-07'], 'es'],
  ['de maio a julho de 2021', ['2021-05', '2021-07'], 'pt'],
  ['entre mai et juillet 2021', ['2021-05', '2021-07'], 'fr'],
  ['между маем и июлем 2021', ['2021-05', '2021-07']],
  ['2021年5月到7月', ['2021-05', '2021-07'], 'zh'],
  ['2021年5月から7月まで', ['2021-05', '2021-07'], 'ja'],
  ['2021년 5월부터 7월까지', ['2021-05', '2021-07'], 'ko'],
  ['मई से जुलाई 2021 तक', ['2021-05', '2021-07'], 'hi'],
  ['بين مايو ويوليو 2021', ['2021-05', '2021-07'], 'ar'],
  ['মে থেকে জুলাই ২০২১', ['2021-05', '2021-07'], 'bn'],
  ['May to July', ['____-05', '____-07']],
  ['December to February 2024', ['2023-12', '2024-02']],
  ['May 2019 to March 2021', ['2019-05', '2021-03']],
  ['2019 to 2021', ['2019', '2021']],
  ['Q3 2023 to Q1 2024', ['2023-07', '2024-03']],
  ['3 to 10 May 2023', ['2023-05-03', '2023-05-10']],
  ['vom 3. Mai bis 10. Juni 2023', ['2023-05-03', '2023-06-10'], 'de'],
  ['du 3 au 10 mai 2023', ['2023-05-03', '2023-05-10'], 'fr'],
  ['July 3 to August 5, 2023', ['2023-07-03', '2023-08-05']],
  ['2023-05-01 to 2023-05-10', ['2023-05-01', '2023-05-10']],
  ['the 1990s', ['1990', '1999']],
  ["the '80s", ['1980', '1989']],
  ['in den 90er Jahren', ['1990', '1999'], 'de'],
  ['les années 90', ['1990', '1999'], 'fr'],
  ['в 1990-е годы', ['1990', '1999']],
  ['九十年代', ['1990', '1999'], 'zh'],
  ['spring of 2023', ['2023-03', '2023-05']],
  ['im Frühjahr 2023', ['2023-03', '2023-05'], 'de'],
  ['en la primavera de 2023', ['2023-03', '2023-05'], 'es'],
  ['au printemps 2023', ['2023-03', '2023-05'], 'fr'],
  ['весной 2023 года', ['2023-03', '2023-05']],
  ['2023年春天', ['2023-03', '2023-05'], 'zh'],
  ['2023年春に', ['2023-03', '2023-05'], 'ja'],
  ['2023년 봄에', ['2023-03', '2023-05'], 'ko'],
  ['2023 के वसंत में', ['2023-03', '2023-05'], 'hi'],
  ['في ربيع 2023', ['2023-03', '2023-05'], 'ar'],
  ['২০২৩ সালের বসন্তে', ['2023-03', '2023-05'], 'bn'],
  ['winter 2022/23', ['2022-12', '2023-02']],
  ['during the summer', ['____-06', '____-08']],
  ['Christmas 2022', ['2022-12-24', '2022-12-26']],
];

test('ranges, decades, seasons and feasts are read in each language', () => {
  for (const [text, ends, language] of LONGER) {
    const days = daysIn(text, language);
    assert.deepEqual([days[0], days.at(-1)], ends, text);
  }
});

/** Each names a part of what the last one of its days is in. */
const PARTS: readonly (readonly [text: string, first: string, last: string, language?: string])[] = [
  ...(
    [
      ['early March 2023'],
      ['Anfang März 2023', 'de'],
      ['a principios de marzo de 2023', 'es'],
      ['no início de março de 2023', 'pt'],
      ['début mars 2023', 'fr'],
      ['в начале марта 2023 года', 'ru'],
      ['2023年3月初', 'zh'],
      ['2023年3月上旬', 'ja'],
      ['2023년 3월 초에', 'ko'],
      ['मार्च 2023 की शुरुआत में', 'hi'],
      ['في أوائل مارس 2023', 'ar'],
      ['মার্চ ২০২৩ এর শুরুতে', 'bn'],
    ] as const
  ).map(([text, language = 'en']) => [text, '2023-03-01', '2023-03-11', language] as const),
  ...(
    [
      ['the last week of June 2023'],
      ['letzte Woche im Juni 2023', 'de'],
      ['la última semana de junio de 2023', 'es'],
      ['la dernière semaine de juin 2023', 'fr'],
      ['на последней неделе июня 2023', 'ru'],
      ['2023年6月的最后一周', 'zh'],
      ['2023年6月の最後の週', 'ja'],
      ['2023년 6월 마지막 주에', 'ko'],
      ['जून 2023 के अंतिम सप्ताह में', 'hi'],
      ['في الأسبوع الأخير من يونيو 2023', 'ar'],
    ] as const
  ).map(([text, language = 'en']) => [text, '2023-06-24', '2023-06-30', language] as const),
  ['the middle of May', '____-05-11', '____-05-21'],
  ['first weekend of August 2023', '2023-08-01', '2023-08-07'],
  ['the last two weeks of August 2023', '2023-08-18', '2023-08-31'],
  ['the second half of May 2023', '2023-05-16', '2023-05-31'],
  ['first half of 2023', '2023-01', '2023-06'],
  ['1. Halbjahr 2023', '2023-01', '2023-06', 'de'],
  ['2023年上半年', '2023-01', '2023-06', 'zh'],
  ['end of 2023', '2023-09', '2023-12'],
  ['end of summer 2023', '2023-08', '2023-08'],
  ['Ende des Sommers 2023', '2023-08', '2023-08', 'de'],
  ['im Spätsommer 2023', '2023-08', '2023-08', 'de'],
  ['à la fin de l’été 2023', '2023-08', '2023-08', 'fr'],
  ['2023년 여름 말에', '2023-08', '2023-08', 'ko'],
  ['end of Q3 2023', '2023-09', '2023-09'],
  ['early 1990s', '1990', '1993'],
];

test('parts of months, seasons, quarters, years and decades are read before the whole of them', () => {
  for (const [text, first, last, language = 'en'] of PARTS) {
    const [part, whole] = namedDates(text, languages, language);
    assert.deepEqual([part?.days[0], part?.days.at(-1)], [first, last], text);
    assert.ok(
      whole?.days.some((days) => first.startsWith(days)),
      text,
    );
  }
});

test('other words and numbers, and days that do not exist, are not dates', () => {
  const texts = [
    ...['May I leave? They march on. The may tree', 'who flew to Mars', 'set 5 alarms, out 3', 'Jan wrote to April'],
    ...['300 people, 555-123-4567, 192.168.10.12', '5个月', 'week 41', 'Abigail 12', 'constructor'],
    ...['plans for the summer, spring cleaning, I fall', 'the last week, half of them, the end', 'Christmas recipes'],
    ...['3 to 5 people, rooms 12 to 20'],
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
