// Regular expressions of formulas: the same results as JavaScript's, linear time, and a named refusal of what is not supported.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnsupportedFault } from '../../src/bases/base-fault.ts';
import { compileRegex } from '../../src/bases/values/regex.ts';
import { CellFault } from '../../src/bases/values/value.ts';
import { evaluated } from './small-vault.ts';

const compiled = (pattern: string, flags = '') => compileRegex({ pattern, flags, line: 7, place: 'formulas.x' });
const free = (): void => {};

const PATTERNS = [
  'a',
  'a*',
  'a*?',
  '(a)|(b)',
  '(?<one>\\w)(\\d)?',
  '^b|c$',
  '[^,]+',
  '\\s*,\\s*',
  '\\bab\\b',
  '\\u0061\\/b',
  '(?:a|b){2,3}',
  'é+',
  '[\\d.-]+',
  '',
  '.',
  '\\p{L}+',
  '(((((((((((b)))))))))))',
];
const FLAGS = ['', 'g', 'i', 'gi', 'gm', 'gs', 'gu'];
const TEXTS = ['', 'a', 'b', 'aab, b,a', 'AB ab\nb ,c', 'a/b 1.5-2', 'éé é', 'xyz', 'b1 a2'];
const REPLACEMENTS = ['', '-', '[$&]', '$1$2', "$`|$'", '$$1', '$<one>!', '$<no>', '$0 $9 $11 $12 $99'];

test('matches, replaces and splits as JavaScript does', () => {
  let compared = 0;
  for (const pattern of PATTERNS) {
    for (const flags of FLAGS) {
      // Without `u` JavaScript takes \p{L} for letters.
      const script = new RegExp(pattern, pattern.includes('\\p') && !flags.includes('u') ? `${flags}u` : flags);
      const regex = compiled(pattern, flags);
      for (const text of TEXTS) {
        const note = `/${pattern}/${flags} on ${JSON.stringify(text)}`;
        assert.equal(regex.matches(text, free), text.search(script) >= 0, note);
        const split = text.split(script).map((piece) => piece ?? null);
        assert.deepEqual(regex.split(text, free), split, note);
        for (const by of REPLACEMENTS)
          assert.equal([...regex.replace(text, by, free)].join(''), text.replace(script, by), `${note} by ${by}`);
        compared += 1;
      }
    }
  }
  assert.equal(compared, PATTERNS.length * FLAGS.length * TEXTS.length);
});

const REFUSED: readonly (readonly [pattern: string, flags: string, what: RegExp])[] = [
  ['(?=a)b', '', /^looking ahead or behind, `\(\?=`, of the regular expression \/\(\?=a\)b\/$/],
  ['a(?!b)', 'gi', /^looking ahead or behind/],
  ['(?<=a)b', 's', /^looking ahead or behind/],
  ['(?<!a)b', '', /^looking ahead or behind/],
  ['(a)\\1', '', /^a reference back to a group, `\\1`,/],
  ['(?<n>a)\\k<n>', '', /^a reference back to a group/],
  ['(a', '', /^missing closing \)/],
  ['[\\b]', '', /^invalid escape sequence/],
  ['a', 'y', /^the flag y of/],
  ['(?:[a-z]{40}){60}', '', /^the size 2400, repetitions multiplied, above 500, of/],
  [`${'(a{30}){30}'.repeat(5)}`, '', /^the size 4500/],
];

test('what is not supported is named', () => {
  for (const [pattern, flags, what] of REFUSED) {
    assert.throws(
      () => compiled(pattern, flags),
      (thrown) => {
        assert.ok(thrown instanceof UnsupportedFault, `${pattern}: ${thrown}`);
        assert.match(thrown.what, what);
        assert.deepEqual([thrown.line, thrown.place], [7, 'formulas.x']);
        return true;
      },
    );
  }
});

test('the steps of a match and the length of a replacement are limited', () => {
  assert.equal(evaluated('/(a+a+)+b/.matches("a".repeat(5000))'), false);
  assert.deepEqual(evaluated('/(?:a?){400}b/.matches("a".repeat(5000))'), {
    error: 'it takes more than 300000 steps',
  });
  assert.deepEqual(evaluated('"a".repeat(2000).replace(/a*/, "$&".repeat(60))'), {
    error: 'a text of 102000 characters is longer than 100000',
  });
  const steps: number[] = [];
  const spend = (count: number): void => {
    steps.push(count);
    throw new CellFault('enough');
  };
  for (const use of [
    () => compiled('a').matches('b', spend),
    () => [...compiled('a').replace('b', '', spend)],
    () => compiled('a').split('b', spend),
  ])
    assert.throws(use, CellFault);
  assert.equal(steps.length, 3);
});
