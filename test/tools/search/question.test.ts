// Parsing a question into a text to embed and words to search.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { hasMeaning, parseQuestion } from '../../../src/tools/search/text-query.ts';

const word = (text: string, negated = false) => ({ text, kind: 'word', negated }) as const;

test('the text to embed has no query syntax and no negated terms', () => {
  const { meaning, query, negated, ignored } = parseQuestion('How "does the" tide- rise* ? -storm', 'any');
  assert.equal(meaning, 'How does the tide- rise ?');
  assert.deepEqual(query?.terms, [
    word('How'),
    { text: 'does the', kind: 'phrase', negated: false },
    word('tide-'),
    { text: 'rise', kind: 'prefix', negated: false },
    word('storm', true),
  ]);
  assert.deepEqual(negated, [word('storm', true)]);
  assert.deepEqual(ignored, ['?']);
});

test('a word counts once, however often it is written', () => {
  const { query, meaning } = parseQuestion('tide Tide "tide" tide', 'all');
  assert.equal(query?.terms.length, 2);
  assert.equal(query?.match, 'all');
  assert.equal(meaning, 'tide Tide tide tide');
});

test('an emoji is a valid question without words; signs can only be a name', () => {
  const question = parseQuestion('🌊 !', 'any');
  assert.deepEqual([question.query.terms, question.meaning, hasMeaning(question)], [[], '🌊 !', true]);
  for (const text of ['?!', '-', '…', '"()"', '*']) assert.equal(hasMeaning(parseQuestion(text, 'any')), false, text);
  for (const text of ['-tide', '', '\t', '-tide *'])
    assert.throws(() => parseQuestion(text, 'any'), { code: 'INVALID_QUERY' }, text);
});

test('a long text is parsed completely', () => {
  const text = Array.from({ length: 5_000 }, (_, at) => `w${at}`).join(' ');
  const { meaning, query } = parseQuestion(`${text} -storm`, 'any');
  assert.equal(meaning, text);
  assert.equal(query?.terms.length, 5_001);
  assert.equal(query?.terms.at(-1)?.negated, true);
});

test('any text gives a question with a text to embed, or a typed error', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'é', '港', '🌊', '"', '-', '*', ' ', '?', '\n') }), (text) => {
      try {
        const question = parseQuestion(text, 'any');
        assert.ok(hasMeaning(question) || question.query.reference === text);
      } catch (thrown) {
        assert.ok(thrown instanceof VaultgraphError && thrown.code === 'INVALID_QUERY', String(thrown));
      }
    }),
  );
});
