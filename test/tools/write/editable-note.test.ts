// Tests how the path of a new note is built, and what counts as its extension.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPathOf } from '../../../src/tools/write/editable-note.ts';

test('the extension may be omitted, and a dot in a name does not begin one', () => {
  for (const [written, path] of [
    ['Note', 'Note.md'],
    ['a/Note.md', 'a/Note.md'],
    ['./a/Note', 'a/Note.md'],
    ['2.1 Tides', '2.1 Tides.md'],
    ['v1.2', 'v1.2.md'],
    ['Mr. Finch', 'Mr. Finch.md'],
    ['x.excalidraw', 'x.excalidraw.md'],
    ['Caps.MD', 'Caps.MD'],
    ['e\u0301t\u00e9', '\u00e9t\u00e9.md'],
  ] as const) {
    assert.equal(newPathOf(written, '.md'), path);
  }
  assert.equal(newPathOf('Board', '.canvas'), 'Board.canvas');
  for (const written of ['', 'a/', 'a.png', 'a.canvas', 'a.txt', 'a.js'])
    assert.throws(() => newPathOf(written, '.md'), { code: 'PATH_NOT_ALLOWED' }, written);
  assert.throws(() => newPathOf('a.md', '.canvas'), { code: 'PATH_NOT_ALLOWED' });
});
