// Tests the queries of colour groups.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PicturedNote } from '../../src/contracts/graph-picture.ts';
import { noteMatch } from '../../src/page/graph/note-query.ts';

const note = (path: string, tags: readonly string[] = [], title = path.replace(/^.*\/|\.md$/g, '')): PicturedNote => {
  return { path, title, tags, kind: 'note', rank: 0, group: -1, date: '' };
};
const NOTES = [
  note('Sea/Tide table.md', ['#water/salt']),
  note('Sea/Ebb.md', ['#Water']),
  note('Land/Tide of people.md', ['#watermelon'], 'Crowds'),
];

const matched = (query: string): string[] =>
  NOTES.filter(noteMatch(query)).map(({ path }) => path.replace(/^.*\/|\.md$/g, ''));

test('words match titles and paths, and every one must match', () => {
  assert.deepEqual(matched('tide'), ['Tide table', 'Tide of people']);
  assert.deepEqual(matched('TIDE crowds'), ['Tide of people']);
  assert.deepEqual(matched('"tide t"'), ['Tide table']);
  assert.deepEqual(matched('tide zebra'), []);
});

test('path, file and tag limit where a word is looked for; a tag counts with those below it', () => {
  assert.deepEqual(matched('path:sea/'), ['Tide table', 'Ebb']);
  assert.deepEqual(matched('file:sea'), []);
  assert.deepEqual(matched('file:"tide of"'), ['Tide of people']);
  assert.deepEqual(matched('tag:#water'), ['Tide table', 'Ebb']);
  assert.deepEqual(matched('tag:water/salt'), ['Tide table']);
});

test('a minus excludes, OR begins an alternative, and an empty query matches nothing', () => {
  assert.deepEqual(matched('path:sea -file:ebb'), ['Tide table']);
  assert.deepEqual(matched('-path:sea'), ['Tide of people']);
  assert.deepEqual(matched('file:ebb OR crowds'), ['Ebb', 'Tide of people']);
  assert.deepEqual(matched('ebb OR '), ['Ebb']);
  for (const empty of ['', '  ', ' OR ', '""']) assert.deepEqual(matched(empty), [], empty);
});
