// Tests that the text half of a success has every fact of the structured half, in fewer tokens.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { visibleJson } from '../../../src/base/visible-controls.ts';
import { type Plain, type PlainObject, renderText, toPlainObject } from '../../../src/mcp/render/render-text.ts';
import { runs } from '../../runner/effort.ts';

const leaf = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('a', ' ', '\n', '`', '·', '[', ',', '=', '"', '-', '1') }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
);
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), tie('value'), { maxKeys: 4 }),
    fc.array(
      fc.record(
        { path: leaf, lines: fc.tuple(fc.nat(), fc.nat()), score: leaf, extra: leaf },
        { requiredKeys: ['path'] },
      ),
    ),
  ),
}));
const anyObject = fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), anyValue, { maxKeys: 5 });

function leavesOf(value: Plain): (string | number | boolean | null)[] {
  if (typeof value !== 'object' || value === null) return [value];
  return Object.values(value).flatMap(leavesOf);
}

function keysOf(value: Plain): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(keysOf)];
}

test('I5: every value and every name of the structured half is in the text', () => {
  fc.assert(
    fc.property(anyObject, (given) => {
      const plain = toPlainObject(given);
      const text = renderText(plain);
      for (const value of leavesOf(plain)) {
        const isShown =
          text.includes(String(value)) || text.includes(visibleJson(value)) || text.includes(JSON.stringify(value));
        assert.ok(isShown, `${JSON.stringify(value)} is missing in\n${text}`);
      }
      for (const key of keysOf(plain)) assert.ok(text.includes(key), `${key} is missing in\n${text}`);
    }),
    { numRuns: runs(500) },
  );
});

test('different values have different texts', () => {
  const distinct: PlainObject[] = [
    { a: '5' },
    { a: 5 },
    { a: 'true' },
    { a: true },
    { a: '' },
    { a: [] },
    { a: {} },
    { a: ['x, y'] },
    { a: ['x', 'y'] },
    { a: [{ b: 'x · y' }, { b: 'z' }] },
    {
      a: [
        { b: 'x', c: 'y' },
        { b: 'z', c: '' },
      ],
    },
    { a: ' x' },
    { a: 'x' },
    { a: 'x\ny' },
    { a: 'x\\ny' },
  ];
  assert.equal(new Set(distinct.map(renderText)).size, distinct.length);
});

test('a list names its columns once, and optional members in each row', () => {
  const text = renderText({
    hits: [
      { path: 'a.md', lines: [3, 9], score: 7.25 },
      { path: 'b.md', lines: [1, 1], score: 0.123456789012, starred: true },
    ],
    total: 2,
  });
  assert.equal(
    text,
    'hits (2): path:lines · score\n- a.md:3-9 · 7.25\n- b.md:1-1 · 0.123456789012 · starred=true\ntotal: 2',
  );
});

test('a place is written as tools accept it, and an empty list is a value', () => {
  const rows = [
    { path: 'a.md', line: 3, tags: [], text: 'one' },
    { path: 'b.md', line: 9, tags: [], text: 'two' },
  ];
  assert.equal(renderText({ rows }), 'rows (2): path:line · tags · text\n- a.md:3 · [] · one\n- b.md:9 · [] · two');
  assert.equal(renderText({ links: [{ line: 3, path: 'b.md' }] }), 'links (1):\n- line=3 · path=b.md');
  assert.equal(renderText({ rows: [{ path: 'a · b.md', line: 3 }] }), 'rows (1):\n- path="a · b.md" · line=3');
});

test('fractions keep four digits; integers and values from notes keep all', () => {
  const scores = [12.023456, 0.000123456, -7.25, 0.5, 123456.789, 1234.5, 42];
  assert.deepEqual(toPlainObject({ scores, properties: { depth: 1.23456789, deep: [{ tide: 9.87654321 }] } }), {
    scores: [12.02, 0.0001235, -7.25, 0.5, 123457, 1235, 42],
    properties: { depth: 1.23456789, deep: [{ tide: 9.87654321 }] },
  });
});

test('the texts of an error within an answer are masked, those of a note are not', () => {
  const error = { code: 'X', message: 'see /home/ulla/Notes', hint: 'open /home/ulla/Notes' };
  const mask = (text: string): string => text.replaceAll('/home/ulla', '~');
  assert.deepEqual(toPlainObject({ job: { error }, properties: error }, mask), {
    job: { error: { code: 'X', message: 'see ~/Notes', hint: 'open ~/Notes' } },
    properties: error,
  });
});

test('a list inside each row is named once and follows its row', () => {
  const text = renderText({
    neighbors: [
      { path: 'a.md', links: [{ line: 1, sentence: 'one' }] },
      {
        path: 'b.md',
        links: [
          { line: 2, sentence: 'two' },
          { line: 3, sentence: 'three' },
        ],
      },
    ],
  });
  assert.equal(
    text,
    'neighbors (2): path · links[line · sentence]\n- a.md\n  - 1 · one\n- b.md\n  - 2 · two\n  - 3 · three',
  );
});

test('multi-line text is verbatim, whatever fences it contains', () => {
  const content = '# Head\n\n````js\ncode\n````\n\ttab · dot\r\nlast ';
  const text = renderText({ path: 'a.md', content });
  assert.ok(text.includes(`\n\`\`\`\`\`\n${content}\n\`\`\`\`\``));
});

/** How OpenAI's newer tokenisers cut text before they merge: each piece is at least one token. */
const PIECES = /[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+/gu;
const piecesOf = (text: string): number => text.match(PIECES)?.length ?? 0;

test('twenty hits cost clearly less than their compact JSON', (context) => {
  const words = 'the delay between the moon crossing the meridian and high water depends on the harbour see'.split(' ');
  const hits = Array.from({ length: 20 }, (_, index) => ({
    path: `Areas/Oceanography/Tide pool ${index}.md`,
    title: `Tide pool ${index}`,
    lines: [3 + index, 9 + index],
    snippet: `…${[...words.slice(index % 9), ...words.slice(0, index % 9)].join(' ')} [[Harbour]]…`,
    score: Math.round(1_000 * (9 - index / 7)) / 1_000,
  }));
  const data = { hits, total: 57, next_cursor: 'eyJvZmZzZXQiOjIwfQ' };
  const [text, json] = [renderText(data), JSON.stringify(data)];
  const shares = [text.length / json.length, piecesOf(text) / piecesOf(json)].map((share) => share.toFixed(3));
  context.diagnostic(
    `characters/4: ${Math.round(text.length / 4)} against ${Math.round(json.length / 4)}, shares ${shares}`,
  );
  assert.ok(text.length <= 0.82 * json.length);
  assert.ok(piecesOf(text) <= 0.9 * piecesOf(json));
});

test('an answer that JSON cannot represent is an internal error, not null', () => {
  const circle: { self?: object } = {};
  circle.self = circle;
  for (const wrong of [{ a: Number.NaN }, { a: 1n }, { a: () => 1 }, { a: new Map() }, { a: new Date() }, circle]) {
    assert.throws(() => toPlainObject(wrong), { code: 'INTERNAL' });
  }
  for (const wrong of [undefined, null, 'text', 5, [1]]) {
    assert.throws(() => toPlainObject(wrong as unknown as object), { code: 'INTERNAL' });
  }
});

test('absent members are left out; an empty value and a place in a list are kept', () => {
  assert.deepEqual(toPlainObject({ a: undefined, b: null, c: [null, 1], d: 'x\ud800' }), {
    b: null,
    c: [null, 1],
    d: 'x\ufffd',
  });
});

test('a path or title with a line end is one line, not a block that could pass for a text', () => {
  const hit = { path: 'Bad\nname.md', title: 'Bad\nname', lines: [1, 2], snippet: 'one\ntwo' };
  const text = renderText({
    path: 'a\n```\npath: x',
    hits: [hit, { ...hit, path: 'Good.md', title: 'Good' }],
    succeeded: [{ id: 'a\nb', result: { path: 'a\nb' } }],
  });
  assert.ok(text.includes('path: "a\\n```\\npath: x"'), text);
  assert.ok(text.includes('"Bad\\nname.md"') && text.includes('id="a\\nb"'), text);
  assert.doesNotMatch(text, /^(?:name|path: x$|b$)/m);
  assert.ok(text.includes('one\ntwo'), 'a text stays as it is');
});
