// A drawing, a board and a program through the tools: their data is in no answer, and the raw file can be read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getContext } from '../../../src/tools/context/get_context.ts';
import { findGaps } from '../../../src/tools/links/find_gaps.ts';
import { readNotes } from '../../../src/tools/notes/read_notes.ts';
import { searchText } from '../../../src/tools/search/search_text.ts';
import { withTools } from '../tools-under-test.ts';

const FENCE = '```';
const DRAWING = `---
excalidraw-plugin: parsed
tags: [excalidraw]
---
==⚠  Switch to EXCALIDRAW VIEW in the MORE OPTIONS menu of this document. ⚠==

# Excalidraw Data

## Text Elements
The mole at [[Quay]] ^a1b2c3d4

%%
## Drawing
${FENCE}compressed-json
N4KAkARALgngDgUwgLgAQQQDwMYEMA2AlgCYBOuA7hADTgQBuCpAzoQPYB2KqATL

ZMzYBXUtiRoIACyhQ4zZAHoFAc0JRJQgEYA6bGwC2CgF7N6hbEcK4OCtptbErHAL
${FENCE}
%%
`;
const BOARD = `---\nkanban-plugin: board\n---\n## Afloat\n- [ ] Caulk the seam\n\n%% kanban:settings\n${FENCE}\n{"kanban-plugin":"board","lane-width":272}\n${FENCE}\n%%\n`;
const FILES = {
  'Hull.excalidraw.md': DRAWING,
  'Board.md': BOARD,
  'Program.md': `Boats by age\n${FENCE}dataviewjs\nfor (const vessel of dv.pages('#boat')) dv.paragraph(vessel.age)\n${FENCE}\nEnd`,
  'Quay.md': 'Granite',
  'Books.base': 'filters: file.hasTag("shipwright")\nviews:\n  - type: table\n    name: Unread books\n',
};

test('words of the data find nothing, texts and links do, and snippets are of them', () =>
  withTools(FILES, async ({ ask }) => {
    const found = async (query: string): Promise<string[]> =>
      (await ask(searchText, { query })).hits.map(({ path }: { path: string }) => path);
    for (const word of [
      'N4KAkARALgngDgUwgLgAQQQDwMYEMA2AlgCYBOuA7hADTgQBuCpAzoQPYB2KqATL',
      'parsed',
      'switch',
      'elements',
    ])
      assert.deepEqual(await found(word), [], word);
    for (const word of ['lane', '272', 'paragraph', 'vessel', 'shipwright', 'filters'])
      assert.deepEqual(await found(word), [], word);
    assert.deepEqual(await found('mole'), ['Hull.excalidraw.md']);
    assert.deepEqual(await found('caulk'), ['Board.md']);
    assert.deepEqual(await found('unread'), ['Books.base']);
    const { hits } = await ask(searchText, { query: 'mole' });
    assert.deepEqual([hits[0].lines, hits[0].snippet], [[10, 10], 'The mole at [[Quay]] ^a1b2c3d4']);
    const { sections } = await ask(getContext, { notes: ['Hull.excalidraw'], budget_tokens: 1_000 });
    assert.doesNotMatch(JSON.stringify(sections), /N4KAk|Switch|Drawing/);
  }));

test('read_notes leaves the data out, says on which lines it is, and reads the source', () =>
  withTools(FILES, async ({ ask }) => {
    const read = async (note: string, more: object = {}) =>
      (await ask(readNotes, { notes: [note], ...more })).succeeded[0].result;
    const drawing = await read('Hull.excalidraw', { include: ['content', 'outline', 'links'] });
    assert.deepEqual(drawing.left_out, [{ is: 'drawing', lines: [14, 18] }]);
    assert.deepEqual([drawing.total_lines, drawing.lines, drawing.outline], [19, [1, 10], []]);
    assert.equal(drawing.links[0].link, 'Quay');
    assert.match(drawing.content, /\n---\n\n\n\n\n\nThe mole at \[\[Quay\]\] \^a1b2c3d4$/);
    assert.equal((await read('Hull.excalidraw:10')).content, 'The mole at [[Quay]] ^a1b2c3d4');
    assert.equal((await read('Hull.excalidraw#^a1b2c3d4')).content, 'The mole at [[Quay]] ^a1b2c3d4');
    assert.deepEqual((await read('Program')).left_out, [{ is: 'code', lines: [2, 4] }]);
    assert.equal((await read('Program')).content, 'Boats by age\n\n\n\nEnd');
    assert.equal((await read('Books.base')).content.trim(), 'Unread books');
    for (const [note, text] of Object.entries(FILES)) {
      const source = await read(note, { include: ['source'] });
      assert.deepEqual([source.content, source.left_out], [text, undefined]);
    }
  }));

test('links to shapes are not broken, and files of Ink are not unused', () => {
  const shapes = ['#^frame=Deck', '#^group=zzzz1111', '#^a1b2c3d4', '#^zzzz1111'];
  const files = {
    ...FILES,
    'Host.md': [...shapes, '#Nowhere'].map((part) => `![[Hull.excalidraw${part}]]`).join('\n'),
    'Log.md': '[[Quay#^none]]',
    'Ink.md': `${FENCE}handwritten-ink\n{"filepath":"Ink/1.writing"}\n${FENCE}\n`,
    'Ink/1.writing': '{}',
    'alone.png': '',
  };
  return withTools(files, async ({ ask }) => {
    const gaps = async (kind: string) => (await ask(findGaps, { kind })).gaps;
    const names = (await gaps('unresolved')).map(({ name }: { name: string }) => name);
    assert.deepEqual(names.sort(), ['Hull.excalidraw#Nowhere', 'Quay#^none']);
    const paths = (await gaps('unused_attachments')).map(({ path }: { path: string }) => path);
    assert.deepEqual(paths, ['alone.png']);
  });
});
