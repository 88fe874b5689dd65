// Similar names: which notes a misspelled name may mean, and when a single note is closest.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NotePath } from '../../../src/base/note.ts';
import { NameIndex } from '../../../src/features/notes/name-index.ts';

const note = (path: string, title: string) => ({ path: path as NotePath, title, aliases: [] });
const index = new NameIndex([
  note('Places/Harbour.md', 'Harbour'),
  note('People/Master.md', 'Harbour master'),
  note('a/Tide.md', 'Tide'),
  note('b/Tide.md', 'Tide'),
  note('Plan A.md', 'Plan A'),
  note('Plan B.md', 'Plan B'),
]);

test('similar names come first, fewest edits first, then names that contain the text', () => {
  assert.deepEqual(index.similarNotes('Harbuor', 5), ['Places/Harbour.md']);
  assert.deepEqual(index.similarNotes('wrong/folder/Harbour.md', 5), ['Places/Harbour.md', 'People/Master.md']);
  assert.deepEqual(index.similarNotes('tids', 5), ['a/Tide.md', 'b/Tide.md']);
  assert.deepEqual(index.similarNotes('tids', 1), ['a/Tide.md']);
  assert.deepEqual(index.similarNotes('zzzzzz', 5), []);
});

test('a note is suggested only if it alone is closest', () => {
  assert.equal(index.closestNote('Harbuor'), 'Places/Harbour.md');
  assert.equal(index.closestNote('Plan C'), undefined);
  assert.equal(index.closestNote('Tids'), undefined);
  assert.equal(index.closestNote('zzzzzz'), undefined);
});
