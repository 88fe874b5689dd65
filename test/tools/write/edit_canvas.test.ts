// edit_note on a canvas: the text of a card changes, and nothing else of the file.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { editCanvas } from '../../../src/markdown/edit/canvas.ts';
import { readNotes } from '../../../src/tools/notes/read_notes.ts';
import { searchText } from '../../../src/tools/search/search_text.ts';
import { editNote } from '../../../src/tools/write/edit_note.ts';
import { runs } from '../../runner/effort.ts';
import { withWrites } from './write-under-test.ts';

const BOARD = `{
	"nodes":[
		{"id":"g1","type":"group","label":"Yard","x":0,"y":0,"width":900,"height":300},
		{"id":"c1","x":10,"y":10,"width":100,"height":50,"type":"text","text":"# Seam\\n\\n- [ ] Caulk \\u0068ull\\n\\nrope and tar","color":"1"},
		{"type":"text","text":"rope, \\"tar\\"\\nand\\tpitch","id":"c2","x":200,"y":10,"width":1e2,"height":50.0},
		{"id":"c3","type":"file","file":"Quay.md","x":10,"y":100,"width":100,"height":50}
	],
	"edges":[ ],  "own": {"text": "rope"}
}
`;
const FILES = { 'Board.canvas': BOARD, 'Quay.md': 'Granite', 'Torn.canvas': '{"nodes":[' };
const edit = (more: object) => ({ note: 'Board.canvas', edits: [more], confirm: true });

test('a card is written by its id, its text, its heading, its task or a line, and all else stays byte for byte', () =>
  withWrites(FILES, async ({ ask, folder, text }) => {
    for (const [more, was, is] of [
      [
        { op: 'replace_section', target: '#^c2', text: 'oakum\n"now"' },
        'rope, \\"tar\\"\\nand\\tpitch',
        'oakum\\n\\"now\\"',
      ],
      [{ op: 'append', target: '#^c2', text: 'and oil' }, 'and\\tpitch', 'and\\tpitch\\n\\nand oil'],
      [{ op: 'replace_text', target: 'pitch', text: 'wax' }, 'and\\tpitch', 'and\\twax'],
      [{ op: 'replace_text', target: 'rope', text: 'line', line: 11 }, 'rope, \\"tar', 'line, \\"tar'],
      [{ op: 'set_task', target: 'Caulk hull', status: 'done' }, '- [ ] Caulk \\u0068ull', '- [x] Caulk hull'],
      [
        { op: 'append', target: '#Seam', text: 'End' },
        '\\u0068ull\\n\\nrope and tar',
        'hull\\n\\nrope and tar\\n\\nEnd',
      ],
    ] as const) {
      folder.put('Board.canvas', BOARD);
      await ask(editNote, edit(more));
      assert.equal(
        text('Board.canvas'),
        BOARD.replace(was, is).replace('Caulk \\u0068ull', is.includes('hull') ? 'Caulk hull' : 'Caulk \\u0068ull'),
        more.op,
      );
    }
    folder.put('Board.canvas', BOARD);
    await ask(editNote, edit({ op: 'replace_text', target: 'rope', text: 'line', count: 2 }));
    assert.deepEqual(
      JSON.parse(text('Board.canvas') ?? '').nodes.map(({ text: card }: { text?: string }) => card),
      [undefined, '# Seam\n\n- [ ] Caulk hull\n\nline and tar', 'line, "tar"\nand\tpitch', undefined],
    );
    assert.ok(text('Board.canvas')?.endsWith('"own": {"text": "rope"}\n}\n'));
    const { hits } = await ask(searchText, { query: 'line' });
    assert.equal(hits[0].path, 'Board.canvas');
  }));

test('what is no text of one card is refused, and nothing is written', () =>
  withWrites(FILES, async ({ ask, refusal, text }) => {
    for (const [more, code] of [
      [{ op: 'replace_text', target: 'nodes', text: 'x' }, 'EDIT_TARGET_NOT_FOUND'],
      [{ op: 'replace_text', target: 'rope', text: 'x' }, 'EDIT_TARGET_AMBIGUOUS'],
      [{ op: 'replace_text', target: 'Quay.md', text: 'x' }, 'INVALID_INPUT'],
      [{ op: 'replace_section', target: '#^c3', text: 'x' }, 'INVALID_INPUT'],
      [{ op: 'replace_section', target: '#^zz', text: 'x' }, 'EDIT_TARGET_NOT_FOUND'],
      [{ op: 'append', target: '#Yard', text: 'x' }, 'INVALID_INPUT'],
      [{ op: 'append', text: 'x' }, 'INVALID_INPUT'],
      [{ op: 'delete_section', target: '#^c1' }, 'INVALID_INPUT'],
      [{ op: 'insert_after', target: '#^c1', text: 'x' }, 'INVALID_INPUT'],
    ] as const)
      await refusal(editNote, edit(more), code);
    await refusal(
      editNote,
      { ...edit({ op: 'append', target: '#^c1', text: 'x' }), note: 'Torn.canvas' },
      'INVALID_INPUT',
    );
    const unconfirmed = { note: 'Board.canvas', edits: [{ op: 'replace_section', target: '#^c2', text: 'x' }] };
    await refusal(editNote, unconfirmed, 'CONFIRMATION_REQUIRED');
    assert.equal(text('Board.canvas'), BOARD);
    const [read] = (await ask(readNotes, { notes: ['Board.canvas'] })).succeeded;
    await ask(editNote, { ...unconfirmed, if_match: read.result.etag });
    assert.equal(text('Board.canvas'), BOARD.replace('rope, \\"tar\\"\\nand\\tpitch', 'x'));
  }));

const written = fc.array(fc.constantFrom('a', '\n', '"', '\\', '#', ' ', '- ', '港', '\u2028', '{"text":"'), {
  maxLength: 10,
});
const card = fc.record({
  type: fc.constantFrom('text', 'file', 'group'),
  text: written,
  label: written,
  x: fc.nat(9),
  y: fc.nat(9),
});

test('in any canvas, however its JSON is formatted, only the text of the card changes', () => {
  const run = fc.property(fc.array(card, { minLength: 1, maxLength: 6 }), fc.nat(3), written, (cards, indent, text) => {
    const nodes = cards.map((one, at) => ({
      ...one,
      id: `c${at}`,
      text: one.text.join(''),
      label: one.label.join(''),
    }));
    const at = nodes.findIndex((one) => one.type === 'text' && one.text.trim() !== '');
    const wanted = `x${text.join('')}`;
    if (at === -1) return;
    const json = JSON.stringify({ nodes, edges: [] }, null, indent);
    const after = editCanvas('B.canvas', json, [{ op: 'replace_section', target: `#^c${at}`, text: wanted }]);
    assert.equal(
      after,
      JSON.stringify({ nodes: nodes.with(at, { ...nodes[at], text: wanted } as never), edges: [] }, null, indent),
    );
  });
  fc.assert(run, { numRuns: runs(1_000) });
});
