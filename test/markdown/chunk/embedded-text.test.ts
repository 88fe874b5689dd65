// Tests which text of notes and queries is embedded.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { chunkerName, chunksFor, plainText, queryText } from '../../../src/markdown/chunk/chunks.ts';
import { sizeOf } from '../../../src/markdown/chunk/text-size.ts';

const PRESENT = chunkerName(512);

suite('the name of the chunker', () => {
  test('contains the rules and the size, which the context of the model limits', () => {
    assert.deepEqual([2_048, 512, 256, 100, 1].map(chunkerName), [
      'plain-1/192',
      'plain-1/192',
      'plain-1/192',
      'plain-1/88',
      'plain-1/16',
    ]);
  });
});

const NOTE =
  '# **Ebb**\n\nSee [[Moon|the moon]] and “[tides](https://example.org/a/b)”.\n\n## `Neap`\n\n- [x] low #water\n';

test('a chunk is what a reader sees, below the title and the headings', () => {
  assert.deepEqual(chunksFor(PRESENT, 'Tide', NOTE), [
    { lines: [1, 7], text: 'Tide > Ebb\n\nSee the moon and "tides".\n\nNeap\n\nlow water' },
  ]);
  assert.equal(queryText('“ebb”'), '"ebb"');
});

test('chunks of a long paragraph are small, each below the title', () => {
  const text = Array.from({ length: 40 }, (_, at) => `Wave ${at} breaks on the long shore here.`).join(' ');
  const present = chunksFor(PRESENT, 'Tide', text);
  assert.ok(present.length > 1);
  assert.ok(present.every((chunk) => chunk.text.startsWith('Tide\n\n') && sizeOf(chunk.text).tokens <= 192));
});

test('a chunk of nothing but marks is left out, and a note of nothing else has its title', () => {
  assert.deepEqual(chunksFor(PRESENT, 'Tide', '---\n\n***\n\n```\n```\n'), [{ lines: [1, 6], text: 'Tide' }]);
  assert.deepEqual(chunksFor(PRESENT, '', '***\n'), []);
  assert.deepEqual(chunksFor(PRESENT, '', ''), []);
});

const CASES: readonly (readonly [string, string, string])[] = [
  ['emphasis', '**bold** _lean_ ~~gone~~ ==lit== `code` snake_case 2 \\* 3', 'bold lean gone lit code snake_case 2 3'],
  ['links', '![[Map.png]] [[A#B]] [[A#^b1|see]] [t](u) ![i](v)', 'Map.png A B see t i'],
  ['addresses', 'https://example.org/a?b=c <https://example.com/x>', 'example.org'],
  ['quotes and callouts', '> [!note]- Mind\n> > the gap', 'Mind\nthe gap'],
  ['lists and tasks', '- one\n  2) two\n* [ ] three ^id-1', 'one\n two\nthree'],
  ['tables', '| a | b |\n|---|:-:|\n| 1 | 2 |', ' a b\n\n 1 2'.trim()],
  ['comments and notes', 'a %%hidden%% b[^1] <!-- no --> <b>c</b>', 'a b c'],
  ['signs', '‘a’ “b” 「c」 1917–1920 …', '\'a\' "b" "c" 1917-1920 ...'],
  ['tags', '#tide/low and C# and #1', 'tide/low and C# and #1'],
];

for (const [what, written, plain] of CASES)
  test(`the plain text of ${what}`, () => {
    assert.equal(plainText(written), plain);
  });

test('marks without an end take no long time', () => {
  for (const sign of ['[', '![', '[[', '<', '<!--', '%%', '*', '_', '`', '- ', '> ', '|', ' ', '#', '\\', 'http://'])
    plainText(sign.repeat(2_000));
});
