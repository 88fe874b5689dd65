// Tests replacements in one text: what is found, what is left alone, and which patterns are refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ProtectedPart, replaceText } from '../../../src/markdown/edit/replace-text.ts';

interface Case {
  readonly find: string;
  readonly replace: string;
  readonly regex?: boolean;
  readonly parts?: readonly ProtectedPart[];
}

function replaced(text: string, { find, replace, regex = false, parts = [] }: Case) {
  return replaceText({ path: 'Log.md', text, find, replace, regex, parts });
}

const EVERYWHERE =
  '---\nx: tide\n---\ntide `tide` [[tide]] [[x|tide]] [tide](tide.md) ![[tide#tide|tide]]\n```\ntide\n```\n\n    tide\n\n<b>tide</b> https://tide.org\n[tide]: tide.md\n';

for (const [name, before, change, after] of [
  ['a text, never as an expression', 'a.c abc a.c', { find: 'a.c', replace: '$&' }, '$& abc $&'],
  ['over line ends of any kind', 'a\r\nb a\nb\r\n', { find: 'a\nb', replace: 'x\ny' }, 'x\r\ny x\r\ny\r\n'],
  [
    'groups',
    'Ada Finch, Bo Reed',
    { find: '(\\w+) (?<last>\\w+)', replace: '$<last> $1 $$', regex: true },
    'Finch Ada $, Reed Bo $',
  ],
  ['lines', 'a\r\n\r\na\r\n', { find: '^a$', replace: '- $&', regex: true }, '- a\r\n\r\n- a\r\n'],
  ['nothing that is not there', 'a', { find: 'b', replace: 'c' }, 'a'],
  ['with an empty text', 'a b\n', { find: ' b', replace: '' }, 'a\n'],
  [
    'outside code, properties and link targets',
    EVERYWHERE,
    { find: 'tide', replace: 'ebb' },
    '---\nx: tide\n---\nebb `tide` [[tide]] [[x|ebb]] [ebb](tide.md) ![[tide#tide|ebb]]\n```\ntide\n```\n\n    tide\n\n<b>ebb</b> https://tide.org\n[tide]: tide.md\n',
  ],
  [
    'also in code',
    'tide `tide`\n```\ntide\n```\n',
    { find: 'tide', replace: 'ebb', parts: ['code'] },
    'ebb `ebb`\n```\nebb\n```\n',
  ],
  [
    'also in properties and links',
    '---\nx: tide\n---\n[[tide#a]]',
    { find: 'tide', replace: 'ebb', parts: ['properties', 'links'] },
    '---\nx: ebb\n---\n[[ebb#a]]',
  ],
  ['nothing that reaches into code', 'a `b` c', { find: 'a `', replace: 'x' }, 'a `b` c'],
] as const) {
  test(`replaces ${name}`, () => {
    const result = replaced(before, change);
    assert.equal('text' in result ? result.text : result.rule, after);
  });
}

test('counts what is replaced and what is left alone', () => {
  const result = replaced(EVERYWHERE, { find: 'tide', replace: 'ebb' });
  assert.deepEqual('text' in result && [result.count, result.leftAlone, result.links, result.renamesParts], [
    5,
    { code: 3, properties: 1, links: 7 },
    [],
    false,
  ]);
  const links = replaced('# tide\n[[tide]]', { find: 'tide', replace: 'ebb', parts: ['links'] });
  assert.deepEqual('text' in links && [links.links, links.renamesParts], [
    [{ line: 2, before: 'tide', after: 'ebb' }],
    true,
  ]);
  const broken = replaced('---\nx: 1\n---\n', { find: '1', replace: '[', parts: ['properties'] });
  assert.match('text' in broken ? (broken.fault ?? '') : '', /./);
});

for (const [find, construct] of [
  ['a(?=b)', /looking ahead or behind, `\(\?=`/],
  ['(?<!a)b', /looking ahead or behind/],
  ['(a)\\1', /reference back to a group, `\\1`/],
  ['(?>a)', /atomic group/],
  ['a++', /\+\+/],
  ['a(b', /missing closing \)/],
  ['[z-a]', /invalid character class range: `z-a`/],
  ['a{2000}', /invalid repeat count: `\{2000\}`/],
] as const) {
  test(`the construct that is not supported is named: ${find}`, () => {
    const fault = replaced('', { find, replace: '', regex: true });
    assert.ok('rule' in fault);
    assert.equal(fault.argument, 'find');
    assert.match(fault.rule, construct);
  });
}

test('a reference to a group that the expression does not have is refused', () => {
  for (const replace of ['$1', '$<x>']) {
    const fault = replaced('', { find: 'a', replace, regex: true });
    assert.ok('rule' in fault);
    assert.deepEqual([fault.argument, fault.rule.includes(replace)], ['replace', true]);
  }
});
