// Words in other forms than the notes have, in languages whose endings are not known: they are found, and not corrected.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchText } from '../../../src/tools/search/search_text.ts';
import { withTools } from '../tools-under-test.ts';

const QUESTIONS: readonly (readonly [language: string, note: string, query: string])[] = [
  ['Turkish', 'Öğretmenler okulda toplantı yaptı.', 'öğretmenlerin toplantısı'],
  ['Czech', 'Knihy byly vypůjčeny z knihovny.', 'knihou v knihovně'],
  ['Hungarian', 'A tanárok értekezletet tartottak.', 'tanároknak értekezlet'],
  ['Ukrainian', 'Книги взяли з бібліотеки.', 'книгами бібліотека'],
  ['Hebrew', 'הספרים הושאלו מהספרייה.', 'ספרים בספרייה'],
  ['Hebrew, a last letter', 'בניינים נהרסו', 'בניין'],
  ['Hebrew, a root of three letters', 'הסירה בנמל', 'נמלים'],
  ['Arabic', 'المدينة القديمة', 'ومدينة'],
];

test('a word that is found in another form is not corrected', () =>
  withTools(
    Object.fromEntries(QUESTIONS.map(([language, note]) => [`${language}.md`, `# ${note}\n\n${note}\n`])),
    async ({ ask }) => {
      for (const [language, , query] of QUESTIONS) {
        const answer = await ask(searchText, { query });
        assert.equal(answer.hits[0]?.path, `${language}.md`, language);
        assert.equal(answer.corrected, undefined, language);
      }
    },
  ));

test('a word of a short query that is in no form in the notes finds what begins most like it', () =>
  withTools(
    { 'cat.md': 'Kedi uyur', 'town.md': 'asukasta kaupungissa', 'talk.md': 'An interview' },
    async ({ ask }) => {
      const pathsOf = async (query: string) =>
        (await ask(searchText, { query })).hits.map((hit: { readonly path: string }) => hit.path);
      assert.deepEqual(await pathsOf('kediler'), ['cat.md']);
      assert.deepEqual(await pathsOf('kaupunkiä'), ['town.md']);
      assert.deepEqual(await pathsOf('internet'), []);
      assert.deepEqual(await pathsOf('how do I use the internet in kaupunkiä'), []);
    },
  ));

test('marks do not count as letters that words share', () =>
  withTools({ 'land.md': 'भूमि', 'role.md': 'भूमिका', 'areas.md': 'क्षेत्रों' }, async ({ ask }) => {
    const pathsOf = async (query: string) =>
      (await ask(searchText, { query })).hits.map((hit: { readonly path: string }) => hit.path);
    assert.deepEqual(await pathsOf('भूमि'), ['land.md']);
    assert.deepEqual(await pathsOf('क्षेत्र'), ['areas.md']);
  }));
