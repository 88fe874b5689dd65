// TF-IDF and the cosine, against the formula written out over all terms.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { likenesses, rarity, tellingTerms } from '../../src/graph/relatedness.ts';

const counts = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), fc.integer({ min: 1, max: 9 }), {
  minKeys: 1,
});
const mapOf = (given: Record<string, number>) => new Map(Object.entries(given));

test('where every text is compared it is the cosine of the TF-IDF vectors', () => {
  fc.assert(
    fc.property(counts, fc.array(counts, { minLength: 1, maxLength: 8 }), (asked, others) => {
      const all = [asked, ...others].map(mapOf);
      const holding = new Map([...'abcdef'].map((term) => [term, all.filter((text) => text.has(term)).length]));
      const vector = (text: ReadonlyMap<string, number>) =>
        [...'abcdef'].map((term) => {
          // Of a term that the asked text lacks only the others are known to hold it.
          const [count, held] = [text.get(term) ?? 0, holding.get(term) ?? 0];
          return count === 0 ? 0 : (1 + Math.log(count)) * Math.log((all.length + 1) / held);
        });
      const dot = (one: number[], two: number[]) => one.reduce((sum, value, at) => sum + value * (two[at] ?? 0), 0);
      const known = new Map([...holding].filter(([term]) => all[0]?.has(term)));
      const found = likenesses(mapOf(asked), all.slice(1), { size: all.length, holding: known });
      for (const [at, { cosine, shared }] of found.entries()) {
        const [one, two] = [vector(mapOf(asked)), vector(all[at + 1] ?? new Map())];
        const expected = dot(one, two) / Math.sqrt(dot(one, one) * dot(two, two));
        assert.ok(Math.abs(cosine - expected) < 1e-9, `${cosine} ${expected}`);
        assert.ok(Math.abs(shared.reduce((sum, [, share]) => sum + share, 0) - cosine) < 1e-9);
        assert.ok(shared.every(([, share], i) => share <= (shared[i - 1]?.[1] ?? 1)));
      }
    }),
  );
});

test('a text is most like itself, and a text without terms is like none', () => {
  const asked = mapOf({ tide: 2, moon: 1 });
  const [self, none] = likenesses(asked, [asked, new Map()], { size: 2, holding: mapOf({ tide: 2, moon: 1 }) });
  assert.ok(Math.abs((self?.cosine ?? 0) - 1) < 1e-9);
  assert.deepEqual(none, { cosine: 0, shared: [] });
});

test('what few texts hold tells most', () => {
  const holding = mapOf({ the: 1_000, harbour: 20, lighthouse: 2 });
  assert.deepEqual(tellingTerms(mapOf({ the: 9, harbour: 1, lighthouse: 1 }), { size: 1_000, holding }, 2), [
    'lighthouse',
    'harbour',
  ]);
  assert.ok(rarity(1_000, 1_000) > 0 && rarity(1, 0) > 0);
});
