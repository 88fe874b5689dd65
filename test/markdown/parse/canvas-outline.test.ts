// Tests the outline of a canvas: its order, its lines, and that every position in it is one of its text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { headingsAbove, resolveSubpath } from '../../../src/markdown/links/section.ts';
import { canvasOutline } from '../../../src/markdown/parse/canvas-outline.ts';
import { assertEach } from '../../assert-each.ts';
import { runs } from '../../runner/effort.ts';

const at = (id: string, x: number, y: number, more: object, size = 100): object => {
  return { id, x, y, width: size, height: size, ...more };
};
const text = (id: string, x: number, y: number, written: string): object =>
  at(id, x, y, { type: 'text', text: written });
const BOARD = {
  nodes: [
    text('last', 3_000, 10, 'A loose card'),
    text('b', 300, 200, '- [[Quay]] and #stone\n- second line ^item'),
    text('a', 20, 200, '\n\n## Mole\n\nharbour\\wall\n'),
    at('photo', 20, 600, { type: 'file', file: 'Pictures/Pier.png' }),
    at('note', 300, 600, { type: 'file', file: 'Notes/Tide.md', subpath: '#Ebb' }),
    at('g', 0, 0, { type: 'group', label: 'Works  of\nstone' }, 1_000),
    at('inner', 500, 500, { type: 'group', label: 'Within' }, 400),
    text('deep', 600, 600, 'Deep'),
    at('web', 3_000, 300, { type: 'link', url: 'https://tides.example/a' }),
    text('empty', 0, 0, ' \n'),
  ],
  edges: [
    { id: 'e1', fromNode: 'a', toNode: 'note', label: 'leans on' },
    { id: 'e2', fromNode: 'g', toNode: 'last', toEnd: 'none' },
    { id: 'e3', fromNode: 'b', toNode: 'web', fromEnd: 'arrow' },
    { id: 'e4', fromNode: 'a', toNode: 'nowhere' },
  ],
};
const OUTLINE = `# Works of stone

## Mole

harbour\\wall

---

- [[Quay]] and #stone
- second line ^item

---

![[Pictures/Pier.png]]

---

![[Notes/Tide.md#Ebb]]

## Within

Deep

---

A loose card

---

https://tides.example/a

---

Mole → Tide#Ebb: leans on
Works of stone — A loose card
[[Quay]] and #stone ↔ https://tides.example/a
`;

test('groups with their cards by place, then the others, then the arrows', () => {
  for (const json of [JSON.stringify(BOARD), JSON.stringify(BOARD, null, '\t')])
    assert.equal(canvasOutline(json).text, OUTLINE);
});

test('links, tags, headings and blocks are where the outline has them', () => {
  const { text: outline, parsed, cards } = canvasOutline(JSON.stringify(BOARD));
  assert.deepEqual(
    parsed.links.map(({ kind, link, display, line, offset, end }) => [
      kind,
      link,
      display,
      line,
      outline.slice(offset, end),
    ]),
    [
      ['wikilink', 'Quay', 'Quay', 9, '[[Quay]]'],
      ['canvas', 'Pictures/Pier.png', 'Pictures/Pier.png', 14, 'Pictures/Pier.png'],
      ['canvas', 'Notes/Tide.md', 'Notes/Tide.md#Ebb', 18, 'Notes/Tide.md'],
    ],
  );
  assert.deepEqual(
    parsed.headings.map(({ text: heading, level, line }) => [heading, level, line]),
    [
      ['Works of stone', 1, 1],
      ['Mole', 2, 3],
      ['Within', 2, 20],
    ],
  );
  assertEach(parsed.tags, ({ tag, line, column }) => [tag, line, column], [['#stone', 9, 16]]);
  assert.deepEqual(
    parsed.blocks.filter(({ id }) => ['item', 'a', 'g', 'empty'].includes(id)),
    [
      { id: 'item', line: 10, endLine: 10 },
      { id: 'g', line: 1, endLine: 1 },
      { id: 'a', line: 3, endLine: 5 },
    ],
  );
  for (const { from, to, line, endLine } of cards)
    assert.equal(
      outline
        .split('\n')
        .slice(line - 1, endLine)
        .join('\n'),
      outline.slice(from, to),
    );
});

test('the section of a heading ends with its card, that of a group with what is in it', () => {
  const nodes = [
    at('g', 0, 0, { type: 'group', label: 'Works' }, 1_000),
    text('a', 10, 10, '# Mole\nstone\n\n## Head\nlight\n\n# Quay\nwood'),
    text('b', 10, 200, 'of no heading'),
    at('inner', 500, 500, { type: 'group', label: 'Within' }, 400),
    text('c', 600, 600, '---\nstatus: open\n---\n# Deep\nwater'),
    text('d', 3_000, 10, 'outside'),
  ];
  const { text: outline, parsed } = canvasOutline(JSON.stringify({ nodes }));
  const lines = outline.split('\n');
  const sectionOf = (name: string): string | undefined => {
    const span = resolveSubpath(name, parsed, lines.length);
    return span === null ? undefined : lines.slice(span.line - 1, span.endLine).join('\n');
  };
  const within = '## Within\n\n---\nstatus: open\n---\n# Deep\nwater';
  for (const [name, section] of [
    ['#Quay', '# Quay\nwood'],
    ['#Head', '## Head\nlight\n'],
    ['#Mole', '# Mole\nstone\n\n## Head\nlight\n'],
    ['#Within', within],
    ['#Works', outline.slice(0, outline.indexOf(within) + within.length)],
    ['#Works#Within#Deep', '# Deep\nwater'],
    ['#Quay#Deep', undefined],
    ['#status: open', undefined],
  ] as const)
    assert.equal(sectionOf(name), section, name);
  const above = (line: string) => headingsAbove(parsed.headings, lines.indexOf(line) + 1).map((each) => each.text);
  assert.deepEqual(above('light'), ['Works', 'Mole', 'Head']);
  assert.deepEqual(above('of no heading'), ['Works']);
  assert.deepEqual(above('water'), ['Works', 'Within', 'Deep']);
  assert.deepEqual(above('outside'), []);
});

test('an arrow names its cards by what they show, and has its label even where they show nothing', () => {
  const written: readonly (readonly [text: string, name: string])[] = [
    ['- [ ] Caulk the hull', 'Caulk the hull'],
    ['> [!tip]- Mind the tide', 'Mind the tide'],
    ['> [!tip]\n> Ebb', 'Ebb'],
    ['---\nstatus: open\n---\n## Keel', 'Keel'],
    ['```js\nlet depth = 3;\n```', 'let depth = 3;'],
    ['***\n[[Quay]]', '[[Quay]]'],
    ['```', '```'],
    ['', '…'],
  ];
  const cards = written.map(([card], index) => text(`${index}`, 0, index * 200, card));
  const edges = written.map((_, index) => ({ fromNode: 'end', toNode: `${index}`, label: `to ${index}` }));
  const plain = [
    { fromNode: 'end', toNode: '7' },
    { fromNode: 'end', toNode: 'none', label: 'lost' },
  ];
  const nodes = [...cards, at('end', 900, 0, { type: 'group' })];
  const { text: outline } = canvasOutline(JSON.stringify({ nodes, edges: [...edges, ...plain] }));
  const shown = outline.trimEnd().split('\n').slice(-written.length);
  assert.deepEqual(
    shown,
    written.map(([, name], index) => `… → ${name}: to ${index}`),
  );
});

test('a canvas without text has no line', () => {
  for (const json of ['', ' \n', '{}', '{"nodes":[]}', '{"nodes":[{"type":"text"},{}],"edges":7}'])
    assert.deepEqual([canvasOutline(json).text, canvasOutline(json).fault], ['', undefined]);
});

test('of what is no canvas the texts of its cards are shown, never the JSON', () => {
  const cards =
    '{"id":"a","type":"text","text":"Low [[Quay]]\\n\\nsays \\"ebb\\"","x":0},{"type":"file","file":"Pier.md"}';
  for (const [json, shown] of [
    [`{"nodes": [null, ${cards}]}`, 'Low [[Quay]]\n\nsays "ebb"\n\n---\n\nPier.md\n'],
    [`<<<<<<< ours\n{"nodes":[${cards},]}`, 'Low [[Quay]]\n\nsays "ebb"\n\n---\n\nPier.md\n'],
    ['{"nodes": [{"text":"cut o', 'cut o\n'],
    ['{"nodes": [', ''],
    ['["text"]', ''],
    ['{"nodes":null}', ''],
  ] as const) {
    const { text: outline, fault, parsed, cards: places } = canvasOutline(json);
    assert.deepEqual([outline, typeof fault, parsed.links, places], [shown, 'string', [], []], json);
  }
});

test('a first card that begins like properties is none', () => {
  const { text: outline } = canvasOutline(JSON.stringify({ nodes: [text('a', 0, 0, '---\ntags: x\n---')] }));
  assert.ok(!outline.startsWith('---'));
});

const piece = fc.constantFrom(
  '\n',
  '\r\n',
  '\\',
  '"',
  '# H',
  '[[Quay]]',
  '#tag',
  ' ^id',
  '- ',
  '---',
  '```',
  '港',
  '😀',
  ' ',
);
const node = fc.record({
  id: fc.constantFrom('a', 'b', 'c', ''),
  type: fc.constantFrom('text', 'text', 'file', 'group', 'link', 'x'),
  text: fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
  file: fc.constantFrom('a/B.md', 'é.png', ''),
  label: fc.constantFrom('Label', '', '# x'),
  x: fc.integer({ min: 0, max: 500 }),
  y: fc.integer({ min: 0, max: 500 }),
  width: fc.integer({ min: 0, max: 500 }),
  height: fc.integer({ min: 0, max: 500 }),
});

test('in any canvas every position is one of the outline, and every card is on its lines', () => {
  fc.assert(
    fc.property(fc.array(node, { maxLength: 12 }), (nodes) => {
      const { text: outline, parsed, cards } = canvasOutline(JSON.stringify({ nodes, edges: [] }));
      const starts = [0, ...[...outline.matchAll(/\r\n?|\n/g)].map(({ index, 0: end }) => index + end.length)];
      for (const { line, column, offset } of [...parsed.links, ...parsed.tags, ...parsed.headings])
        assert.equal((starts[line - 1] ?? Number.NaN) + column - 1, offset);
      for (const { tag, offset } of parsed.tags) assert.ok(outline.startsWith(tag, offset));
      for (const { from, to, line, endLine } of cards) {
        assert.equal(starts[line - 1], from);
        assert.ok((starts[endLine - 1] ?? Number.NaN) <= to && to < (starts[endLine] ?? outline.length + 1));
      }
    }),
    { numRuns: runs(2_000) },
  );
});
