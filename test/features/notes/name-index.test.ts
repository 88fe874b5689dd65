// Near names: which notes a slip may have meant, and when one alone is clearly nearest.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NotePath } from '../../../src/base/note.ts';
import { createCalledNotes, nearestNote, nearNotes } from '../../../src/features/notes/name-index.ts';

const note = (path: string, title: string) => ({ path: path as NotePath, title, aliases: [] });
const called = createCalledNotes([
  note('Places/Harbour.md', 'Harbour'),
  note('People/Master.md', 'Harbour master'),
  note('a/Tide.md', 'Tide'),
  note('b/Tide.md', 'Tide'),
  note('Plan A.md', 'Plan A'),
  note('Plan B.md', 'Plan B'),
]);

test('fewest edits first, then names that hold the words', () => {
  assert.deepEqual(nearNotes(called, 'Harbuor', 5), ['Places/Harbour.md']);
  assert.deepEqual(nearNotes(called, 'wrong/folder/Harbour.md', 5), ['Places/Harbour.md', 'People/Master.md']);
  assert.deepEqual(nearNotes(called, 'tids', 5), ['a/Tide.md', 'b/Tide.md']);
  assert.deepEqual(nearNotes(called, 'tids', 1), ['a/Tide.md']);
  assert.deepEqual(nearNotes(called, 'zzzzzz', 5), []);
});

test('a suggestion only where one note alone is nearest', () => {
  assert.equal(nearestNote(called, 'Harbuor'), 'Places/Harbour.md');
  assert.equal(nearestNote(called, 'Plan C'), undefined);
  assert.equal(nearestNote(called, 'Tids'), undefined);
  assert.equal(nearestNote(called, 'zzzzzz'), undefined);
});
