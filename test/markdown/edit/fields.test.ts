// An inline field is changed in its line and nothing else is; what could not be read back is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PropertyChanges, PropertyValue } from '../../../src/base/note.ts';
import { setProperties } from '../../../src/markdown/edit/fields.ts';

const edit = (text: string, changes: PropertyChanges): string => setProperties('N.md', text, changes).text;
const set = (text: string, name: string, value: PropertyValue): string => edit(text, { set: { [name]: value } });
const remove = (text: string, ...names: string[]): string => edit(text, { remove: names });

const SET: readonly (readonly [text: string, name: string, value: PropertyValue, after: string])[] = [
  ['# H\r\nkey::  old  \r\nx', 'key', 'new', '# H\r\nkey::  new  \r\nx'],
  ['key:: old ^id\n', 'KEY', 5, 'key:: 5 ^id\n'],
  ['**Due Date**:: x', 'due-date', '2026-01-02', '**Due Date**:: 2026-01-02'],
  ['Due Date:: x', 'Due Date', '5', 'Due Date:: "5"'],
  ['key::', 'key', true, 'key:: true'],
  ['key:: x', 'key', null, 'key:: '],
  ['> - key:: x', 'key', 'y', '> - key:: y'],
  ['a [key:: x](key:: z) b', 'key', ['1', 2], 'a [key:: "1"](key:: 2) b'],
  ['a (key::5) b', 'key', 'y', 'a (key:: y) b'],
  ['- [ ] call [crew:: 3] [due:: 2026-01-01]', 'crew', 4, '- [ ] call [crew:: 4] [due:: 2026-01-01]'],
  ['up:: [[A]]', 'up', ['[[A]]', '[[B|b, c]]'], 'up:: [[A]], [[B|b, c]]'],
  ['up:: [[A]], [[B]]', 'up', '[[C]]', 'up:: [[C]]'],
  ['tag:: a\ntag:: b\n', 'tag', ['a', 'b', 'c'], 'tag:: a\ntag:: "b", "c"\n'],
  ['tag:: a\ntag:: b\nx', 'tag', 'b', 'tag:: b\nx'],
  ['tag:: a\ntag:: b\n', 'tag', ['a', 'b'], 'tag:: a\ntag:: b\n'],
  ['key:: v', 'other', 1, '---\nother: 1\n---\nkey:: v'],
  ['---\nkey: a\n---\nkey:: v', 'key', 'b', '---\nkey: b\n---\nkey:: v'],
  ['tags:: x', 'tags', ['new'], '---\ntags:\n  - new\n---\ntags:: x'],
  ['`key:: a`\nkey:: a', 'key', 'b', '`key:: a`\nkey:: b'],
];

test('a value is written where the old one is', () => {
  for (const [text, name, value, after] of SET) assert.equal(set(text, name, value), after, JSON.stringify(text));
});

const REMOVED: readonly (readonly [text: string, names: readonly string[], after: string])[] = [
  ['a\nkey:: x\nb', ['key'], 'a\nb'],
  ['a\r\n- key:: x ^id\r\nb', ['key'], 'a\r\nb'],
  ['a\n\nkey:: x', ['key'], 'a\n\n'],
  ['- key:: x\n  - below\n', ['key'], '- \n  - below\n'],
  ['> a\n> key:: x\n> b', ['key'], '> a\n> b'],
  ['I am [mood:: good] today', ['mood'], 'I am today'],
  ['[mood:: good] today', ['mood'], 'today'],
  ['today (mood:: good)', ['mood'], 'today'],
  ['today (mood:: good).', ['mood'], 'today .'],
  ['a\n- [x:: 1] (y:: 2)\nb', ['x', 'y'], 'a\nb'],
  ['- [x:: 1] (y:: 2)', ['x'], '- (y:: 2)'],
  ['- [x:: 1] (y:: 2)', ['y'], '- [x:: 1]'],
  ['- [ ] call [crew:: 3]', ['crew'], '- [ ] call'],
  ['# H\n## key:: v\nx', ['key'], '# H\nx'],
  ['key:: 1\ntext\nKey:: 2\n', ['key'], 'text\n'],
  ['---\nkey: a\nb: c\n---\nkey:: x\ny', ['key'], '---\nb: c\n---\ny'],
];

test('a removed field takes its line, or its brackets', () => {
  for (const [text, names, after] of REMOVED) assert.equal(remove(text, ...names), after, JSON.stringify(text));
});

test('a property in the front matter is set there, and the field beside it is named', () => {
  const { notices } = setProperties('N.md', '---\nkey: a\n---\nkey:: v', { set: { key: 'b' } });
  assert.deepEqual(notices, ['"key" is set in the front matter; it is also an inline field on line 4, which stays.']);
  const missing = setProperties('N.md', 'key:: v', { remove: ['gone', 'key'] });
  assert.match(missing.notices.join(), /"gone" is not a property of this note/);
  assert.equal(missing.text, '');
});

test('what would not read back is refused', () => {
  const refused: readonly (readonly [string, PropertyChanges])[] = [
    ['key:: v', { set: { key: 'two\nlines' } }],
    ['key:: v', { set: { key: [] } }],
    ['key:: v', { set: { key: { a: 1 } } }],
    ['key:: v', { set: { key: 'x [other:: y]' } }],
    ['[key:: v]', { set: { key: 'a]b' } }],
    ['Due Date:: v', { set: { 'due date': 1, 'due-date': 2 } }],
    ['key:: v', { set: { key: 1 }, remove: ['KEY'] }],
    ['text\nkey:: v\n---', { remove: ['key'] }],
    ['key:: w\nb:: c', { set: { key: '%%' } }],
  ];
  for (const [text, changes] of refused)
    assert.throws(() => edit(text, changes), { code: 'INVALID_INPUT' }, JSON.stringify([text, changes]));
});
