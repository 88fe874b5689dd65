// Tests undo_change on a real vault: every byte is restored, once, and later changes are never overwritten.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchText } from '../../../src/tools/search/search_text.ts';
import { createNote } from '../../../src/tools/write/create_note.ts';
import { deleteNote } from '../../../src/tools/write/delete_note.ts';
import { editNote } from '../../../src/tools/write/edit_note.ts';
import { moveNote } from '../../../src/tools/write/move_note.ts';
import { undoChange } from '../../../src/tools/write/undo_change.ts';
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

test('without an id only changes of the own session are undone', () =>
  withWrites(FILES, async ({ ask, refusal, text }) => {
    const theirs = await ask(editNote, { note: 'Note', edits: append('two') });
    const other = { session: 'another' };
    const { details, hint } = await ask(undoChange, {}, other).then(
      () => assert.fail('another session made the change'),
      (error) => error,
    );
    assert.deepEqual(details, { id: '', recent: [theirs.change_id], session: true });
    assert.match(hint, /since: "today"/);
    assert.deepEqual(await ask(undoChange, { session: true }, other), { succeeded: [], failed: [] });
    await ask(editNote, { note: 'Other', edits: append('x') }, other);
    assert.equal((await ask(undoChange, {}, other)).path, 'Other.md');
    assert.equal((await ask(undoChange, { change_id: theirs.change_id }, other)).path, 'Note.md');
    assert.equal(text('Note.md'), 'one\n');
    await refusal(undoChange, {}, 'CHANGE_NOT_FOUND');
  }));

test('all changes of a session or a time are undone, newest first, each under its own check', () =>
  withWrites(FILES, async ({ ask, refusal, files, folder }) => {
    const before = files();
    const edit = (note: string, change = {}) => ask(editNote, { note, edits: append('x') }, change);
    const made = [await edit('Note'), await edit('Note'), await edit('Other', { session: 'another' })];
    made.push(await ask(moveNote, { note: 'Note', to: 'x/Renamed', confirm: true }));
    made.push(
      await ask(createNote, { path: 'New', content: 'n' }),
      await ask(deleteNote, { note: 'New', confirm: true }),
    );
    const ids = made.map(({ change_id }) => change_id).toReversed();
    const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
    const written = files();
    const own = await ask(undoChange, { session: true, dry_run: true });
    assert.deepEqual(
      idsOf(own.succeeded),
      ids.filter((id) => id !== made[2].change_id),
    );
    const shown = await ask(undoChange, { since: 'today', dry_run: true });
    assert.deepEqual([idsOf(shown.succeeded), shown.failed], [ids, []]);
    assert.deepEqual(files(), written, 'a dry run writes nothing');
    await refusal(undoChange, { plan_id: shown.plan_id, since: 'today' }, 'INVALID_INPUT');
    const undone = await ask(undoChange, { plan_id: shown.plan_id });
    assert.deepEqual([idsOf(undone.succeeded), undone.failed], [ids, []]);
    assert.deepEqual(files(), before);
    await edit('Other');
    await edit('Note');
    folder.put('Note.md', 'theirs\n');
    const partial = await ask(undoChange, { since: '1h' });
    assert.deepEqual([partial.succeeded.length, partial.failed[0].error.code], [1, 'WRITE_CONFLICT']);
    assert.equal((await ask(undoChange, { since: 'yesterday', dry_run: true })).failed[0].error.code, 'WRITE_CONFLICT');
    assert.deepEqual(idsOf((await ask(undoChange, { since: 'tomorrow' })).succeeded), []);
    await refusal(undoChange, { since: 'never' }, 'INVALID_QUERY');
    await refusal(undoChange, { since: 'today', change_id: ids[0] }, 'INVALID_INPUT');
  }));
