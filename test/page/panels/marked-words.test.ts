// Checks where a marked sentence begins, and which words are marked.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { markedWords } from '../../../src/page/panels/marked-words.ts';

before(() => {
  // The page creates elements; here their text is enough.
  Object.assign(globalThis, {
    document: {
      createElement: () => ({
        append(words: string) {
          Object.assign(this, { words });
        },
      }),
    },
  });
});

after(() => Reflect.deleteProperty(globalThis, 'document'));

const shown = (text: string, query: string): string =>
  markedWords(text, query)
    .map((part) => (typeof part === 'string' ? part : `[${(part as unknown as { words: string }).words}]`))
    .join('');

test('the words of the query and other forms of them are marked', () => {
  assert.equal(shown('Tides follow the Möon.', 'tide moon'), '[Tides] follow the [Möon].');
});

test('a long text begins a little before the first of them, at a word and not at the mark of an item', () => {
  const before = 'Words that come before and are not of interest to the reader';
  assert.equal(shown(`${before} - Then the tide`, 'tide').startsWith('…'), true);
  const tips = `${before}. Tips - If your oven does not have a fan, bake it for the tide`;
  assert.match(shown(tips, 'your'), /^…[^-]/);
});

test('in a text without blanks the words are marked within a run, and it begins before the first of them, too', () => {
  assert.equal(shown('潮汐と月のうみ、Tide の月。', '月 tide'), '潮汐と[月]のうみ、[Tide] の[月]。');
  const text = `${'潮'.repeat(80)}は月が引く。${'海'.repeat(40)} end`;
  const found = shown(text, '月が引く');
  assert.match(found, /^…潮{49}は\[月が引く\]。海/u);
});
