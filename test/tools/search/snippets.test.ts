// Every snippet is within its cited lines, for random notes and queries.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { NotePath } from '../../../src/base/note.ts';
import { searchText } from '../../../src/tools/search/search_text.ts';
import type { Snippet } from '../../../src/tools/search/snippets.ts';
import { type ToolsUnderTest, withTools } from '../tools-under-test.ts';

const WORDS = ['ebb', 'flow', 'Ebb-flow', 'Café', 'cafe\u0301', '潮汐', '港町', '바다', 'x'.repeat(40), '🌊', 'İzmir'];
const MARKS = [
  ...[
    ' ',
    ' ',
    ' ',
    '\n',
    '\n\n',
    '\r\n',
    '\r',
    '. ',
    '。',
    '！',
    '? ',
    '\n- ',
    '\n  1. ',
    '\n# ',
    '\n### ',
    '\n> ',
    '\t',
  ],
  ...['\n| a | b |\n', '\n```\n', '\n---\n', '[[', ']]', '**', ' ^id', '#tag ', '\u3000', '\u00a0', '…', '"', '\u200b'],
];
const FRONTS = [
  '',
  '',
  '---\ntitle: Ebb\n---\n',
  '---\naliases: [flow]\ntags: [潮汐]\n---',
  '---\nebb: flow\n',
  '\ufeff',
];

const note = fc
  .tuple(fc.constantFrom(...FRONTS), fc.array(fc.constantFrom(...WORDS, ...MARKS), { maxLength: 250, size: 'max' }))
  .map(([front, pieces]) => front + pieces.join(''));
const COUNT = 150;
const texts = fc.sample(note, { numRuns: COUNT, seed: 20_261_121 });
const FILES = Object.fromEntries(texts.map((text, at) => [`n${at}.md`, text]));

/** As on one line: the marks of quoted lines after the first are not shown. */
const folded = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/(?<=[\r\n])[ \t]*>[ \t>]*/g, '')
    .replace(/\s+/g, ' ');

interface Hit extends Snippet {
  readonly path: NotePath;
}

function assertCited({ path, lines: [from, to], snippet }: Hit, most: number): void {
  const lines = (FILES[path] ?? '').replace(/^\ufeff/, '').split(/\r\n|\r|\n/);
  const where = `${path}:${from}-${to} ${JSON.stringify(snippet)}`;
  assert.ok(from >= 1 && from <= to && to <= Math.max(1, lines.length), where);
  assert.ok(snippet.length <= most && snippet.isWellFormed(), where);
  const cited = folded(lines.slice(from - 1, to).join('\n'));
  assert.ok(cited.includes(snippet.replace(/^…|…$/g, '')) || cited.includes(snippet), where);
}

async function everyHit({ ask }: ToolsUnderTest, query: string, detail: string): Promise<Hit[]> {
  const { hits, next_cursor } = await ask(searchText, { query, detail, limit: 100 });
  if (next_cursor === undefined) return hits;
  const rest = await ask(searchText, { query, detail, limit: 100, cursor: next_cursor });
  return [...hits, ...rest.hits];
}

test('every snippet is within its lines and its maximum length', () =>
  withTools(FILES, async (under) => {
    let count = 0;
    for (const query of [
      'ebb',
      'ebb flow',
      '"ebb flow"',
      'caf*',
      '潮汐',
      '港町 바다 ebb',
      'izmir -flow',
      'tag',
      'n7',
      'eb*',
    ]) {
      for (const [detail, most] of [
        ['brief', 240],
        ['full', 900],
      ] as const) {
        for (const hit of await everyHit(under, query, detail)) {
          assertCited(hit, most);
          count += 1;
        }
      }
    }
    assert.ok(count > 10 * COUNT, `only ${count} snippets`);
  }));

test('a note with only front matter shows the front matter', () =>
  withTools({ 'a.md': '---\naliases: [Moonrise]\n---\n', 'b.md': '' }, async ({ ask }) => {
    const { hits } = await ask(searchText, { query: 'moonrise' });
    assert.deepEqual([hits[0].lines, hits[0].snippet], [[1, 3], '--- aliases: [Moonrise] ---']);
    assert.deepEqual((await ask(searchText, { query: 'b' })).hits[0].lines, [1, 1]);
  }));

test('the passage with the rarer word is preferred', () => {
  const others = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`o${at}.md`, 'harbour']));
  const filling = 'Words that fill the line and say nothing at all of it. '.repeat(8);
  const text = `The harbour and the harbour. ${filling}Of selenite it speaks here. ${filling}`;
  return withTools({ ...others, 'a.md': text }, async ({ ask }) => {
    const { hits } = await ask(searchText, { query: 'harbour selenite' });
    assert.equal(hits[0].path, 'a.md');
    assert.match(hits[0].snippet, /Of selenite it speaks here\./);
  });
});
