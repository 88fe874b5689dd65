// What is shown round a link and round found words: the right piece, on one line, within its size.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { excerptAround } from '../../src/markdown/excerpt.ts';
import { parseNote } from '../../src/markdown/parse-note.ts';
import { sentenceAround } from '../../src/markdown/sentence.ts';
import type { Term } from '../../src/markdown/term-findings.ts';

const word = (text: string): Term => ({ text, kind: 'word' });

suite('the sentence round a link', () => {
  const sentences = (text: string, size = 200) =>
    parseNote(text).links.map(({ offset, end }) => sentenceAround(text, offset, end, size));

  test('ends where sentences end, not at initials, abbreviations or stops inside links', () => {
    const text = 'Before. He met J. Who at [[St. Ives]], e.g. by the sea\nand left. After!';
    assert.deepEqual(sentences(text), ['He met J. Who at [[St. Ives]], e.g. by the sea and left.']);
    assert.deepEqual(sentences('潮が引く。次に[[港]]へ行く。終わり。'), ['次に[[港]]へ行く。']);
  });

  test('is one item, row, heading, quote or property, without its marks', () => {
    const text = [
      '---\nup: "[[Up]]"\nnext: x\n---\n# On [[Head]]\ntext above\n- [ ] do [[One]]\n- other [[Two]]\n  and on',
      '| a [[Cell]] | b |\n|---|---|\n| c | d |\n\n> quoted [[Q]]\n> further\nlazy\n',
    ].join('\n\n');
    assert.deepEqual(sentences(text), [
      'up: "[[Up]]"',
      'On [[Head]]',
      'do [[One]]',
      'other [[Two]] and on',
      'a [[Cell]] | b |',
      'quoted [[Q]] further',
    ]);
  });

  test('never crosses a line that parts what is above from what is below', () => {
    for (const above of [
      '---\nup: x\n---',
      'Old\n---',
      'Old\n===',
      'a\n\n* * *',
      '```js\nx\n```',
      '$$\nx\n$$',
      '%%\nx\n%%',
    ]) {
      assert.deepEqual(sentences(`${above}\nOn to [[C]].`), ['On to [[C]].'], above);
      assert.deepEqual(sentences(`${above}\nOn to [[C]].`.replaceAll('\n', '\r\n')), ['On to [[C]].'], above);
    }
  });

  test('reads the same with every kind of line end', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      assert.deepEqual(sentences(`One.${end}Two [[x]]${end}three.${end}${end}Four.`), ['Two [[x]] three.']);
    }
  });

  test('is cut round the link, with a sign where it is', () => {
    const [sentence = ''] = sentences(`${'before '.repeat(40)}[[x]]${' after'.repeat(40)}`, 60);
    assert.match(sentence, /^….*\[\[x]].*…$/);
    assert.ok(sentence.length <= 60);
  });

  test('never throws, keeps its size and holds the link that fits', () => {
    const texts = fc.array(fc.constantFrom('[[a]]', 'b', '. ', '\n', '\r\n', '> ', '- ', '。', '🌊', '|', '# ', ' '), {
      maxLength: 80,
    });
    fc.assert(
      fc.property(texts, fc.integer({ min: 12, max: 60 }), (pieces, size) => {
        const text = pieces.join('');
        for (const { offset, end } of parseNote(text).links) {
          const sentence = sentenceAround(text, offset, end, size);
          assert.ok(
            sentence.length <= size &&
              sentence.includes('[[a]]') &&
              !/[\r\n]/.test(sentence) &&
              sentence.isWellFormed(),
          );
        }
      }),
    );
  });
});

suite('the excerpt round found words', () => {
  test('is where most of the words are', () => {
    const text = `${'ebb and more\n'.repeat(30)}here ebb meets flow\n${'flow alone\n'.repeat(30)}`;
    const { snippet, from, to } = excerptAround(text, [word('ebb'), word('flow')], 40);
    assert.match(snippet, /ebb meets flow/);
    assert.ok(from <= 31 && to >= 31 && to - from <= 3);
  });

  test('finds without case and diacritics, as whole words, and prefixes and phrases', () => {
    const text = `${'x '.repeat(200)}CAFÉ high-water Harbours${' y'.repeat(200)}`;
    for (const terms of [
      [word('cafe')],
      [word('Cafe\u0301')],
      [{ text: 'high water', kind: 'phrase' as const }],
      [{ text: 'harb', kind: 'prefix' as const }],
    ]) {
      assert.match(excerptAround(text, terms, 60).snippet, /CAFÉ high-water Harbours/);
    }
    for (const term of [word('harb'), word('water high'), word('afé')]) {
      assert.doesNotMatch(excerptAround(text, [term], 60).snippet, /CAFÉ/);
    }
  });

  test('finds scripts without blanks anywhere', () => {
    const text = `${'文'.repeat(300)}満潮の海図${'文'.repeat(300)}`;
    const { snippet } = excerptAround(text, [word('海図')], 40);
    assert.match(snippet, /^…文*満潮の海図文*…$/);
    assert.ok(snippet.length <= 40);
  });

  test('of no finding begins with the body', () => {
    const text = `---\ntitle: a\n---\n\nThe body ${'goes on '.repeat(30)}`;
    assert.deepEqual(excerptAround(text, [word('none')], 20), { snippet: 'The body goes on…', from: 5, to: 5 });
    assert.deepEqual(excerptAround('', [word('a')], 20), { snippet: '', from: 1, to: 1 });
  });

  test('in a line of 128,000 characters stays small', () => {
    const { snippet, from, to } = excerptAround(`${'a '.repeat(64_000)}ebb${' b'.repeat(64_000)}`, [word('ebb')], 240);
    assert.ok(snippet.includes('ebb') && snippet.length <= 240);
    assert.deepEqual([from, to], [1, 1]);
  });

  test('never throws and names the lines it shows', () => {
    const texts = fc.array(
      fc.constantFrom('ebb', 'İ', 'ς', 'é', 'e\u0301', '港', '🌊', ' ', '\n', '\r\n', '---\n', 'x'.repeat(30)),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(texts, fc.constantFrom('ebb', '港', 'e', '🌊'), (pieces, term) => {
        const text = pieces.join('');
        const { snippet, from, to } = excerptAround(text, [word(term)], 50);
        assert.ok(snippet.length <= 50 && snippet.isWellFormed() && from >= 1 && to >= from);
        const lines = text
          .normalize('NFC')
          .split(/\r\n|\r|\n/)
          .slice(from - 1, to)
          .join(' ')
          .replace(/\s+/g, ' ');
        assert.ok(lines.includes(snippet.replace(/^…|…$/g, '').trim()));
      }),
    );
  });
});
