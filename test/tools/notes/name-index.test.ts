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

test('after notes were renamed and removed, the same as an index of the notes as they are', async () => {
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
    assert.equal(await patched.correctedWord(name), await index.correctedWord(name), name);
  }
});

test('words are those of the names as they are, also of names that change while they are counted', async () => {
  const many = Array.from({ length: 3_000 }, (_, at) => note(`Pier ${at}.md`, `Pier ${at}`));
  const names = new NameIndex([note('Harbour.md', 'Harbour'), ...many]);
  const corrected = ['harbuor', 'lihgthouse'].map((word) => names.correctedWord(word));
  names.delete('Harbour.md' as NotePath);
  names.set(note('Lighthouse.md', 'Lighthouse'));
  assert.deepEqual(await Promise.all(corrected), [undefined, 'Lighthouse']);
  names.set(note('Causeway.md', 'Causeway'));
  names.delete('Lighthouse.md' as NotePath);
  assert.deepEqual(
    [await names.correctedWord('cuaseway'), await names.correctedWord('lihgthouse')],
    ['Causeway', undefined],
  );
});

test('a name with another number is another note; one that begins with the number or id is meant by it', () => {
  const index = new NameIndex(
    [
      '2026-11-21',
      'Meeting 13',
      'v1.3',
      'ISO 9011',
      '202401011200 Tide',
      '202401011201',
      '1a2 Moon',
      '1a2b',
      'Harbour 7',
    ].map((title) => ({ path: `${title}.md` as NotePath, title, aliases: [] })),
  );
  for (const other of ['2026-11-20', 'Meeting 12', 'v1.2', 'ISO 9001', '202401011202'])
    assert.equal(index.closestNote(other), undefined, other);
  assert.equal(index.closestNote('202401011200'), '202401011200 Tide.md');
  assert.equal(index.closestNote('1a2'), '1a2 Moon.md');
  assert.equal(index.closestNote('Harbor 7'), 'Harbour 7.md');
  assert.equal(index.similarNotes('202401011200', 1)[0], '202401011200 Tide.md');
});
