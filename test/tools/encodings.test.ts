// UTF-16 and other encodings: named wherever a user looks for the note, and never written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeText } from '../../src/markdown/parse/lines.ts';
import { createCheckNote } from '../../src/tools/diagnose/check_note.ts';
import { readNotes } from '../../src/tools/notes/read_notes.ts';
import { searchText } from '../../src/tools/search/search_text.ts';
import { editNote } from '../../src/tools/write/edit_note.ts';
import { moveNote } from '../../src/tools/write/move_note.ts';
import { setProperties } from '../../src/tools/write/set_properties.ts';
import { runs } from '../runner/effort.ts';
import { withWrites } from './write/write-under-test.ts';

const TEXT = '# Wide\n\nThe neap tide. [[Plain]]\n';
const littleEndian = (text: string): Buffer => Buffer.from(text, 'utf16le');
const FILES = {
  'Plain.md': 'plain\n',
  'Marked.md': littleEndian(`\uFEFF${TEXT}`),
  'Big.md': littleEndian(`\uFEFF${TEXT}`).swap16(),
  'Bare.md': littleEndian(TEXT),
  'Latin.md': Buffer.from('caf\xe9 tide\n', 'latin1'),
  'Nul.md': 'a\0b tide\n',
};
const WIDE = ['Marked.md', 'Big.md', 'Bare.md'];

test('a note in UTF-16 is quarantined, named, read, and written by no tool', () =>
  withWrites(FILES, async ({ ask, refusal, files, store }) => {
    const before = files();
    const rows = await store.quarantine({ limit: 10, offset: 0 }, new AbortController().signal);
    assert.deepEqual(rows.map(({ path }) => path).sort(), [...WIDE].sort());
    for (const { code, reason } of rows)
      assert.deepEqual([code, /^encoding: /.test(reason)], ['FILE_UNREADABLE', true]);
    const found = await ask(searchText, { query: 'tide' });
    assert.deepEqual(found.hits.map(({ path }: { path: string }) => path).sort(), ['Latin.md', 'Nul.md']);
    for (const note of WIDE) {
      const { state, verdict, terms } = await ask(createCheckNote({}), { note, query: 'tide' });
      assert.equal(terms, undefined, 'no word of it is in the index');
      assert.equal(state, 'quarantined');
      assert.match(verdict, /^Not indexed: .*encoding: the file is UTF-16 text; convert it to UTF-8/);
      const [{ result }] = (await ask(readNotes, { notes: [note] })).succeeded;
      assert.deepEqual([result.encoding, result.content], ['utf-16', TEXT]);
      await refusal(editNote, { note, edits: [{ op: 'append', text: 'x' }], confirm: true }, 'FILE_UNREADABLE');
      await refusal(setProperties, { note, set: { a: 1 }, confirm: true }, 'FILE_UNREADABLE');
    }
    const { verdict } = await ask(createCheckNote({}), { note: 'Latin.md' });
    assert.match(verdict, /not valid UTF-8: words with bytes that cannot be decoded are not found/);
    assert.deepEqual(files(), before);
    await ask(moveNote, { note: 'Plain', to: 'Moved', confirm: true });
    for (const path of WIDE) assert.equal(files()[path], before[path], path);
  }));

test('any text in UTF-16 with a mark is recognized, and text in UTF-8 never is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      const marked = littleEndian(`\uFEFF${text}`);
      assert.deepEqual(decodeText(marked), { text, encoding: 'utf-16' });
      assert.deepEqual(decodeText(marked.swap16()), { text, encoding: 'utf-16' });
      assert.equal(decodeText(Buffer.from(`x${text.replaceAll('\0', '')}`)).encoding, 'utf-8');
    }),
    { numRuns: runs(500) },
  );
});
