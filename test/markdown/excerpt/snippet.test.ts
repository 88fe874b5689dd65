// Tests which part of a note its snippet shows: the text, or the properties that have what is sought.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { snippetOf } from '../../../src/markdown/excerpt/snippet.ts';

const NOTE = [
  '---',
  'title: Tides',
  'aliases: [Ebb]',
  'tags:',
  '  - sea',
  'day: 2023-10-13',
  'publisher: Harbour Press',
  'summary: >',
  '  Why the moon pulls',
  '---',
  '# Tides',
  'A short review of a book.',
].join('\n');

function snippet(...words: string[]) {
  const terms = words.map((text) => ({ text, kind: 'word' as const, weight: text.length }));
  return snippetOf({ title: 'Tides', text: NOTE }, terms, 80);
}

test('a snippet shows the property that has what is sought', () => {
  assert.match(snippet('press').snippet, /publisher: Harbour Press/);
  assert.deepEqual(
    snippet('press').lines.map((line) => line >= 2 && line <= 9),
    [true, true],
  );
  assert.match(snippet('moon').snippet, /summary: > Why the moon pulls/);
  assert.match(snippet('harbour', 'book').snippet, /publisher: Harbour Press/);
});

test('a snippet shows the text for names, tags and dates, and where the text has more of what is sought', () => {
  for (const word of ['ebb', 'sea', 'tides', '2023']) assert.match(snippet(word).snippet, /^# Tides A short review/);
  assert.match(snippet('review', 'press').snippet, /A short review/);
  assert.match(snippet('absent').snippet, /^# Tides/);
});

test('the snippet of a note with properties only is of these', () => {
  const text = '---\nauthor: Ann Reed\n---\n';
  const shown = snippetOf({ title: 'Book', text }, [{ text: 'reed', kind: 'word' }], 80);
  assert.match(shown.snippet, /author: Ann Reed/);
});
