// Tests chunks of random texts, and that cutting takes linear time.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { fileKindOf, noteName } from '../../../src/base/note.ts';
import { chunkNote, chunkSpans } from '../../../src/markdown/chunk/chunks.ts';
import { sizeOf } from '../../../src/markdown/chunk/text-size.ts';
import { decodeText, lineIndexAt, splitLines } from '../../../src/markdown/parse/lines.ts';
import { assertEach } from '../../assert-each.ts';
import { isLong, runs } from '../../runner/effort.ts';
import { cpuMs, growsTooFast } from '../cpu-growth.ts';
import { hostileTexts } from '../hostile-texts.ts';
import { publicVault, readVault } from '../links/vault-folder.ts';
import { assertLawfulChunks } from './chunk-laws.ts';

const mark = fc.constantFrom(
  ...[
    '# ',
    '## ',
    '### ',
    '#\n',
    '#a',
    '\n',
    '\n\n',
    '\n\n\n',
    '\n---\n',
    '\n===\n',
    '```\n',
    '~~~\n',
    '$$\n',
    '$$',
    '%%\n',
    '%%',
  ],
  ...[
    '> ',
    '- ',
    '  - ',
    '    ',
    '\t',
    '1. ',
    '| a | b |\n',
    '|---|---|\n',
    '<div>\n',
    '<!--\n',
    '-->\n',
    '---\nup: x\n---\n',
  ],
  ...[
    'tide ',
    'Low water. ',
    'at ebb! ',
    '潮が引く。',
    'прилив ',
    ' ^id\n',
    '[[Neap|x]] ',
    '🌊',
    'e\u0301',
    '\u00A0',
    '\u2028',
    '\0',
  ],
  ...['0123456789', 'a'.repeat(40), 'word '.repeat(30), 'Tide', '. ', '。', ')', '…\n'],
);
const text = fc.array(mark, { maxLength: 120 }).map((marks) => marks.join(''));
const maxTokens = fc.constantFrom(16, 24, 40, 64, 100, 200, 450);

/** The spans follow each other, and the lines they are on are those of the chunks. */
function assertSpans(made: string): void {
  const spans = [...chunkSpans('Tide', made, 64)];
  for (const [at, [from, to]] of spans.entries()) assert.ok(from >= (spans[at - 1]?.[1] ?? 0) && to <= made.length);
  const lines = splitLines(made);
  const covered = spans.map(([from, to]) => [lineIndexAt(lines, from) + 1, lineIndexAt(lines, to - 1) + 1].join('-'));
  if (spans.length === 0) return;
  for (const chunk of chunkNote('Tide', made, 64)) assert.ok(covered.includes(chunk.lines.join('-')), made);
}

suite('the chunks of any text', () => {
  test('made of marks contain all of it, in order, within the size', () => {
    fc.assert(
      fc.property(text, maxTokens, (made, most) => assertLawfulChunks('Tide', made, most)),
      { numRuns: runs(2_000) },
    );
  });

  test('of any characters contain all of it, in order, within the size', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), maxTokens, (made, most) =>
        assertLawfulChunks('Tide', made, most),
      ),
      { numRuns: runs(1_000) },
    );
  });

  test('keep their size below a title of any length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), text, maxTokens, (title, made, most) => {
        for (const { text } of chunkNote(title, made, most)) {
          assert.match(text, /\S/);
          assert.ok(sizeOf(text).tokens <= most, `${sizeOf(text).tokens} tokens in ${JSON.stringify(text)}`);
        }
      }),
    );
  });

  test('are the same with every kind of line end', () => {
    fc.assert(
      fc.property(text, fc.constantFrom('\r\n', '\r'), (made, end) => {
        assert.deepEqual(chunkNote('Tide', made.replaceAll('\n', end), 64), chunkNote('Tide', made, 64));
        assertSpans(made.replaceAll('\n', end));
      }),
    );
  });

  test('never cut a block that fits, whatever surrounds it', () => {
    const fence = fc.array(fc.constantFrom('row', '', '# none', '%%', '- x'), { maxLength: 12 });
    const blocks = fc.oneof(
      fence.map((rows) => ['```', ...rows, '```'].join('\n')),
      fence.map((rows) => ['$$', ...rows.filter((row) => row !== ''), '$$'].join('\n')),
      fc.nat(12).map((rows) => `a | b\n-|-\n${'c | d\n'.repeat(rows)}`.trimEnd()),
    );
    const others = fc.constantFrom(
      'word '.repeat(25),
      '- item\n  - inner\n\n  further',
      '# Ebb',
      '> quote\n> goes on',
      'Short.',
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(others, blocks), { maxLength: 12 }), (pairs) => {
        const found = chunkNote('Tide', pairs.flat().join('\n\n'), 120);
        const wanted = new Map(pairs.map(([, block]) => [block, pairs.filter((pair) => pair[1] === block).length]));
        for (const [block, count] of wanted) {
          const held = found.reduce((sum, chunk) => sum + `\n${chunk.text}\n`.split(`\n${block}\n`).length - 1, 0);
          assert.ok(held >= count, `${JSON.stringify(block)} ${held} times of ${count}`);
        }
      }),
      { numRuns: runs(500) },
    );
  });

  for (const [name, made] of hostileTexts(4_000)) {
    test(`follow the rules for ${name}`, () => assertLawfulChunks('Tide', made, 100));
  }
});

suite('cutting', () => {
  /** Texts of about as many units, each of another shape that a note may have. */
  const shapes: Record<string, (length: number) => string> = {
    'headings with a line each': (length) => '## Ebb\nLow water.\n'.repeat(length / 18),
    'headings alone': (length) => '## Ebb\n'.repeat(length / 7),
    'ever deeper headings': (length) => '# a\n## b\n### c\n#### d\n##### e\n###### f\n'.repeat(length / 40),
    paragraphs: (length) => 'Water runs off. It returns.\n\n'.repeat(length / 29),
    'one line of sentences': (length) => 'Water runs off. '.repeat(length / 16),
    'one line of words': (length) => 'water '.repeat(length / 6),
    'one line without a blank': (length) => 'a'.repeat(length),
    'one line of Han': (length) => '潮'.repeat(length),
    'one wrapped paragraph': (length) => 'water runs off\n'.repeat(length / 15),
    'one list': (length) => '- water\n  - runs\n    - off\n'.repeat(length / 28),
    'one item': (length) => `- water\n${'\n  runs off\n'.repeat(length / 12)}`,
    'one quote': (length) => '> water\n>\n'.repeat(length / 10),
    'one fence': (length) => `\`\`\`\n${'x = 1;\n\n'.repeat(length / 8)}\`\`\``,
    'one table': (length) => `a | b\n-|-\n${'c | d\n'.repeat(length / 6)}`,
    comments: (length) => 'a\n%%\nb\n%%\n'.repeat(length / 10),
    'white space': (length) => `a ${' '.repeat(length)} b`,
    'empty lines': (length) => `a${'\n'.repeat(length)}b`,
    'one heading': (length) => `# ${'water '.repeat(length / 6)}`,
    'closing signs': (length) => ')'.repeat(length),
  };
  const SMALL = 25_000;
  /** Four times the text: a linear pass takes 4 times as long, a quadratic one 16 times. */
  const GROWTH = 4;
  const MAX_GROWTH = 12;
  /** What takes less is lost in noise; a quadratic pass over so many units takes far more. */
  const NOISE_MS = 200;
  const chunk = (made: string) => () => void chunkNote('Tide', made, 450);

  for (const [name, shape] of isLong ? Object.entries(shapes) : []) {
    test(`takes time linear in the text: ${name}`, (context) => {
      const [once = 0, fourfold = 0] = [1, GROWTH].map((times) => cpuMs(chunk(shape(SMALL * times)), 3));
      context.diagnostic(`1x ${once.toFixed(1)} ms, 4x ${fourfold.toFixed(1)} ms`);
      assert.ok(
        fourfold < NOISE_MS || fourfold < once * MAX_GROWTH,
        `${fourfold} ms for 4 times the text of ${once} ms`,
      );
    });
  }

  if (isLong)
    test('takes time linear in malicious texts, too', () => {
      const small = hostileTexts(SMALL);
      const grown = [...hostileTexts(SMALL * GROWTH)].filter(([name, made]) =>
        growsTooFast(chunk(small.get(name) ?? ''), chunk(made), { noiseMs: NOISE_MS, maxGrowth: MAX_GROWTH }),
      );
      assertEach(grown, ([name]) => name, []);
    });

  test('handles five thousand headings, and a line of a megabyte', () => {
    const headed = chunkNote('Tide', Array.from({ length: 5_000 }, (_, n) => `# H${n}\n\nText ${n}.`).join('\n'), 450);
    assert.ok(headed.length > 100 && headed.length < 5_000, `${headed.length} chunks`);
    assert.equal(headed.at(-1)?.lines[1], 15_000);
    for (const line of ['Low water. ', 'water ', 'a', '潮が引く', '🌊']) {
      const found = chunkNote('Tide', line.repeat(1_000_000 / line.length), 450);
      assert.ok(found.length > 500 && found.every(({ lines, text }) => lines[1] === 1 && sizeOf(text).tokens <= 450));
    }
  });
});

suite('the chunks of real vaults', () => {
  for (const name of [
    'kepano',
    'oldwinter-zh',
    'johngrib-ko',
    'tasks-demo',
    'black-sun-lodge',
    'logseq-docs',
    'foam-docs',
  ]) {
    const { folder, skip } = publicVault(name);
    test(`contain all of each note of ${name}`, { skip }, () => {
      for (const [path, bytes] of readVault(folder)) {
        if (fileKindOf(path) === 'note') assertLawfulChunks(noteName(path), decodeText(bytes).text, 450);
      }
    });
  }
});
