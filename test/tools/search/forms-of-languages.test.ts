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
  ['Hebrew, two words before it', 'ובשלום רב', 'שלום'],
  ['Hebrew, a last letter in the note', 'מלך', 'מלכים'],
  ['Arabic', 'المدينة القديمة', 'ومدينة'],
  ['Arabic, a first letter like a preposition', 'الكتاب', 'كتاب'],
  ['Arabic, plural', 'مدارس وبيوت وشركات', 'مدرسة'],
  ['Arabic, singular', 'الطالب والرجل', 'طلاب'],
  ['Hindi', 'लड़के', 'लड़का'],
  ['Swahili', 'Walimu na viatu', 'mwalimu'],
  ['Swahili, singular', 'kitanda', 'vitanda'],
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

/** By the name of the note: its text, and words that find it, at first or beside notes with them. */
const COMPOUNDS: Readonly<Record<string, readonly [text: string, ...queries: readonly string[]]>> = {
  German: ['Die Haftpflichtversicherung zahlt', 'Versicherung', 'Versicherungen'],
  German2: ['Stromrechnungen liegen im Krankenhaus', 'Rechnung', 'Haus'],
  German3: ['Reinigung des Ofens', 'Ofenreinigung'],
  German4: ['Eine Brandschutz Verordnung', 'Brandschutzverordnung'],
  Swedish: ['Min ansvarsförsäkring gäller i grundskolan', 'försäkring', 'försäkringar', 'skola'],
  Dutch: ['Mijn aansprakelijkheidsverzekering en de energierekening', 'verzekering', 'rekeningen'],
  Danish: ['Vi betalte varmeregningen', 'regning', 'regningen'],
  Norwegian: ['Leieavtalen er signert', 'avtale', 'avtaler'],
  Finnish: ['Kotivakuutus ja sähkölasku', 'vakuutus', 'lasku'],
  Hungarian: ['A lakásbiztosítás és a villanyszámlák', 'biztosítás', 'számla'],
  English: ['Our database of lifeboats', 'data base', 'boat'],
  English2: ['A time zone', 'timezone'],
  English3: ['Send an e-mail', 'email', 'e mail'],
  English4: ['An email', 'e-mail', 'e mail'],
};

test('the last part of a compound finds it, and so do its parts as words and the words as one', () =>
  withTools(
    Object.fromEntries(Object.entries(COMPOUNDS).map(([name, [text]]) => [`${name}.md`, `${text}\n`])),
    async ({ ask }) => {
      const wrong: string[] = [];
      for (const [name, [, ...queries]] of Object.entries(COMPOUNDS))
        for (const query of queries) {
          const { hits, corrected } = await ask(searchText, { query });
          const paths = hits.map((hit: { readonly path: string }) => hit.path);
          if (!paths.includes(`${name}.md`) || corrected !== undefined) wrong.push(`${query}: ${paths}`);
        }
      assert.deepEqual(wrong, []);
    },
  ));

test('a word is no last part behind a prefix, and a note with the word itself is first', () =>
  withTools(
    {
      'form.md': 'A form is performing',
      'both.md': 'The lighthouse is a house',
      'light.md': 'A lighthouse',
      'house.md': 'A house',
      'teach.md': 'Die Ausbildung',
      'image.md': 'Eine Bildung',
    },
    async ({ ask }) => {
      const pathsOf = async (query: string) =>
        (await ask(searchText, { query })).hits.map((hit: { readonly path: string }) => hit.path);
      assert.deepEqual(await pathsOf('Bildung'), ['image.md']);
      assert.deepEqual((await pathsOf('house')).at(-1), 'light.md');
      assert.deepEqual(await pathsOf('"house"'), ['house.md', 'both.md']);
    },
  ));
