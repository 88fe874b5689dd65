// A canvas through the tools: what is found, shown, read and compared are its cards.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getContext } from '../../../src/tools/context/get_context.ts';
import { createCheckNote } from '../../../src/tools/diagnose/check_note.ts';
import { findGaps } from '../../../src/tools/links/find_gaps.ts';
import { getNeighbors } from '../../../src/tools/links/get_neighbors.ts';
import { readNotes } from '../../../src/tools/notes/read_notes.ts';
import { findRelated } from '../../../src/tools/related/find_related.ts';
import { searchText } from '../../../src/tools/search/search_text.ts';
import { withTools } from '../tools-under-test.ts';

const at = (id: string, y: number, more: object): object => ({ id, x: 10, y, width: 100, height: 50, ...more });
const STEPS =
  'Drive the oakum home with the mallet.\nThen pay the seam with pitch and sand it when it is cold and hard enough.';
const board = (first: string): string =>
  JSON.stringify({
    nodes: [
      at('c2', 300, { type: 'file', file: 'Quay.md' }),
      at('c1', 100, { type: 'text', text: `Caulking\nharbour ${first}\n\n${STEPS}` }),
      { id: 'g1', type: 'group', label: 'Shipyard', x: 0, y: 0, width: 400, height: 280 },
    ],
    edges: [{ id: 'e', fromNode: 'c1', toNode: 'c2', label: 'moored at' }],
  });
const FILES = {
  'Board.canvas': board('first'),
  'Board copy.canvas': board('second'),
  'Quay.md': 'Granite',
  'Oakum.md': 'Oakum and pitch, with the mallet, for the seam.',
  'Other.md': 'Bread',
};

const found = (hits: readonly { readonly path: string }[]): string[] => hits.map(({ path }) => path).sort();

test('words of its JSON find nothing, those of cards, groups and arrows do', () =>
  withTools(FILES, async ({ ask }) => {
    const search = async (query: string) => (await ask(searchText, { query })).hits;
    for (const word of ['nodes', 'edges', 'nharbour', 'fromNode', 'c1']) assert.deepEqual(await search(word), [], word);
    for (const word of ['harbour', 'shipyard', 'moored', 'caulking'])
      assert.deepEqual(found(await search(word)), ['Board copy.canvas', 'Board.canvas'], word);
    const [hit] = await search('"harbour first"');
    assert.deepEqual(
      [
        hit.path,
        hit.lines,
        hit.snippet.startsWith('# Shipyard Caulking harbour first Drive'),
        hit.snippet.includes('Quay'),
      ],
      ['Board.canvas', [1, 7], true, false],
    );
    const { sections } = await ask(getContext, { topic: 'harbour first', budget_tokens: 1_000 });
    assert.match(JSON.stringify(sections), /Board\.canvas[^}]*Drive the oakum/);
    assert.doesNotMatch(JSON.stringify(sections), /fromNode|"?width/);
  }));

test('read_notes gives the outline, parts of it, the ids of its cards, and the source', () =>
  withTools(FILES, async ({ ask }) => {
    const read = async (note: string, more: object = {}) =>
      (await ask(readNotes, { notes: [note], ...more })).succeeded[0].result;
    const card = `Caulking\nharbour first\n\n${STEPS}`;
    const whole = await read('Board.canvas');
    const text = `# Shipyard\n\n${card}\n\n---\n\n![[Quay.md]]\n\n---\n\nCaulking → Quay: moored at\n`;
    assert.deepEqual([whole.content, whole.lines, whole.total_lines], [text, [1, 15], 15]);
    const part = await read('Board.canvas#^c1');
    assert.deepEqual([part.content, part.lines], [card, [3, 7]]);
    assert.equal((await read('Board.canvas:4')).content, 'harbour first');
    assert.match((await read('Board.canvas#Shipyard')).content, /^# Shipyard\n\nCaulking/);
    const { outline, cards, links } = await read('Board.canvas', { include: ['outline', 'links'] });
    assert.deepEqual(outline, [{ line: 1, level: 1, text: 'Shipyard' }]);
    assert.deepEqual(cards, [
      { id: 'g1', type: 'group', lines: [1, 1] },
      { id: 'c1', type: 'text', lines: [3, 7] },
      { id: 'c2', type: 'file', lines: [11, 11] },
    ]);
    assert.deepEqual([links[0].path, links[0].line], ['Quay.md', 11]);
    for (const note of ['Board.canvas', 'Board.canvas#^c1'])
      assert.equal((await read(note, { include: ['source'] })).content, FILES['Board.canvas']);
    assert.equal((await ask(createCheckNote({}), { note: 'Board.canvas:15' })).state, 'indexed');
  }));

test('many cards are listed as far as they fit', () => {
  const nodes = Array.from({ length: 2_000 }, (_, y) => at(`c${y}`, y, { type: 'text', text: `card ${y}` }));
  return withTools({ 'Wall.canvas': JSON.stringify({ nodes, edges: [] }) }, async ({ ask, warnings }) => {
    const args = { notes: ['Wall.canvas'], include: ['outline'], max_chars: 2_000 };
    const { cards } = (await ask(readNotes, args)).succeeded[0].result;
    assert.deepEqual(cards[1], { id: 'c1', type: 'text', lines: [5, 5] });
    assert.ok(cards.length > 10 && JSON.stringify(cards).length < 4_000, cards.length);
    assert.deepEqual(
      warnings.map(({ code, count }) => [code, count]),
      [['TRUNCATED', 2_000 - cards.length]],
    );
  });
});

test('links are on the lines of the outline, and canvases are compared', () =>
  withTools(FILES, async ({ ask }) => {
    const { neighbors } = await ask(getNeighbors, { note: 'Quay', direction: 'in' });
    assert.deepEqual(found(neighbors), ['Board copy.canvas', 'Board.canvas']);
    assert.match(JSON.stringify(neighbors), /"line":11,.*"sentence":"!\[\[Quay\.md\]\]"/);
    const { gaps } = await ask(findGaps, { kind: 'duplicates', detail: 'full' });
    assert.deepEqual(gaps[0].notes.toSorted(), ['Board copy.canvas', 'Board.canvas']);
    const { related } = await ask(findRelated, { note: 'Oakum' });
    assert.deepEqual(found(related), ['Board copy.canvas', 'Board.canvas']);
    assert.ok(found((await ask(findRelated, { note: 'Board.canvas' })).related).includes('Oakum.md'));
  }));

test('a link is below the heading of its card and group, not below that of another card', () => {
  const nodes = [
    { id: 'g', type: 'group', label: 'Shipyard', x: 0, y: 0, width: 400, height: 280 },
    at('a', 20, { type: 'text', text: '# Slip\n[[Quay]]' }),
    at('b', 150, { type: 'text', text: '[[Quay]] again' }),
    at('c', 900, { type: 'text', text: 'and [[Quay]] outside' }),
  ];
  return withTools({ 'Yard.canvas': JSON.stringify({ nodes, edges: [] }), 'Quay.md': '' }, async ({ ask }) => {
    const { backlinks } = (await ask(readNotes, { notes: ['Quay'], include: ['links'] })).succeeded[0].result;
    const headings = backlinks.map(({ heading }: { heading?: string }) => heading);
    assert.deepEqual(headings, ['Slip', 'Shipyard', undefined]);
    const [part] = (await ask(readNotes, { notes: ['Yard.canvas#Shipyard'] })).succeeded;
    assert.equal(part.result.content, '# Shipyard\n\n# Slip\n[[Quay]]\n\n---\n\n[[Quay]] again');
  });
});
