// edit_note on a canvas: the text of a card changes, and nothing else of the file.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { editCanvas } from '../../../src/markdown/edit/canvas.ts';
import { readNotes } from '../../../src/tools/notes/read_notes.ts';
import { searchText } from '../../../src/tools/search/search_text.ts';
import { editNote } from '../../../src/tools/write/edit_note.ts';
import { undoChange } from '../../../src/tools/write/undo_change.ts';
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
      [{ op: 'prepend', text: 'x' }, 'INVALID_INPUT'],
      [{ op: 'append' }, 'INVALID_INPUT'],
      [{ op: 'delete_section', target: '#Seam Yard' }, 'EDIT_TARGET_NOT_FOUND'],
      [{ op: 'insert_before', target: '#^c1', text: 'x' }, 'INVALID_INPUT'],
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

const ARROWS = `{"nodes":[{"id":"a","type":"text","text":"A","x":0,"y":0,"width":300,"height":60},
  {"id":"b","type":"file","file":"Quay.md","x":0,"y":80,"width":300,"height":60}, {"id":"c","type":"text","text":"C","x":400,"y":0,"width":100,"height":60}],
 "edges":[{"id":"1","fromNode":"a","toNode":"b"}, {"id":"2","fromNode":"c","toNode":"b"},{"id":"3","fromNode":"c","toNode":"a"}], "own":1}`;

const GROUPED = `{"nodes":[{"id":"g","type":"group","label":"G","x":-20,"y":-40,"width":340,"height":400},
  {"id":"a","type":"text","text":"A","x":0,"y":0,"width":300,"height":60}],"edges":[]}`;

test('a card below all others is in no group, one below a card of a group is in it', () =>
  withWrites({ 'Board.canvas': GROUPED }, async ({ ask, text }) => {
    await ask(editNote, { note: 'Board.canvas', edits: [{ op: 'append', text: 'Below' }] });
    await ask(editNote, { note: 'Board.canvas', edits: [{ op: 'insert_after', target: '#^a', text: 'Within' }] });
    const placed = JSON.parse(text('Board.canvas') ?? '').nodes.slice(2);
    assert.deepEqual(
      placed.map(({ text: shown, x, y }: Record<string, unknown>) => [shown, x, y]),
      [
        ['Below', -20, 380],
        ['Within', 0, 80],
      ],
    );
  }));

test('cards are added and deleted, a deleted one with its arrows, and undo brings the bytes back', () =>
  withWrites(
    { 'Board.canvas': ARROWS, 'Quay.md': '[[Board.canvas#^b]]', 'Empty.canvas': '' },
    async ({ ask, refusal, text }) => {
      const added = await ask(editNote, { note: 'Board.canvas', edits: [{ op: 'append', text: 'New\n[[Quay]]' }] });
      const [id] = added.added_cards;
      const card = `{"id":"${id}","type":"text","text":"New\\n[[Quay]]","x":0,"y":160,"width":260,"height":78}`;
      assert.equal(text('Board.canvas'), ARROWS.replace('"height":60}],', `"height":60},\n  ${card}],`));
      await ask(undoChange, { change_id: added.change_id });
      assert.equal(text('Board.canvas'), ARROWS);

      const deletion = { op: 'delete_section', target: '#^b' };
      await refusal(editNote, { note: 'Board.canvas', edits: [deletion] }, 'CONFIRMATION_REQUIRED');
      const deleted = await ask(editNote, edit(deletion));
      assert.equal(deleted.deleted_arrows, 2);
      assert.equal(JSON.stringify(deleted.broken).includes('Board.canvas#^b'), true);
      const left = ARROWS.replace(/\{"id":"b"[^}]+\}, /, '').replace(/\{"id":"1"[^}]+\}, \{"id":"2"[^}]+\},/, '');
      assert.equal(text('Board.canvas'), left);
      await ask(undoChange, { change_id: deleted.change_id });
      assert.equal(text('Board.canvas'), ARROWS);

      const below = { op: 'insert_after', target: '^c', text: 'Below' };
      await ask(editNote, { ...edit(below), edits: [below, { ...below, target: '#^a' }, deletion] });
      const { nodes, edges } = JSON.parse(text('Board.canvas') ?? '');
      assert.deepEqual(
        nodes.map(({ text: of, x, y, width }: Record<string, unknown>) => [of, x, y, width]),
        [
          ['A', 0, 0, 300],
          ['C', 400, 0, 100],
          ['Below', 400, 80, 100],
          ['Below', 0, 80, 300],
        ],
      );
      assert.equal(new Set(nodes.map((one: { id: string }) => one.id)).size, 4);
      assert.deepEqual(edges, [{ id: '3', fromNode: 'c', toNode: 'a' }]);

      await ask(editNote, { note: 'Empty.canvas', edits: [{ op: 'append', text: 'First' }] });
      assert.equal(JSON.parse(text('Empty.canvas') ?? '').nodes[0].text, 'First');
      await refusal(
        editNote,
        {
          ...edit({}),
          edits: [
            { op: 'append', target: '#^a', text: 'x' },
            { op: 'delete_section', target: '#^a' },
          ],
        },
        'INVALID_INPUT',
      );
    },
  ));

test('in any canvas, however its JSON is formatted, only the deleted cards and their arrows go', () => {
  const ids = fc.uniqueArray(fc.nat(9), { minLength: 1, maxLength: 6 });
  const ends = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 6 });
  const run = fc.property(ids, ends, fc.nat(3), fc.nat(63), (names, arrows, indent, mask) => {
    const nodes = names.map((name) => ({ id: `n${name}`, type: 'text', text: `{"[${name}`, x: name, y: 0 }));
    const edges = arrows.map(([from, to]) => ({ fromNode: `n${from}`, toNode: `n${to}`, label: '}],' }));
    const gone = new Set(nodes.filter((_, at) => (mask >> at) & 1).map(({ id }) => id));
    const json = JSON.stringify({ own: [[{ id: 'n1' }]], edges, nodes }, null, indent);
    const edits = [...gone].map((id) => ({ op: 'delete_section', target: `#^${id}` }) as const);
    const { text, facts } = editCanvas('B.canvas', json, edits);
    const kept = edges.filter(({ fromNode, toNode }) => !gone.has(fromNode) && !gone.has(toNode));
    const { own, ...rest } = JSON.parse(text);
    assert.deepEqual(rest, { edges: kept, nodes: nodes.filter(({ id }) => !gone.has(id)) });
    assert.deepEqual(own, [[{ id: 'n1' }]]);
    assert.equal(facts.deleted_arrows ?? 0, edges.length - kept.length);
    const more = editCanvas('B.canvas', json, [{ op: 'append', text: 'x' }]).text;
    assert.equal(JSON.parse(more).nodes.length, nodes.length + 1);
  });
  fc.assert(run, { numRuns: runs(1_000) });
});

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
    const edits = [{ op: 'replace_section', target: `#^c${at}`, text: wanted } as const];
    const after = editCanvas('B.canvas', json, edits).text;
    assert.equal(
      after,
      JSON.stringify({ nodes: nodes.with(at, { ...nodes[at], text: wanted } as never), edges: [] }, null, indent),
    );
  });
  fc.assert(run, { numRuns: runs(1_000) });
});
