// Contract tests of full-text search in scripts other than Latin: marks belong to their letter, and spellings that mean the same are equal.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findTerms } from '../../../src/markdown/excerpt/term-matches.ts';
import { assertEach } from '../../assert-each.ts';
import { runs } from '../../runner/effort.ts';
import { ALL, fill, type Law, notesWith, signal } from './law.ts';

/** The words that a query finds, and words that differ from it in a mark or a letter. */
const WORDS: readonly (readonly [
  language: string,
  query: string,
  found: readonly string[],
  others: readonly string[],
])[] = [
  ['Hindi', 'दिन', ['दिन', 'दिन।'], ['दान', 'दीन', 'दिनों', 'दन']],
  ['Bengali', 'দিন', ['দিন', 'আজ দিন'], ['দান', 'দীন', 'দিনে', 'দন']],
  ['Tamil', 'கலை', ['கலை'], ['கல', 'கலி', 'கலைகள்']],
  ['Thai', 'คิด', ['คิด', 'ฉันคิดว่า'], ['คุด', 'คด', 'คิดี', 'คึด']],
  ['Lao', 'ກິນ', ['ກິນ', 'ຂ້ອຍກິນເຂົ້າ'], ['ກັນ', 'ກນ', 'ກິນີ']],
  ['Khmer', 'ខ្មែរ', ['ខ្មែរ', 'ភាសាខ្មែរ'], ['ខមែរ', 'ខ្មុរ', 'ខ្មែរី', 'ខ្ម']],
  ['Burmese', 'မြန်', ['မြန်', 'မြန်မာ'], ['မန်', 'မြန', 'မြန့်']],
  ['Arabic', 'عرض', ['عرض', 'عَرْضٌ', 'عـــرض'], ['عرضة', 'ارض']],
  ['Arabic with hamza', 'أحمد', ['أحمد', 'احمد', 'إحمد'], ['حمد']],
  ['Hebrew', 'שלום', ['שלום', 'שָׁלוֹם'], ['שלומי']],
  ['Russian', 'замок', ['замок', 'за́мок'], ['замки']],
  ['German', 'Straße', ['straße', 'STRASSE', 'Strasse'], ['Strafe', 'Straßen']],
  ['Vietnamese', 'người', ['người', 'nguoi'], ['ngai']],
  ['Japanese of half width', 'ガイド', ['ガイド', 'ｶﾞｲﾄﾞ'], ['カイト']],
  ['letters of full width', 'abc', ['abc', 'ＡＢＣ', 'Abc'], ['ＡＢ']],
  ['ligatures and soft hyphens', 'difficult', ['difficult', 'diﬃcult', 'diffi\u00ADcult'], ['diff cult']],
];

/** What a reader sees as one letter. */
const THAI = ['ก', 'กิ', 'กี่', 'ค', 'คิ', 'คุ', 'น', 'น้', 'ด', 'ดี', 'แ', 'า'];
const KHMER = ['ក', 'កា', 'ខ្ម', 'ខ្មែ', 'រ', 'រី', 'ម', 'មុ', 'ស្ត្រ'];
const HINDI = ['क', 'कि', 'की', 'क्ष', 'द', 'दि', 'दु', 'न', 'ना', 'ज़'];

const isIn = (part: readonly string[], letters: readonly string[]): boolean =>
  letters.some((_, at) => part.every((letter, step) => letters[at + step] === letter));

export function scriptLaws(law: Law): void {
  law('a word in each script finds its spellings, and no word with another letter or mark', async (store) => {
    const notes = WORDS.flatMap(([language, , found, others]) =>
      [...found, ...others].map((text, at) => [`${language}/${at}.md`, `1 ${text} 2`] as const),
    );
    await fill(store, Object.fromEntries(notes));
    for (const [language, query, found, others] of WORDS) {
      assert.deepEqual(await notesWith(store, query), found.map((_, at) => `${language}/${at}`).sort());
      for (const spelling of found) {
        const [match] = findTerms(`1 ${spelling} 2`.normalize('NFC'), [{ text: query, kind: 'word' }]);
        assert.ok(match !== undefined && match.from >= 2 && match.to <= spelling.length + 2, spelling);
      }
      for (const other of others)
        assert.deepEqual(findTerms(other.normalize('NFC'), [{ text: query, kind: 'word' }]), [], other);
    }
  });

  for (const [script, letters] of Object.entries({ Thai: THAI, Khmer: KHMER })) {
    law(`letters in ${script} find every note that has them in this order, and no other`, async (store) => {
      const written = fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 12 });
      const texts = fc.sample(written, runs(150));
      await fill(store, Object.fromEntries(texts.map((text, at) => [`${at}.md`, text.join('')])));
      for (const query of fc.sample(fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 3 }), runs(60))) {
        const expected = texts.flatMap((text, at) => (isIn(query, text) ? [String(at)] : [])).sort();
        assert.deepEqual(await notesWith(store, query.join('')), expected, query.join(''));
      }
    });
  }

  law('words in Hindi are found as a whole', async (store) => {
    const word = fc.array(fc.constantFrom(...HINDI), { minLength: 1, maxLength: 3 }).map((letters) => letters.join(''));
    const texts = fc.sample(fc.array(word, { minLength: 1, maxLength: 6 }), runs(150));
    await fill(store, Object.fromEntries(texts.map((words, at) => [`${at}.md`, words.join(' ')])));
    for (const query of fc.sample(word, runs(60))) {
      const expected = texts.flatMap((words, at) => (words.includes(query) ? [String(at)] : [])).sort();
      assert.deepEqual(await notesWith(store, query), expected, query);
    }
  });

  law('the text of a property is found, below the same word in the text', async (store) => {
    const filling = 'words that fill the line so that all are about as long';
    await fill(store, {
      'text.md': `---\nmood: calm\n---\n${filling} ketch`,
      'property.md': `---\nboat: A ketch\ncrew:\n  mate: Ulla\nstops: [Aden, Goa]\n---\n${filling}`,
    });
    const { hits } = await store.searchText(
      { terms: [{ text: 'ketch', kind: 'word', negated: false }], match: 'any' },
      {},
      ALL,
      signal,
    );
    assertEach(hits, ({ path }) => path, ['text.md', 'property.md']);
    for (const word of ['ulla', 'goa']) assert.deepEqual(await notesWith(store, word), ['property'], word);
  });
}
