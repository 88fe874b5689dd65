// What notes hold is the same after it was packed, and links take no names of fields.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCanvas } from '../../../src/markdown/parse/canvas.ts';
import { packNotes, unpackNotes } from '../../../src/markdown/parse/packed-notes.ts';
import { parseNote } from '../../../src/markdown/parse/parse-note.ts';

test('notes with links of every kind are the same after they were packed', () => {
  const text =
    '---\nup: "[[Π|x]]"\nsee: ["[[b#c]]"]\n---\n# H ^i\n[[a]] [[a|b]] ![[p.png]] [t](c%20d.md) [r][1] #tag\n- [ ] do\n\nkey:: [[v]]\n\n[1]: e.md\n';
  const { fault, ...canvas } = parseCanvas(
    JSON.stringify({
      nodes: [{ id: '1', type: 'file', file: 'a#b.md', subpath: '#c', x: 0, y: 0, width: 1, height: 1 }],
    }),
  );
  const notes = [parseNote(text), canvas, parseNote('')];
  const kinds = new Set(notes.flatMap(({ links }) => links.map(({ kind }) => kind)));
  assert.deepEqual([fault, kinds.size], [undefined, 6]);
  const unpacked = unpackNotes(packNotes(notes)).map((note) => ({ ...note, links: [...note.links] }));
  assert.deepEqual(unpacked, notes);
});

test('a packed link takes little more than its text', () => {
  const text = '[[name]] '.repeat(10_000);
  const packed = packNotes([parseNote(text)]);
  assert.ok(packed.byteLength < 4 * text.length, `${packed.byteLength} bytes`);
});
