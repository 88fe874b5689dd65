// Inline fields are read as the Dataview plugin reads them; what only looks like one is text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PropertyValue } from '../../../src/base/note.ts';
import { fieldValue, writtenValue } from '../../../src/markdown/parse/field-value.ts';
import { fieldKey, fieldProperty } from '../../../src/markdown/parse/inline-field.ts';
import { parseNote } from '../../../src/markdown/parse/parse-note.ts';

const fieldsOf = (text: string) =>
  (parseNote(text).fields ?? []).map(({ name, value, line }) => [name, value, line] as const);

const READ: readonly (readonly [text: string, ...fields: (readonly [string, PropertyValue, number])[]])[] = [
  ['status:: open', ['status', 'open', 1]],
  ['---\na: 1\n---\ntext\nrating:: 5\n', ['rating', 5, 5]],
  ['key::', ['key', null, 1]],
  ['- key:: v', ['key', 'v', 1]],
  ['1. key:: v', ['key', 'v', 1]],
  ['- one\n  - key:: v', ['key', 'v', 2]],
  ['- text\n  key:: v', ['key', 'v', 2]],
  ['> key:: v', ['key', 'v', 1]],
  ['> [!note] Title\n> key:: v\n> other:: w', ['key', 'v', 2], ['other', 'w', 3]],
  ['## key:: v', ['key', 'v', 1]],
  ['one:: 1\ntwo:: 2\r\nthree:: 3', ['one', 1, 1], ['two', 2, 2], ['three', 3, 3]],
  ['key:: a\nkey:: b', ['key', 'a', 1], ['key', 'b', 2]],
  ['Basic Field:: v', ['Basic Field', 'v', 1]],
  ['**Bold Key**:: v', ['Bold Key', 'v', 1]],
  ['**Bold**:: **v**', ['Bold', '**v**', 1]],
  ['**Key::** v', ['Key', 'v', 1]],
  ['_key_:: v', ['key', 'v', 1]],
  ['__key__:: v', ['key', 'v', 1]],
  ['**_key_**:: v', ['key', 'v', 1]],
  ['_**key**_:: v', ['key', 'v', 1]],
  ['_key::_ v', ['key', 'v', 1]],
  ['_key:: v', ['_key', 'v', 1]],
  ['- _own key:: v', ['_own key', 'v', 1]],
  ['key_:: v', ['key_', 'v', 1]],
  ['[_a:: v] (b_:: w) [_c_:: x]', ['_a', 'v', 1], ['b_', 'w', 1], ['c', 'x', 1]],
  ['**Key**::v', ['Key', 'v', 1]],
  ['- **Two words**::v', ['Two words', 'v', 1]],
  ['`Key`:: v', ['Key', 'v', 1]],
  ['- **`Two words`**:: v', ['Two words', 'v', 1]],
  ['📅:: x', ['📅', 'x', 1]],
  ['📅 Due:: x', ['Due', 'x', 1]],
  ['状态:: 完成', ['状态', '完成', 1]],
  ['状态::完成', ['状态', '完成', 1]],
  ['שם:: ערך', ['שם', 'ערך', 1]],
  ['स्थिति:: x', ['स्थिति', 'x', 1]],
  ['up::[[A]]', ['up', '[[A]]', 1]],
  ['rating::5', ['rating', 5, 1]],
  ['key :: v', ['key', 'v', 1]],
  ['key:: v ^block', ['key', 'v', 1]],
  ['key:: a:: b', ['key', 'a:: b', 1]],
  ['key:: `a:: b`', ['key', '`a:: b`', 1]],
  ['I think [mood:: good] and (weather:: 20)', ['mood', 'good', 1], ['weather', 20, 1]],
  ['[a:: 1][b:: 2]', ['a', 1, 1], ['b', 2, 1]],
  ['[key:: see [1] and (x)]', ['key', 'see [1] and (x)', 1]],
  ['[key:: [[Note]]]', ['key', '[[Note]]', 1]],
  ['[key:: [t](https://x.org)]', ['key', '[t](https://x.org)', 1]],
  ['[🎅:: x] [due date:: y]', ['🎅', 'x', 1], ['due date', 'y', 1]],
  ['key:: v [other:: w]', ['other', 'w', 1]],
  ['| a | [x:: 1] |\n|---|---|\n| (y:: 2) | z:: 3 |', ['x', 1, 1], ['y', 2, 3]],
  ['- [ ] call [owner:: Ann] [due:: 2026-01-01] (priority:: high)', ['owner', 'Ann', 1]],
  ['[due:: 2026-01-01]', ['due', '2026-01-01', 1]],
];

test('fields are read in lines, items, quotes, headings, brackets, cells and tasks', () => {
  for (const [text, ...fields] of READ) assert.deepEqual(fieldsOf(text), fields, text);
});

const NONE = [
  'std::vector<int> v',
  'use std::vector and std:: here, e.g. std::map',
  'A::B',
  'Foo::Bar::baz()',
  '(std::vector)',
  '[A::B]',
  '[clojure.lang.RT::dissoc](https://x.org/a#L1)',
  '[key:: v](https://x.org)',
  'http://x::y',
  'http::',
  'fe80::1',
  '::1',
  'ff02::2  ip6-allrouters',
  '2001:db8::1',
  'a::before { color: red }',
  '::before',
  'In C++ the std:: prefix is needed',
  'has::eyes: :smile::eyes:',
  '<digits> ::= <digit>',
  'Note the :: reader syntax',
  ':::note',
  ': : x',
  '::',
  '12:: 13',
  '`key:: v`',
  'see `[key:: v]`',
  '```\nkey:: v\n```',
  '    key:: v',
  '$key:: v$',
  '$$\nkey:: v\n$$',
  '<!-- key:: v -->',
  '<!--\nkey:: v\n-->',
  '%% key:: v %%',
  'text %% [key:: v] %%',
  '%%\nkey:: v\n\n[a:: b]\n%%',
  '<div>\nkey:: v\n</div>',
  '---\nkey:: v\n---\n',
  '[[A:: B]]',
  '[[key]]:: v',
  '[key:: v',
  '\\[key:: v\\]',
  'Prose: with a colon key:: v',
  `${'word '.repeat(40)}key:: v`,
];

test('code, comments, formulas, links, addresses and prose are no fields', () => {
  for (const text of NONE) assert.deepEqual(fieldsOf(text), [], text);
});

test('values have the types that Dataview gives them', () => {
  const values: readonly (readonly [string, PropertyValue])[] = [
    ['', null],
    ['null', null],
    ['5', 5],
    ['-4.5', -4.5],
    ['5 %', '5 %'],
    ['1.2.3', '1.2.3'],
    ['007', '007'],
    ['12345678901234567890', '12345678901234567890'],
    ['true', true],
    ['False', false],
    ['truely', 'truely'],
    ['2026-01-01', '2026-01-01'],
    ['2026-01-01T10:30', '2026-01-01T10:30'],
    ['7 hours, 3 minutes', '7 hours, 3 minutes'],
    ['3h', '3h'],
    ['"5"', '5'],
    ['"a \\"b\\""', 'a "b"'],
    ['[[A]]', '[[A]]'],
    ['[[A]], [[B|b]]', ['[[A]]', '[[B|b]]']],
    ['[[A]] and [[B]]', '[[A]] and [[B]]'],
    ['1, 2, 3', [1, 2, 3]],
    ['"a", "b"', ['a', 'b']],
    ['#one, #two/three', ['#one', '#two/three']],
    ['red, green', 'red, green'],
    ['1, green', '1, green'],
    ['1,', '1,'],
  ];
  for (const [text, value] of values) assert.deepEqual(fieldValue(text), value, text);
});

test('every value that can be written reads back', () => {
  const values: PropertyValue[] = [null, 5, true, 'x', '5', 'true', '', ' x ', 'a, b', '1, 2', 'say "x"', '"x"', '\\'];
  const lists = [
    [1, 2],
    ['a', 'b'],
    ['[[A]]', 5, true, '2026-01-01'],
    ['3 days', 'a "b"'],
    ['3h', '4h'],
  ];
  for (const value of [...values, ...lists]) {
    const written = writtenValue(value);
    assert.ok(written !== undefined, JSON.stringify(value));
    assert.deepEqual(fieldValue(written), value, written);
  }
  for (const value of ['two\nlines', [], {}, [[1]], Number.NaN]) assert.equal(writtenValue(value), undefined);
});

test('a name has the form that Dataview gives it', () => {
  assert.equal(fieldKey('Basic Field'), 'basic-field');
  assert.equal(fieldKey('状态 A/b'), '状态-ab');
  assert.equal(fieldProperty('Status'), 'Status');
  assert.equal(fieldProperty('Due Date'), 'due-date');
});

test('a link in a value has the name of the field, other links have none', () => {
  const { links } = parseNote('[[0]]\nsupersedes:: [[Old]], [[Older]]\n- (by:: ![[a.png]]) [[x]] [t](n.md)\n');
  const keys = links.map(({ link, kind, key }) => [link, kind, key]);
  assert.deepEqual(keys, [
    ['0', 'wikilink', undefined],
    ['Old', 'wikilink', 'supersedes'],
    ['Older', 'wikilink', 'supersedes'],
    ['a.png', 'embed', 'by'],
    ['x', 'wikilink', undefined],
    ['n.md', 'markdown', undefined],
  ]);
});
