// Questions that name a date, over a real vault: notes of that date rank higher, whatever dates them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchText } from '../../../src/tools/search/search_text.ts';
import { withTools } from '../tools-under-test.ts';

const OF_A_DAY = {
  'By property.md': '---\ndate: 2023-10-13\n---\nPainted a harbour.\n',
  'Log/2023-10-14.md': 'Painted a harbour.\n',
  'Headings.md': '# Log\n\n## 2023-10-20\n\nPainted a harbour.\n',
  'Plain.md': 'Painted a harbour.\n',
  'Much.md': 'Painted, painted, painted a harbour: a harbour, the harbour.\n',
  ...Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`Other ${at}.md`, `Nothing ${'painted '.repeat(at % 2)}here.\n`]),
  ),
};

test('notes of a day come first by property, name and heading, and those around it before the rest', () =>
  withTools(OF_A_DAY, async ({ ask }) => {
    const pathsOf = async (query: string, input: object = {}) =>
      (await ask(searchText, { query, ...input })).hits.map(({ path }: { path: string }) => path);
    const question = 'What harbour was painted on 13 October 2023?';
    assert.deepEqual((await pathsOf(question)).slice(0, 2), ['By property.md', 'Log/2023-10-14.md']);
    assert.equal((await pathsOf('What harbour was painted on October 14, 2023?'))[0], 'Log/2023-10-14.md');
    assert.equal((await pathsOf('Welcher Hafen war am 20. Oktober 2023 harbour painted?'))[0], 'Headings.md');
    assert.deepEqual((await pathsOf('harbour painted in October 2023')).slice(0, 3).sort(), [
      ...['By property.md', 'Headings.md', 'Log/2023-10-14.md'],
    ]);
    assert.equal((await pathsOf('harbour painted in May 2021'))[0], (await pathsOf('harbour painted'))[0]);
    assert.equal((await pathsOf('harbour painted "13 October 2023"'))[0], (await pathsOf('harbour painted'))[0]);
    assert.equal((await pathsOf('harbour painted', { match: 'all' })).length, 5);
  }));

test('a part of a month, a season and a range raise their notes, the part above the rest of its month', () =>
  withTools(OF_A_DAY, async ({ ask }) => {
    const firstOf = async (query: string) =>
      (await ask(searchText, { query, limit: 2 })).hits.map(({ path }: { path: string }) => path).sort();
    const dated = ['By property.md', 'Log/2023-10-14.md'];
    assert.deepEqual(await firstOf('harbour painted in mid October 2023'), dated);
    assert.deepEqual(await firstOf('harbour painted in the autumn of 2023'), dated);
    assert.deepEqual(await firstOf('harbour painted between August and November 2023'), dated);
    assert.notDeepEqual(await firstOf('harbour painted in spring 2023'), dated);
  }));

test('a note is found by its day alone unless a word excludes it, and explain names the date', () =>
  withTools(OF_A_DAY, async ({ ask }) => {
    const found = async (query: string) => await ask(searchText, { query, explain: true });
    const byDay = await found('Was geschah am 13. Oktober 2023?');
    assert.equal(byDay.hits[0].path, 'By property.md');
    assert.deepEqual(byDay.explain.dated, ['2023-10-13']);
    assert.equal('dated' in (await found('harbour')).explain, false);
    assert.equal(
      (await found('harbour on 13 October 2023 -painted')).hits.some(
        ({ path }: { path: string }) => path === 'By property.md',
      ),
      false,
    );
  }));
