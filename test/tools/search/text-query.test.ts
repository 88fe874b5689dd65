// The full-text query syntax: operators, text and errors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { parseTextQuery } from '../../../src/tools/search/text-query.ts';
import { assertEach } from '../../assert-each.ts';
import { growsTooFast } from '../../markdown/cpu-growth.ts';

const word = (text: string) => ({ text, kind: 'word', negated: false });

function refusalOf(query: string): VaultgraphError {
  try {
    parseTextQuery(query, 'any');
  } catch (thrown) {
    assert.ok(thrown instanceof VaultgraphError);
    return thrown;
  }
  return assert.fail(`${JSON.stringify(query)} was not refused`);
}

test('words, phrases, negations and prefixes', () => {
  const { query, ignored } = parseTextQuery('tide  "low water" -crab har* -"at sea" -moo*', 'all');
  assert.deepEqual(query, {
    match: 'all',
    language: 'en',
    length: 3,
    loose: 'tide | | | | |',
    terms: [
      word('tide'),
      { text: 'low water', kind: 'phrase', negated: false },
      { text: 'crab', kind: 'word', negated: true },
      { text: 'har', kind: 'prefix', negated: false },
      { text: 'at sea', kind: 'phrase', negated: true },
      { text: 'moo', kind: 'prefix', negated: true },
    ],
  });
  assert.deepEqual(ignored, []);
});

test('function words of a sentence are left out and listed, unless nothing else is left or `all` is used', () => {
  const read = (query: string, match: 'any' | 'all' = 'any') => {
    const { query: read, functionWords } = parseTextQuery(query, match);
    return [read.terms.map(({ text }) => text).join(' '), functionWords.join(' ')];
  };
  assert.deepEqual(read('How do I migrate from Obsidian?'), ['migrate Obsidian?', 'How do I from']);
  assert.deepEqual(read('what is the tide?'), ['tide?', 'what is the']);
  assert.deepEqual(read('is the tide'), ['is the tide', '']);
  assert.deepEqual(read('how do I do it'), ['how do I it', '']);
  assert.deepEqual(read('who of the WHO and IT said it'), ['WHO IT said', 'who of the and it']);
  assert.deepEqual(read('"to be" or not -the wh* of it all'), ['to be the wh all', 'or not of it']);
  assert.deepEqual(read('what is the tide?', 'all'), ['what is the tide?', '']);
});

test('the whole query is passed as a possible name, unless it has prefixes or negated terms', () => {
  const called = (query: string) => parseTextQuery(query, 'any').query.called;
  assert.equal(called('  The   "Lord of" 🌊 rings '), 'The Lord of 🌊 rings');
  assert.equal(called('C++'), 'C++');
  for (const query of ['tide -low', 'tid*', 'spring tid*']) assert.equal(called(query), undefined, query);
});

test('every other character is text', () => {
  for (const text of [
    'a"b',
    'nope:x',
    'NEAR(a',
    'AND',
    '*x',
    'C++',
    'foo.bar:8',
    "don't",
    '日本',
    'x:(y)^2',
    '#tag',
    '5"',
  ]) {
    assert.deepEqual(parseTextQuery(text, 'any').query.terms, [word(text)], text);
  }
});

test('a term without a letter or digit is left out and listed', () => {
  const { query, ignored } = parseTextQuery('cats - 🐈 & dogs', 'any');
  assert.deepEqual(query.terms, [word('cats'), word('dogs')]);
  assert.deepEqual(ignored, ['-', '🐈', '&']);
});

test('invalid syntax is rejected with its position', () => {
  const cases: [string, number, RegExp][] = [
    ['', 0, /empty/],
    [' \t', 0, /empty/],
    ['a \0b', 2, /NUL/],
    ['-a -b', 0, /negated/],
    [' -a ???', 1, /negated/],
  ];
  for (const [query, position, reason] of cases) {
    const { code, details } = refusalOf(query);
    assert.equal(code, 'INVALID_QUERY', query);
    const { field, position: at, reason: why, instead } = details as Record<string, string>;
    assert.deepEqual({ field, at }, { field: 'query', at: position }, query);
    assert.match(why ?? '', reason);
    assert.match(instead ?? '', /\.$/);
  }
});

test('a query of any length is parsed whole, and each term counts once', () => {
  const words = Array.from({ length: 5_000 }, (_, number) => `w${number}`).join(' ');
  assert.equal(parseTextQuery(`${words} ${words}`, 'any').query.terms.length, 5_000);
  assert.equal(parseTextQuery('x'.repeat(100_000), 'any').query.terms.length, 1);
});

test('a query takes time proportional to its length', () => {
  const pieces = [
    'note ',
    '12 ',
    '+49 ',
    'a OR ',
    'tag: ',
    'tag:a ',
    '"a b" ',
    '"a ',
    '-a b ',
    "l'eau ",
    'aB ',
    'a-1 ',
    '図書 ',
    '“a ',
  ];
  const slow = pieces.filter((piece) =>
    growsTooFast(
      () => void parseTextQuery(piece.repeat(2_000), 'any'),
      () => void parseTextQuery(piece.repeat(16_000), 'any'),
      { noiseMs: 100, maxGrowth: 32 },
    ),
  );
  assertEach(slow, String, []);
});

test('a quote that is not closed is a part of its word', () => {
  const { query } = parseTextQuery('"spring tide" "low water', 'any');
  assert.deepEqual(
    query.terms.map(({ text, kind }) => [text, kind]),
    [
      ['spring tide', 'phrase'],
      ['"low', 'word'],
      ['water', 'word'],
    ],
  );
});

test('any text gives a query or a typed error', () => {
  const pieces = fc.constantFrom(
    '"',
    '-',
    '*',
    ' ',
    'a',
    '日',
    '\0',
    '\n',
    '^',
    '(',
    ':',
    '🐈',
    '\ud800',
    'AND',
    '\u00a0',
  );
  const typed = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(pieces, { maxLength: 60 }).map((some) => some.join('')),
  );
  fc.assert(
    fc.property(typed, fc.constantFrom('any' as const, 'all' as const), (text, match) => {
      try {
        const { query } = parseTextQuery(text, match);
        assert.ok(query.terms.some((term) => !term.negated) || query.reference !== undefined);
        assert.ok(query.terms.every((term) => text.includes(term.text) && term.text !== ''));
      } catch (thrown) {
        if (thrown instanceof assert.AssertionError) throw thrown;
        assert.ok(thrown instanceof VaultgraphError);
        assert.ok(thrown.code === 'INVALID_QUERY', thrown.code);
      }
    }),
  );
});

test('of a sentence in another language its own function words are left out', () => {
  const read = (query: string) => {
    const { query: parsed, functionWords } = parseTextQuery(query, 'any');
    return [parsed.language, parsed.terms.map(({ text }) => text).join(' '), functionWords.join(' ')];
  };
  assert.deepEqual(read('Wie wird die Ebbe im Hafen gemessen?'), ['de', 'Ebbe Hafen gemessen?', 'Wie wird die im']);
  assert.deepEqual(read('¿Cómo se mide la marea?'), ['es', 'mide marea?', '¿Cómo se la']);
  assert.deepEqual(read('Où est le port de Brest'), ['fr', 'port Brest', 'Où est le de']);
  assert.deepEqual(read('did the guests die here'), ['en', 'guests die', 'did the here']);
  assert.deepEqual(read('die hard battery charger'), ['en', 'die hard battery charger', '']);
});

test('the ending of a possessive is left out of a word, not of a phrase or the name', () => {
  const { query } = parseTextQuery("Snow's sailors’ \"cook's logs\" don't 5's", 'any');
  assertEach(query.terms, ({ text }) => text, ['Snow', 'sailors', "cook's logs", "don't", '5']);
  assert.equal(query.called, "Snow's sailors’ cook's logs don't 5's");
});

test('joined words are taken apart, without single letters and with their numbers', () => {
  const read = (query: string) => parseTextQuery(query, 'any').query.terms.map(({ text }) => text);
  assert.deepEqual(read("foo-bar Râzî'nin l'eau"), ['foo', 'bar', 'Râzî', 'nin', 'eau']);
  assert.deepEqual(read('AFC–Championship-Spiels, (e-mail)'), ['AFC', 'Championship', 'Spiels', 'mail']);
  assert.deepEqual(read('COVID-19-Welle 2026-11-20 c-b x-1'), ['COVID-19', 'Welle', '2026-11-20', 'c', 'b', 'x-1']);
  assert.deepEqual(read('-foo-bar "foo-bar" a.b/c-d https://a-b.org foo-b*'), [
    ...['foo-bar', 'foo-bar', 'a.b/c-d', 'https://a-b.org', 'foo-b'],
  ]);
  const { query } = parseTextQuery("foo-bar l'eau", 'any');
  assert.deepEqual([query.called, query.length], ["foo-bar l'eau", 2]);
});

test('signs that people paste are text: a lone star, an empty phrase, dashes, marks of emphasis, quotes of print', () => {
  const read = (query: string) => parseTextQuery(query, 'any').query.terms.map(({ kind, text }) => `${kind} ${text}`);
  assert.deepEqual(read('sail * "" -- tide'), ['word sail', 'word tide']);
  assert.deepEqual(read('**bold** *it* "low water"* npm --save'), [
    ...['word **bold**', 'word *it*', 'prefix low water', 'word npm', 'word --save'],
  ]);
  assert.deepEqual(read('“low water” „ebb tide“ «high seas» “open'), [
    ...['phrase low water', 'phrase ebb tide', 'phrase high seas', 'word “open'],
  ]);
});

test('of an operator of another search the value is searched for; a negated one is left out', () => {
  const read = (query: string) => parseTextQuery(query, 'any').query.terms.map(({ kind, text }) => `${kind} ${text}`);
  assert.deepEqual(read('path:"Old Boats" tag:#gear line:(foo bar) file:///a'), [
    ...['phrase Old Boats', 'word #gear', 'word (foo', 'word bar)', 'word file:///a'],
  ]);
  assert.deepEqual(read('tide -path:"Old Boats" -tag:x (file:a)'), ['word tide', 'word a)']);
});
