// Similar names: which notes a misspelled name may mean, and when a single note is closest.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NotePath } from '../../../src/base/note.ts';
import { NameIndex } from '../../../src/tools/notes/name-index.ts';

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

test('of a name of two characters both must match', () => {
  const short = new NameIndex([note('港町.md', '港町'), note('町の港.md', '町の港'), note('Ox.md', 'Ox')]);
  assert.deepEqual(short.similarNotes('港湾', 5), []);
  assert.equal(short.closestNote('港湾'), undefined);
  assert.deepEqual(short.similarNotes('Om', 5), []);
  assert.deepEqual(short.similarNotes('oX', 5), ['Ox.md']);
});

test('after notes were renamed and removed, the same as an index of the notes as they are', () => {
  const patched = new NameIndex([
    note('b/Tide.md', 'Old title'),
    note('Gone.md', 'Harbour'),
    note('Places/Harbour.md', 'Harbour'),
    note('a/Tide.md', 'Tide'),
  ]);
  patched.delete('Gone.md' as NotePath);
  for (const one of [note('b/Tide.md', 'Tide'), note('People/Master.md', 'Harbour master')]) patched.set(one);
  for (const one of [note('Plan B.md', 'Plan B'), note('Plan A.md', 'Plan A')]) patched.set(one);
  const sorted = ({ byName }: NameIndex) => [...byName].sort(([one], [other]) => (one < other ? -1 : 1));
  assert.deepEqual(sorted(patched), sorted(index));
  for (const name of ['Harbuor', 'tids', 'Plan C', 'Gome', 'Old titel', 'mastr']) {
    assert.deepEqual(patched.similarNotes(name, 9), index.similarNotes(name, 9), name);
    assert.equal(patched.closestNote(name), index.closestNote(name), name);
    assert.equal(patched.correctedName(name), index.correctedName(name), name);
    assert.equal(patched.correctedWord(name), index.correctedWord(name), name);
  }
});
