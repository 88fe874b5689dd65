// Dates in all languages of Moment.js: the same texts as its own, in `moment-forms.tsv`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languageCode } from '../../../src/markdown/dates/language-codes.ts';
import { formatMoment } from '../../../src/markdown/dates/moment-format.ts';
import { everyLanguage } from '../../../src/markdown/dates/moment-language.ts';
import { dates, formats, texts } from './moment-forms.ts';

test('each language formats dates as Moment.js does', async () => {
  const languages = await everyLanguage();
  const wrong: string[] = [];
  for (const [code, expected] of Object.entries(texts)) {
    const language = languages.find((one) => one.code === code);
    assert.ok(language, code);
    for (const [at, date] of dates.entries()) {
      for (const [row, format] of formats.entries()) {
        const formatted = formatMoment(date, format, language);
        const text = 'text' in formatted ? formatted.text : formatted.unknown;
        if (text !== expected[at]?.[row]) wrong.push(`${code} ${format}: ${text}, not ${expected[at]?.[row]}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
  assert.equal(Object.keys(texts).length, 136);
});

test('a setting names a language as Moment.js, Obsidian or the system does', async () => {
  for (const { code } of await everyLanguage()) assert.equal(languageCode(code), code);
  for (const [written, code] of [
    ...[['FR', 'fr'] as const, ['zh', 'zh-cn'] as const, ['no', 'nb'] as const, ['pt_BR', 'pt-br'] as const],
    ...[['de-DE', 'de'] as const, ['fr_FR', 'fr'] as const],
  ]) {
    assert.equal(languageCode(written), code);
  }
  for (const written of ['', 'klingon', 'x', '__proto__', 'constructor'])
    assert.equal(languageCode(written), undefined);
});
