// Tests sentences around links and excerpts around matches: the right piece, on one line, within its size.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { excerptAround, excerptOf } from '../../../src/markdown/excerpt/excerpt.ts';
import { sentenceAround } from '../../../src/markdown/excerpt/sentence.ts';
import { findTerms, type Term } from '../../../src/markdown/excerpt/term-matches.ts';
import { splitLines } from '../../../src/markdown/parse/lines.ts';
import { parseNote } from '../../../src/markdown/parse/parse-note.ts';
import { runs } from '../../runner/effort.ts';

const word = (text: string): Term => ({ text, kind: 'word' });

suite('the sentence around a link', () => {
  const sentences = (text: string, size = 200) =>
    parseNote(text).links.map(({ offset, end }) => sentenceAround(text, offset, end, size));

  test('ends at sentence ends, not at initials, abbreviations or stops inside links', () => {
    const text = 'Before. He met J. Who at [[St. Ives]], e.g. by the sea\nand left. After!';
    assert.deepEqual(sentences(text), ['He met J. Who at [[St. Ives]], e.g. by the sea and left.']);
    assert.deepEqual(sentences('潮が引く。次に[[港]]へ行く。終わり。'), ['次に[[港]]へ行く。']);
    assert.deepEqual(sentences('यह काम। यह [[घर]] है। और।'), ['यह [[घर]] है।']);
    assert.deepEqual(sentences('Սա լավ է։ Սա [[տուն]] է։ Վերջ է։'), ['Սա [[տուն]] է։']);
    assert.deepEqual(sentences('ថ្ងៃល្អ។ ឆ្មា[[ត្រី]]ល្អ។ ភ្លៀង។'), ['ឆ្មា[[ត្រី]]ល្អ។']);
    assert.deepEqual(sentences('ཤིས། [[ཉ]]ལེགས། ཤིས།'), ['[[ཉ]]ལེགས།']);
    assert.deepEqual(sentences('Is it B? In [[C]]? No.'), ['In [[C]]?']);
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

  test('never crosses a line that separates two blocks', () => {
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

  test('is the same with every kind of line end', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      assert.deepEqual(sentences(`One.${end}Two [[x]]${end}three.${end}${end}Four.`), ['Two [[x]] three.']);
    }
  });

  test('is cut around the link, with an ellipsis', () => {
    const [sentence = ''] = sentences(`${'before '.repeat(40)}[[x]]${' after'.repeat(40)}`, 60);
    assert.match(sentence, /^….*\[\[x]].*…$/);
    assert.ok(sentence.length <= 60);
  });

  test('never throws, keeps its size and contains a link that fits', () => {
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

suite('the excerpt around matches', () => {
  test('is where most of the words are', () => {
    const text = `${'ebb and more\n'.repeat(30)}here ebb meets flow\n${'flow alone\n'.repeat(30)}`;
    const { snippet, from, to } = excerptAround(text, [word('ebb'), word('flow')], 40);
    assert.match(snippet, /ebb meets flow/);
    assert.ok(from <= 31 && to >= 31 && to - from <= 3);
  });

  test('matches without case and diacritics, whole words, prefixes and phrases', () => {
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

  test('matches scripts without spaces at any position', () => {
    const text = `${'文'.repeat(300)}満潮の海図${'文'.repeat(300)}`;
    const { snippet } = excerptAround(text, [word('海図')], 40);
    assert.match(snippet, /^…文*満潮の海図文*…$/);
    assert.ok(snippet.length <= 40);
  });

  test('without matches starts with the first text', () => {
    const text = `\n\nThe body ${'goes on '.repeat(30)}`;
    assert.deepEqual(excerptAround(text, [word('none')], 20), { snippet: 'The body goes on…', from: 3, to: 3 });
    assert.deepEqual(excerptAround('', [word('a')], 20), { snippet: '', from: 1, to: 1 });
  });

  test('is whole sentences if they fit, also in scripts without spaces', () => {
    const english = 'First one. Second has the ebb in it! Third comes after? Fourth is the last one of them all.';
    assert.equal(excerptAround(english, [word('ebb')], 34).snippet, '…Second has the ebb in it!…');
    assert.equal(excerptAround(english, [word('ebb')], 49).snippet, '…Second has the ebb in it! Third comes after?…');
    assert.equal(
      excerptAround(english, [word('ebb')], 66).snippet,
      'First one. Second has the ebb in it! Third comes after?…',
    );
    const chinese = '今天天气很好。潮水已经退了！我们去海边吗？当然去。';
    assert.equal(excerptAround(chinese, [word('退了')], 12).snippet, '…潮水已经退了！…');
    assert.equal(excerptAround(chinese, [word('退了')], 18).snippet, '…潮水已经退了！我们去海边吗？…');
    const japanese = '彼は「潮が引いた。」と言った。海は静かだ｡';
    assert.equal(excerptAround(japanese, [word('静か')], 12).snippet, '…海は静かだ｡');
    for (const stop of ['।', '؟', '۔', '።', '։', '။', '។']) {
      const text = `Aaa bbb${stop} Ccc ebb ddd${stop} Eee fff ggg${stop}`;
      assert.equal(excerptAround(text, [word('ebb')], 16).snippet, `…Ccc ebb ddd${stop}…`);
    }
  });

  test('never separates an item from its number', () => {
    const text = 'In this order:\n\n1. The ebb goes out.\n2. The flow comes in, and it takes its time.\n> 3. Slack.';
    assert.equal(excerptAround(text, [word('ebb')], 40).snippet, 'In this order: 1. The ebb goes out.…');
    assert.equal(excerptAround(text, [word('slack')], 40).snippet, '…> 3. Slack.');
    assert.equal(excerptAround('It was 1847. Then came the ebb.', [word('ebb')], 20).snippet, '…Then came the ebb.');
  });

  test('starts or ends with its sentence if that is too long, else surrounds the words', () => {
    const long = `The ebb ${'and then more '.repeat(20)}. Next.`;
    assert.match(excerptAround(`Before. ${long}`, [word('ebb')], 60).snippet, /^…The ebb and .{20,}…$/);
    const late = `Before. So ${'and then more '.repeat(20)}comes the ebb. Next one.`;
    assert.match(excerptAround(late, [word('ebb')], 60).snippet, /^….{20,} comes the ebb\.…$/);
    const middle = `So ${'and then more '.repeat(20)}comes the ebb ${'and then more '.repeat(20)}.`;
    assert.match(excerptAround(middle, [word('ebb')], 60).snippet, /^….+ comes the ebb and .+…$/);
  });

  test('is one item, row or heading with the text below it, and never ends with a bare heading', () => {
    const text = '# Tide\n\nRises.\n\n- an item\n- the ebb item\n\n## Later\n\nSomething of some length here.';
    assert.equal(excerptAround(text, [word('ebb')], 50).snippet, '# Tide Rises. - an item - the ebb item…');
    assert.equal(excerptAround(text, [word('ebb')], 30).snippet, '…- an item - the ebb item…');
    assert.equal(excerptAround(text, [word('later')], 30).snippet, '…## Later…');
    assert.equal(excerptAround(text, [word('later')], 44).snippet, '…## Later Something of some length here.');
  });

  test('covers more of the words in whole sentences rather than few of them close together', () => {
    const [ebb, flow, moon] = ['ebb', 'flow', 'moon'].map(word) as [Term, Term, Term];
    const text =
      'An ebb and flow. Much else is said here of other things. The flow waits. So does the ebb. The moon is up.';
    assert.equal(
      excerptAround(text, [ebb, flow, moon], 52).snippet,
      '…The flow waits. So does the ebb. The moon is up.',
    );
  });

  test('has the word itself rather than another form of it, and the words around it count too', () => {
    const tide = { ...word('tide'), forms: ['tidal'] };
    const far = 'Filling words. '.repeat(40);
    assert.equal(excerptAround(`A tidal pool. ${far}A tide pool. ${far}`, [tide], 16).snippet, '…A tide pool.…');
    const near = `A tide pool. ${far}The moon rises. Much is said. A tide goes.`;
    assert.equal(excerptAround(near, [tide, word('moon')], 18).snippet, '…The moon rises.…');
  });

  test('a cut of a long sentence leaves text on both sides of the words', () => {
    const text = `${'and then more '.repeat(4)}comes ebb tomorrow ${'and then more '.repeat(20)}.`;
    assert.match(excerptAround(text, [word('ebb')], 68).snippet, /comes ebb tomorrow/);
  });

  test('is where the words with the highest weight are closest together', () => {
    const sought = ['ebb', 'flow', 'selenite'].map(word);
    const weights = [0.1, 0.1, 1];
    const of = (text: string, weightOf = (term: number) => weights[term] ?? 0) =>
      excerptOf({ text, lines: splitLines(text), start: 0 }, findTerms(text, sought), weightOf, 30).snippet;
    const far = 'ebb far from the flow. ';
    assert.match(of(`${far}Filling words here. Only selenite and nothing else is here. ${far}`), /selenite/);
    assert.match(
      of(`${far}Filling words here. Only selenite and nothing else is here. ${far}`, () => 1),
      /ebb far from the flow/,
    );
    assert.match(of(`${far}Filling words are here. Now ebb and flow. ${far}`), /Now ebb and flow/);
    assert.match(of(`One ebb is here. Filling words here. An ebb and an ebb. One ebb.`), /An ebb and an ebb/);
  });

  test('in a line of 128,000 characters stays small', () => {
    const { snippet, from, to } = excerptAround(`${'a '.repeat(64_000)}ebb${' b'.repeat(64_000)}`, [word('ebb')], 240);
    assert.ok(snippet.includes('ebb') && snippet.length <= 240);
    assert.deepEqual([from, to], [1, 1]);
  });

  test('fills the room with a part of the next sentence, or of the one before at the end of a text', () => {
    const of = (text: string) => excerptAround(text, [word('ebb')], 80).snippet;
    const long = 'Here the sentence goes on and on so that it does not fit into the room that is left for it.';
    assert.equal(
      of(`The ebb came. ${long}`),
      'The ebb came. Here the sentence goes on and on so that it does not fit into…',
    );
    assert.equal(
      of(`${long} The ebb came.`),
      '…on so that it does not fit into the room that is left for it. The ebb came.',
    );
    assert.equal(of(`The ebb came.\n\n# ${long}`), 'The ebb came.…');
    assert.equal(of(`${long}\n\n# The ebb came.`), '…# The ebb came.');
  });

  test('shows a quote without the marks inside of it, and a table without its rule', () => {
    assert.equal(excerptAround('> the ebb\n> and flow\n', [word('ebb')], 240).snippet, '> the ebb and flow');
    const table = '| Tide | Hour |\n| :--- | ---: |\n| ebb | 3 |\n';
    assert.equal(excerptAround(table, [word('ebb')], 240).snippet, '| Tide | Hour | | ebb | 3 |');
  });

  test('is never cut in a letter with its marks, an emoji, a link, code or a mark', () => {
    const letters = ['👩‍👩‍👧‍👦', '🇩🇪', '한', 'e\u0301\u0323', 'क्षि', 'กำ่', 'ស្ត្រី', '👍🏽', '1️⃣', '𝒳', 'بِّ'];
    const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
    for (const letter of letters) {
      for (let before = 0; before < 12; before += 1) {
        const text = `${'x'.repeat(before)}${letter.repeat(90)} ebb ${letter.repeat(90)}`.normalize('NFC');
        const shown = excerptAround(text, [word('ebb')], 60).snippet.replace(/^…|…$/g, '');
        const ends = new Set([...segmenter.segment(text)].map(({ index }) => index));
        const at = text.indexOf(shown);
        assert.ok(ends.has(at) && ends.has(at + shown.length), `${letter} after ${before}: ${shown}`);
      }
    }
    const units = [
      '[[a long name|as shown]]',
      '[two words](https://example.com/a "b c")',
      '`some code`',
      '**bold text**',
    ];
    for (const unit of units) {
      for (let size = 60; size < 120; size += 1) {
        const { snippet } = excerptAround(
          `${`w ${unit} `.repeat(9)}ebb ${`${unit} w `.repeat(9)}`,
          [word('ebb')],
          size,
        );
        assert.equal(snippet.replaceAll(unit, '').replace(/[ w…]/g, ''), 'ebb', snippet);
      }
    }
  });

  test('never throws, keeps its size, contains a matching word, and names the lines it shows', () => {
    const pieces = ['ebb', 'İ', 'ς', 'é', 'e\u0301', '港', '🌊', ' ', '\n', '\r\n', '\r', '---\n', 'x'.repeat(30)];
    const marks = [
      '. ',
      '。',
      '! Then',
      '\n\n',
      '\n- ',
      '\n# ',
      '\n> ',
      '\n| a |',
      '\n```\n',
      '\t',
      '\u3000',
      '…',
      '*',
      '” ',
    ];
    const texts = fc.array(fc.constantFrom(...pieces, ...marks), { maxLength: 60 });
    const sizes = fc.integer({ min: 12, max: 120 });
    fc.assert(
      fc.property(texts, fc.constantFrom('ebb', '港', 'e', '🌊'), sizes, (parts, term, size) => {
        const text = parts.join('');
        const { snippet, from, to } = excerptAround(text, [word(term)], size);
        assert.ok(snippet.length <= size && snippet.isWellFormed() && from >= 1 && to >= from);
        const source = text.normalize('NFC');
        const lines = source.split(/\r\n|\r|\n/);
        assert.ok(to <= Math.max(1, lines.length));
        const shown = lines
          .slice(from - 1, to)
          .map((line, at) => (at === 0 ? line : line.replace(/^[ \t]*>[ \t>]*/, '')))
          .join(' ')
          .replace(/\s+/g, ' ');
        // The text's own … at its ends is no sign of a cut.
        const bare = snippet.replace(/^…|…$/g, '').trim();
        assert.ok(shown.includes(bare), `${JSON.stringify(snippet)} is not in ${JSON.stringify(shown)}`);
        const isThere = findTerms(source, [word(term)]).length > 0;
        assert.equal(findTerms(snippet, [word(term)]).length > 0, isThere);
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('marks omitted text with an ellipsis at each end', () => {
    const texts = fc.array(fc.constantFrom('ebb ', 'flow ', 'so. ', '\n\n', '港。'), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join('').normalize('NFC');
        const { snippet } = excerptAround(text, [word('ebb')], 60);
        const whole = text.replace(/\s+/g, ' ').trim();
        const bare = snippet.replace(/^…|…$/g, '');
        assert.equal(bare.length < whole.length, snippet !== bare);
        if (!snippet.startsWith('…')) assert.ok(whole.startsWith(bare));
        if (!snippet.endsWith('…')) assert.ok(whole.endsWith(bare));
      }),
    );
  });

  test('is not made of shields, unless their texts alone have the words', () => {
    const shield = (name: string) =>
      `[![${name}](https://img.shields.io/harbour/${name}?label=ebb)](https://ci.example/harbour)`;
    const shields = Array.from({ length: 20 }, (_, at) => shield(`Check${at}`)).join('\n');
    const images = '<p align="center"><img src="harbour.png"></p>';
    const text = `${shields}\n${images}\n\nThe tide of the harbour is shown here.\n`;
    for (const sought of ['harbour', 'ebb', 'nothing'])
      assert.equal(excerptAround(text, [word(sought)], 200).snippet, '…The tide of the harbour is shown here.', sought);
    assert.match(excerptAround(text, [word('Check7')], 200).snippet, /Check7/);
    assert.match(excerptAround(shields, [word('tide')], 200).snippet, /Check0/);
  });
});
