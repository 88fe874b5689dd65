// Tests undo_change on a real vault: every byte is restored, once, and later changes are never overwritten.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchText } from '../../../src/features/search/search_text.ts';
import { createNote } from '../../../src/features/write/create_note.ts';
import { deleteNote } from '../../../src/features/write/delete_note.ts';
import { editNote } from '../../../src/features/write/edit_note.ts';
import { moveNote } from '../../../src/features/write/move_note.ts';
import { undoChange } from '../../../src/features/write/undo_change.ts';
import { withWrites } from './write-under-test.ts';

const FILES = { 'Note.md': 'one\n', 'Other.md': 'see [[Note]]\n' };
const append = (text: string) => [{ op: 'append', text }];

test('changes are undone one after the other, the last first, and an undo by its id', () =>
  withWrites(FILES, async ({ ask, refusal, text }) => {
    const first = await ask(editNote, { note: 'Note', edits: append('two') });
    const second = await ask(editNote, { note: 'Note', edits: append('three') });
    const undone = await ask(undoChange, {});
    assert.equal(undone.undoes.change_id, second.change_id);
    assert.equal(text('Note.md'), 'one\n\ntwo\n');
    assert.equal((await ask(searchText, { query: 'three' })).total, 0);
    assert.equal((await ask(undoChange, {})).undoes.change_id, first.change_id);
    assert.equal(text('Note.md'), 'one\n');
    const none = await refusal(undoChange, {}, 'CHANGE_NOT_FOUND');
    assert.equal(none.fixBy, 'caller');
    await ask(undoChange, { change_id: undone.change_id }).then(
      () => assert.fail('the note is not as that undo left it'),
      (error) => assert.equal(error.code, 'WRITE_CONFLICT'),
    );
  }));

test('V16 a second undo and an unknown change are refused', () =>
  withWrites(FILES, async ({ ask, refusal }) => {
    const { change_id } = await ask(createNote, { path: 'New', content: 'x' });
    await ask(undoChange, { change_id });
    await refusal(undoChange, { change_id }, 'CHANGE_NOT_FOUND');
    await refusal(undoChange, { change_id: 'chg_nobody' }, 'CHANGE_NOT_FOUND');
  }));

test('V16 V5 an undo after a later edit is refused with a diff, and the edit stays', () =>
  withWrites(FILES, async ({ ask, refusal, folder, files }) => {
    await ask(moveNote, { note: 'Note', to: 'x/Renamed', confirm: true });
    folder.put('Other.md', 'see [[Renamed]] and more\n');
    const before = files();
    const error = await refusal(undoChange, {}, 'WRITE_CONFLICT');
    assert.equal(error.details.path, 'Other.md');
    assert.match((error.details as { diff: string }).diff, /\+see \[\[Renamed\]\] and more/);
    await refusal(undoChange, { dry_run: true }, 'WRITE_CONFLICT');
    assert.deepEqual(files(), before, 'all or nothing');
    folder.remove('Other.md');
    const gone = await refusal(undoChange, {}, 'WRITE_CONFLICT');
    assert.equal('current_etag' in gone.details, false);
  }));

test('a file created at the old path in the meantime is not overwritten', () =>
  withWrites(FILES, async ({ ask, refusal, folder, text }) => {
    await ask(deleteNote, { note: 'Note', confirm: true });
    folder.put('Note.md', 'theirs');
    await refusal(undoChange, {}, 'NOTE_EXISTS');
    assert.equal(text('Note.md'), 'theirs');
  }));

test('a plan to undo a change still means that change after later ones', () =>
  withWrites(FILES, async ({ ask, text }) => {
    await ask(editNote, { note: 'Note', edits: append('two') });
    const { plan_id, diff } = await ask(undoChange, { dry_run: true });
    assert.match(diff, /-two/);
    await ask(editNote, { note: 'Other', edits: append('more') });
    await ask(undoChange, { plan_id });
    assert.deepEqual([text('Note.md'), text('Other.md')], ['one\n', 'see [[Note]]\n\nmore\n']);
  }));
