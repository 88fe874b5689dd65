// Tests delete_note on a real vault: moving a note to the trash, the links that break, and undo.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readNotes } from '../../../src/tools/notes/read_notes.ts';
import { searchText } from '../../../src/tools/search/search_text.ts';
import { deleteNote } from '../../../src/tools/write/delete_note.ts';
import { undoChange } from '../../../src/tools/write/undo_change.ts';
import { shownWrittenUndone, withWrites } from './write-under-test.ts';

const FILES = {
  'Places/Harbour.md': '# Harbour\nlamp [[Harbour]]\n',
  'Log.md': 'at the [[Harbour]]\nand ![[Places/Harbour#Berths|x]]\n',
  'Board.canvas': '{"nodes":[{"id":"1","type":"file","file":"Places/Harbour.md"}],"edges":[]}',
  'a/Twin.md': 'one',
  'b/Twin.md': 'two',
  'a/Log.md': '[[Twin]]\n',
};

test('moves the note to the trash, lists the links that break, and no tool finds the note', () =>
  withWrites(FILES, async ({ ask, text, everything }) => {
    const { etag } = (await ask(readNotes, { notes: ['Harbour'] })).succeeded[0].result;
    const gone = await ask(deleteNote, { note: 'Harbour', if_match: etag });
    assert.deepEqual(
      [gone.path, gone.trashed, 'etag' in gone],
      ['Places/Harbour.md', '.trash/Places/Harbour.md', false],
    );
    assert.deepEqual(gone.dangling, [
      { path: 'Board.canvas', line: 1, link: 'Places/Harbour.md' },
      { path: 'Log.md', line: 1, link: 'Harbour' },
      { path: 'Log.md', line: 2, link: 'Places/Harbour#Berths' },
    ]);
    assert.equal(text('.trash/Places/Harbour.md'), FILES['Places/Harbour.md']);
    assert.ok(!everything().includes('Places/Harbour.md'));
    assert.equal((await ask(searchText, { query: 'lamp' })).total, 0);
    const undone = await ask(undoChange, {});
    assert.deepEqual(
      [undone.path, undone.etag, text('Places/Harbour.md')],
      ['Places/Harbour.md', etag, FILES['Places/Harbour.md']],
    );
    assert.equal((await ask(searchText, { query: 'lamp' })).total, 1);
    assert.equal(text('.trash/Places/Harbour.md'), undefined);
  }));

test('all links of a note that has thousands are among those that break, in their order', async () => {
  const lines = Array.from({ length: 2_500 }, (_, line) => `${line % 5 === 0 ? '[[Other]] ' : ''}[[Quay]]`);
  const files = {
    'Quay.md': '[[#Steps]] [[Quay]]\n',
    'a.md': '[[quay]]',
    'b.md': lines.join('\n'),
    'c.md': '[[Quay]]',
  };
  await withWrites(files, async ({ ask, warnings }) => {
    const { dangling } = await ask(deleteNote, { note: 'Quay', dry_run: true, detail: 'full' });
    assert.deepEqual(dangling.slice(0, 3), [
      { path: 'a.md', line: 1, link: 'quay' },
      { path: 'b.md', line: 1, link: 'Quay' },
      { path: 'b.md', line: 2, link: 'Quay' },
    ]);
    assert.deepEqual([dangling.length, warnings[0]?.count], [200, 2_502 - 200]);
  });
});

test('a link that then leads to another note of the same name is reported as such', () =>
  withWrites(FILES, async ({ ask }) => {
    const gone = await ask(deleteNote, { note: 'a/Twin.md', confirm: true });
    assert.deepEqual(gone.dangling, []);
    assert.deepEqual(gone.leading_elsewhere, [{ path: 'a/Log.md', line: 1, link: 'Twin', to: 'b/Twin.md' }]);
  }));

test('links that were written since the last scan are included', () =>
  withWrites(FILES, async ({ ask, folder }) => {
    folder.put('Late.md', 'late [[Harbour]]\n');
    const { dangling } = await ask(deleteNote, { note: 'Harbour', dry_run: true });
    assert.equal(dangling.length, 4);
  }));

test('V16 requires an etag, a plan or confirm, and lists what it would affect', () =>
  withWrites(FILES, async ({ refusal, files }) => {
    const before = files();
    const error = await refusal(deleteNote, { note: 'Harbour' }, 'CONFIRMATION_REQUIRED');
    assert.deepEqual((error.details as { affected: string[] }).affected, [
      'Places/Harbour.md (3 links to it would break)',
    ]);
    await refusal(deleteNote, { note: 'Harbour', if_match: 'stale' }, 'WRITE_CONFLICT');
    await refusal(deleteNote, { note: 'Nobody', confirm: true }, 'NOTE_NOT_FOUND');
    await refusal(deleteNote, { note: 'Twin', confirm: true }, 'NOTE_AMBIGUOUS');
    await refusal(deleteNote, { note: 'Harbour#Berths', confirm: true }, 'INVALID_INPUT');
    await refusal(deleteNote, { confirm: true }, 'INVALID_INPUT');
    assert.deepEqual(files(), before);
  }));

test('a dry run, its plan and undo, for a note, a canvas and a file that is not text', () =>
  withWrites({ ...FILES, 'Latin.md': Buffer.from('caf\xe9', 'latin1') }, async (under) => {
    await shownWrittenUndone(under, deleteNote, { note: 'Harbour' });
    await shownWrittenUndone(under, deleteNote, { note: 'Board.canvas' });
    await shownWrittenUndone(under, deleteNote, { note: 'Latin' });
  }));

test('two notes deleted from the same path are both restored', () =>
  withWrites(FILES, async ({ ask, folder, text }) => {
    const first = await ask(deleteNote, { note: 'Harbour', confirm: true });
    folder.put('Places/Harbour.md', 'second');
    const second = await ask(deleteNote, { note: 'Places/Harbour.md', confirm: true });
    assert.notEqual(second.trashed, first.trashed);
    await ask(undoChange, { change_id: first.change_id });
    assert.equal(text('Places/Harbour.md'), FILES['Places/Harbour.md']);
    await ask(deleteNote, { note: 'Harbour', confirm: true });
    await ask(undoChange, { change_id: second.change_id });
    assert.equal(text('Places/Harbour.md'), 'second');
  }));

test('V1 nothing is deleted while the vault is missing or empty', () =>
  withWrites(FILES, async ({ refusal, folder }) => {
    folder.vanish();
    await refusal(deleteNote, { note: 'Log.md', confirm: true }, 'VAULT_UNAVAILABLE');
    folder.comeBack();
    for (const path of Object.keys(FILES)) folder.remove(path);
    const error = await refusal(deleteNote, { note: 'Harbour', confirm: true }, 'INDEX_JOB_FAILED');
    assert.match(error.message, /MASS_DELETE_BLOCKED/);
  }));

test('the parts that cards of a canvas show follow a redirect, and are left out if the other note lacks them', () => {
  const cards = [
    '"file":"A.md","subpath":"#Tide"',
    '"subpath": "#^blk", "file":"A.md"',
    '"file":"A.md"  ,\n "subpath":"#No \\"x\\""',
  ];
  const canvas = (nodes: readonly string[]) =>
    `{"nodes":[${nodes.map((node) => `{"type":"file",${node}}`).join(',')}]}`;
  const files = { 'A.md': '# Tide\n\nx ^blk\n', 'B.md': '# Tide\n', 'C.canvas': canvas(cards) };
  return withWrites(files, async ({ ask, text }) => {
    const { broken } = await ask(deleteNote, { note: 'A', redirect_to: 'B', confirm: true });
    assert.equal(broken, undefined);
    assert.equal(text('C.canvas'), canvas(['"file":"B.md","subpath":"#Tide"', ' "file":"B.md"', '"file":"B.md"']));
    await ask(undoChange, {});
    assert.equal(text('C.canvas'), files['C.canvas']);
  });
});
