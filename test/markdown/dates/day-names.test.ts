// Names of daily notes: recognized in all languages as Moment.js writes them, and which language a name is written in.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DayNames } from '../../../src/markdown/dates/day-names.ts';
import { ENGLISH, everyLanguage } from '../../../src/markdown/dates/moment-language.ts';
import { dates, formats, texts } from './moment-forms.ts';

/** The formats that name one day. */
const DAYS = ['YYYY-MM-DD dddd', 'YYYY.MM.DD ddd', 'D MMMM YYYY', 'MMMM D, YYYY', 'dd Do MMM YYYY', 'YYYY/MM-MMMM/DD'];

test('a day is found and its language is known in each language and format', async () => {
  const languages = await everyLanguage();
  for (const format of DAYS) {
    const names = new DayNames(format, languages);
    for (const [code, ofDates] of Object.entries(texts)) {
      for (const [at, date] of dates.entries()) {
        const name = names.fold(ofDates[at]?.[formats.indexOf(format)] ?? '');
        const day = new Date(date.getFullYear(), date.getMonth(), date.getDate());
        const found = names.inEachLanguage(() => day, ENGLISH);
        assert.ok(found.has(name), `${code} ${format} ${name}`);
        assert.ok(
          names.languagesOf(name).some((language) => language.code === code),
          `${code} ${format} ${name}`,
        );
      }
    }
  }
});

test('dots of abbreviations and case make no difference', async () => {
  const names = new DayNames('YYYY-MM-DD ddd', await everyLanguage());
  const found = names.inEachLanguage(() => new Date(2026, 0, 3), ENGLISH);
  for (const name of [
    '2026-01-03 sam',
    '2026-01-03 Sam.',
    '2026-01-03 SAM',
    '2026-01-03 토',
    '2026-01-03 sáb',
    '2026-01-03 Sa',
  ])
    assert.ok(found.has(names.fold(name)), name);
  for (const name of ['2026-01-03 dim', '2026-01-04 sam', '2026-01-03']) assert.ok(!found.has(names.fold(name)), name);
});

test('a week number is compared only in languages that count weeks alike', async () => {
  const languages = await everyLanguage();
  const names = new DayNames('gggg-[W]ww', languages);
  const french = languages.find(({ code }) => code === 'fr');
  assert.ok(french);
  const sunday = () => new Date(2026, 10, 22);
  assert.deepEqual([...names.inEachLanguage(sunday, ENGLISH)].includes('2026-w47'), false);
  assert.ok(names.inEachLanguage(sunday, ENGLISH).has('2026-w48'));
  assert.deepEqual([...names.inEachLanguage(sunday, french)].includes('2026-w48'), false);
  assert.ok(names.inEachLanguage(sunday, french).has('2026-w47'));
});
