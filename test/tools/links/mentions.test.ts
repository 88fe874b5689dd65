// Unlinked mentions inside one text: running text only, whole words, no links, code, tags or front matter.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mentionsIn } from '../../../src/markdown/links/mentions.ts';
import { isMentionable } from '../../../src/tools/links/mentions.ts';

const found = (text: string, ...names: string[]) => mentionsIn(text, names).map((mention) => mention.text);

test('whole words in running text, without regard to case', () => {
  const text = '# The harbour\n\n- HARBOUR lights\n> (Harbour).\n\nharbours, unharbour, harbour_x, Harbour\u2019s.';
  assert.deepEqual(found(text, 'Harbour'), ['harbour', 'HARBOUR', 'Harbour', 'Harbour']);
  assert.deepEqual(found('the low  tide', 'Low tide'), ['low  tide']);
});

test('mentions outside prose are ignored', () => {
  const hidden = [
    '---\ntitle: Harbour\n---\n',
    '`Harbour`',
    '```\nHarbour\n```',
    '    Harbour',
    '[[Harbour]]',
    '[[Other|Harbour]]',
    '![[Harbour.png]]',
    '[Harbour](Other.md)',
    '[Harbour](https://example.org)',
    'https://example.org/Harbour',
    '#Harbour',
    '$Harbour$',
    '$$\nHarbour\n$$',
    '<!-- Harbour -->',
    '<div title="Harbour">',
  ];
  for (const text of hidden) assert.deepEqual(found(text, 'Harbour'), [], text);
  for (const text of hidden) assert.deepEqual(found(`${text}\n\nHarbour`, 'Harbour'), ['Harbour'], text);
});

test('positions refer to the stored text', () => {
  const [mention] = mentionsIn('a\r\n\r\nnear [[Quay]] the Harbour', ['Harbour']);
  assert.deepEqual(mention, { line: 3, column: 19, offset: 23, end: 30, text: 'Harbour' });
});

test('longer names win, and CJK needs no spaces', () => {
  assert.deepEqual(found('Harbour master', 'Harbour', 'Harbour master'), ['Harbour master']);
  assert.deepEqual(found('今日の港町です', '港町'), ['港町']);
});

test('a mark belongs to its letter', () => {
  assert.deepEqual(found('हर दिन, दिनों में', 'दिन'), ['दिन']);
  assert.deepEqual(found('ฉันคิดว่า คิดี', 'คิด'), ['คิด']);
});

test('names are not treated as patterns', () => {
  assert.deepEqual(found('C++ (draft) and a.b', 'C++', 'a.b', '(draft)'), ['C++', '(draft)', 'a.b']);
  assert.deepEqual(found('axb', 'a.b'), []);
});

test('two letters are too short for a mention, two CJK characters are not', () => {
  assert.deepEqual(['ab', 'abc', '港町', '港', ' a '].map(isMentionable), [false, true, true, false, false]);
});

test('a hostile text is read in linear time', () => {
  const text = `${'[[x]] Harbour `Harbour` '.repeat(3_000)}`;
  assert.equal(found(text, 'Harbour').length, 3_000);
});
