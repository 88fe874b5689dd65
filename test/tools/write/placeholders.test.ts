// Tests notes of which only the placeholder of a cloud client is on this machine: they can be named and linked, and no tool overwrites them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findGaps } from '../../../src/tools/links/find_gaps.ts';
import { readNotes } from '../../../src/tools/notes/read_notes.ts';
import { resolveNames } from '../../../src/tools/notes/resolve_names.ts';
import { createNote } from '../../../src/tools/write/create_note.ts';
import { deleteNote } from '../../../src/tools/write/delete_note.ts';
import { editNote } from '../../../src/tools/write/edit_note.ts';
import { mergeNotes } from '../../../src/tools/write/merge_notes.ts';
import { moveNote } from '../../../src/tools/write/move_note.ts';
import { setProperties } from '../../../src/tools/write/set_properties.ts';
import { undoChange } from '../../../src/tools/write/undo_change.ts';
import { assertEach } from '../../assert-each.ts';
import { withWrites } from './write-under-test.ts';

const FILES = {
  '.Name.md.icloud': 'bplist',
  'Sub/.Näme.md.icloud': 'bplist',
  'Sub/.pic.png.icloud': 'bplist',
  'Art/.plan.png.icloud': 'bplist',
  'Art/Notes.md': 'art\n',
  'A.md': '[[Name]] ![[pic.png]] [n](Sub/N%C3%A4me.md)\n',
  'B.md': 'b\n',
};

test('links lead to a note that is not downloaded, and it can be named', () =>
  withWrites(FILES, async ({ ask }) => {
    assert.deepEqual((await ask(findGaps, { kind: 'unresolved' })).gaps, []);
    const { succeeded } = await ask(resolveNames, { names: ['name', 'Näme'] });
    assertEach(succeeded, ({ result }: { result: { path: string } }) => result.path, ['Name.md', 'Sub/Näme.md']);
    const { failed } = await ask(readNotes, { notes: ['Name'] });
    assert.match(failed[0].error.hint, /not downloaded/);
  }));

test('no tool writes, moves, merges or deletes a note that is not downloaded, or takes its name', () =>
  withWrites(FILES, async ({ ask, refusal, everything, text, folder }) => {
    const before = everything();
    const text_ = 'x';
    for (const path of ['Name.md', 'NAME.md', 'Sub/näme.md'])
      await refusal(createNote, { path, content: text_ }, 'NOTE_EXISTS');
    await refusal(moveNote, { note: 'A', to: 'Name.md', confirm: true }, 'NOTE_EXISTS');
    const edits = [{ op: 'append', text: text_ }];
    const refused = [
      [editNote, { note: 'Name', create: true, edits }],
      [setProperties, { note: 'Name', add_tags: ['x'] }],
      [moveNote, { note: 'Name', to: 'Other' }],
      [moveNote, { note: 'Sub/', to: 'T', confirm: true }],
      [moveNote, { note: 'Art/', to: 'T', confirm: true }],
      [deleteNote, { note: 'Name', confirm: true }],
      [deleteNote, { note: 'B', redirect_to: 'Name', confirm: true }],
      [mergeNotes, { notes: ['B'], into: 'Name', confirm: true }],
      [mergeNotes, { notes: ['Name'], into: 'B', confirm: true }],
      [createNote, { path: 'C.md', template: 'Name' }],
    ] as const;
    for (const [tool, args] of refused) {
      const { details } = await refusal(tool, args, 'FILE_UNREADABLE');
      assert.equal((details as { errno: string }).errno, 'EVICTED', tool.name);
    }
    assert.deepEqual(everything(), before);
    const { change_id } = await ask(deleteNote, { note: 'B', confirm: true });
    folder.put('.B.md.icloud', 'bplist');
    await refusal(undoChange, { change_id }, 'NOTE_EXISTS');
    assert.equal(text('B.md'), undefined);
  }));
