// Tests TF-IDF similarity against the formula computed over all terms.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Collection, idf, similarityTo, type TermParts, topTerms } from '../../src/graph/relatedness.ts';

const TERMS = [...'abcdef', 'tide', 'moon', 'bread', 'salt'];
const counts = fc.dictionary(fc.constantFrom(...TERMS.slice(0, 6)), fc.integer({ min: 1, max: 9 }), { minKeys: 1 });
const text = fc.array(counts, { minLength: 1, maxLength: 3 });
const mapOf = (given: Record<string, number>) => new Map(Object.entries(given));

/** The parts with numbers for their terms: their places in `TERMS`. */
function numbered(parts: readonly ReadonlyMap<string, number>[]): TermParts {
  const terms = parts.flatMap((part) => [...part.keys()].map((term) => TERMS.indexOf(term)));
  const counts = parts.flatMap((part) => [...part.values()]);
  const ends = parts.map((_, at) => parts.slice(0, at + 1).reduce((sum, { size }) => sum + size, 0));
  return { terms: Int32Array.from(terms), counts: Int32Array.from(counts), ends };
}

type Parts = readonly ReadonlyMap<string, number>[];

function compared(requested: Parts, others: readonly Parts[], collection: Collection) {
  const parts = others.map(numbered);
  const similarityOf = similarityTo(numbered(requested), parts, { texts: TERMS }, collection);
  return parts.map(similarityOf).map(({ cosine, shared }) => ({ cosine, shared: shared() }));
}

const dot = (one: number[], two: number[]) => one.reduce((sum, value, at) => sum + value * (two[at] ?? 0), 0);
const unit = (vector: number[]) => vector.map((value) => value / (Math.sqrt(dot(vector, vector)) || 1));

test('where every text is compared it is the cosine of the means of the parts, each a TF-IDF vector of length 1', () => {
  fc.assert(
    fc.property(text, fc.array(text, { minLength: 1, maxLength: 8 }), (requested, others) => {
      const all = [requested, ...others];
      const held = (parts: Record<string, number>[], term: string) => parts.some((part) => part[term] !== undefined);
      const docFrequency = new Map(TERMS.map((term) => [term, all.filter((parts) => held(parts, term)).length]));
      const vector = (part: Record<string, number>) =>
        TERMS.map((term) => {
          const [count, texts] = [part[term] ?? 0, docFrequency.get(term) ?? 0];
          return count === 0 ? 0 : (1 + Math.log(count)) * Math.log((all.length + 1) / texts) ** 1.25;
        });
      const middle = (parts: Record<string, number>[]) =>
        unit(TERMS.map((_, at) => parts.reduce((sum, part) => sum + (unit(vector(part))[at] ?? 0), 0)));
      // Of a term that the asked text lacks only the others are known to hold it.
      const known = new Map([...docFrequency].filter(([term]) => held(requested, term)));
      const collection = { size: all.length, docFrequency: known };
      const parts = others.map((other) => other.map(mapOf));
      for (const [at, { cosine, shared }] of compared(requested.map(mapOf), parts, collection).entries()) {
        const expected = dot(middle(requested), middle(others[at] ?? []));
        assert.ok(Math.abs(cosine - expected) < 1e-9, `${cosine} ${expected}`);
        assert.ok(Math.abs(shared.reduce((sum, [, share]) => sum + share, 0) - cosine) < 1e-9);
        assert.ok(shared.every(([, share], i) => share <= (shared[i - 1]?.[1] ?? 1)));
      }
    }),
  );
});

test('a text is most similar to itself, and a text without terms to none', () => {
  const requested = [mapOf({ tide: 2, moon: 1 })];
  const [self, none, empty] = compared(requested, [requested, [new Map()], []], {
    size: 2,
    docFrequency: mapOf({ tide: 2, moon: 1 }),
  });
  assert.ok(Math.abs((self?.cosine ?? 0) - 1) < 1e-9);
  assert.deepEqual(none, { cosine: 0, shared: [] });
  assert.deepEqual(empty, { cosine: 0, shared: [] });
});

test('a term in all parts of a text counts more than one repeated in a single part', () => {
  const docFrequency = mapOf({ tide: 2, moon: 2, bread: 2, salt: 2 });
  const everywhere = [mapOf({ tide: 1, salt: 1 }), mapOf({ tide: 1, moon: 1 }), mapOf({ tide: 1, bread: 1 })];
  const once = [mapOf({ tide: 3, salt: 1 }), mapOf({ moon: 1, bread: 1 }), mapOf({ bread: 1, salt: 1 })];
  const [first, second] = compared([mapOf({ tide: 1 })], [everywhere, once], { size: 9, docFrequency });
  assert.ok((first?.cosine ?? 0) > (second?.cosine ?? 1));
});

test('rare terms are the most distinctive', () => {
  const docFrequency = mapOf({ the: 1_000, harbour: 20, lighthouse: 2 });
  assert.deepEqual(topTerms(mapOf({ the: 9, harbour: 1, lighthouse: 1 }), { size: 1_000, docFrequency }, 2), [
    'lighthouse',
    'harbour',
  ]);
  assert.ok(idf(1_000, 1_000) > 0 && idf(1, 0) > 0);
});
