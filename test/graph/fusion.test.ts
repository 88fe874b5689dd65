import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { fuse, type ScoredList } from '../../src/graph/fusion.ts';

/** A list of ids with falling scores from 1. */
const list = (...ids: string[]): ScoredList => ids.map((id, at) => ({ id, score: 1 - at / 8 }));
const weighted = (weight: number, scored: ScoredList): ScoredList =>
  scored.map(({ id, score }) => ({ id, score: weight * score }));
const idsOf = (lists: Record<string, ScoredList>): string[] => fuse(lists).map(({ id }) => id);

test('the score of an id is the sum of its scores, and a list without it adds nothing', () => {
  const words = [
    { id: 'a.md', score: 0.5 },
    { id: 'b.md', score: 0.25 },
  ];
  const meaning = [
    { id: 'b.md', score: 0.5 },
    { id: 'c.md', score: 0.25 },
  ];
  assert.deepEqual(fuse({ words, meaning }), [
    { id: 'b.md', score: 0.75, parts: { words: { rank: 2, share: 0.25 }, meaning: { rank: 1, share: 0.5 } } },
    { id: 'a.md', score: 0.5, parts: { words: { rank: 1, share: 0.5 } } },
    { id: 'c.md', score: 0.25, parts: { meaning: { rank: 2, share: 0.25 } } },
  ]);
});

test('what is far ahead in one list comes before what is mediocre in both', () => {
  const words = [
    { id: 'sure.md', score: 1 },
    { id: 'both.md', score: 0.4 },
  ];
  const meaning = [{ id: 'both.md', score: 0.4 }];
  assert.deepEqual(idsOf({ words, meaning }), ['sure.md', 'both.md']);
});

test('ties go to the best rank, then to the id; a list whose scores are all 0 still adds its ids', () => {
  assert.deepEqual(idsOf({ words: list('b.md'), meaning: list('a.md') }), ['a.md', 'b.md']);
  const meaning = weighted(0, list('y.md', 'b.md', 'x.md'));
  assert.deepEqual(idsOf({ words: list('b.md'), meaning }), ['b.md', 'y.md', 'x.md']);
});

test('a repeated id counts once, at its first place, and does not lower the others', () => {
  const [a, b] = [
    { id: 'a.md', score: 1 },
    { id: 'b.md', score: 0.5 },
  ];
  assert.deepEqual(fuse({ words: [a, { ...a, score: 0.7 }, b] }), fuse({ words: [a, b] }));
});

test('no lists give no results', () => {
  assert.deepEqual(fuse({}), []);
  assert.deepEqual(fuse({ words: list(), meaning: list() }), []);
});

suite('any lists', () => {
  const ids = fc.array(fc.constantFrom(...'abcdefghij'), { maxLength: 12 });
  const weight = fc.double({ min: 0, max: 10, noNaN: true });
  const anyList = fc.record({ weight, ids }).map((given) => weighted(given.weight, list(...given.ids)));
  const lists = fc.dictionary(fc.constantFrom('words', 'meaning', 'links'), anyList);

  test('contain every id once, with its first rank in each list', () => {
    fc.assert(
      fc.property(lists, (given) => {
        const fused = fuse(given);
        const all = new Set(Object.values(given).flatMap((scored) => scored.map(({ id }) => id)));
        assert.deepEqual(new Set(fused.map(({ id }) => id)), all);
        assert.equal(fused.length, all.size);
        for (const { id, parts } of fused) {
          for (const [name, scored] of Object.entries(given)) {
            const rank = [...new Set(scored.map((one) => one.id))].indexOf(id) + 1;
            const share = scored.find((one) => one.id === id)?.score ?? 0;
            assert.deepEqual(parts[name], rank === 0 ? undefined : { rank, share });
          }
        }
      }),
    );
  });

  test('give descending scores, independent of the order of the lists', () => {
    fc.assert(
      fc.property(lists, (given) => {
        const fused = fuse(given);
        for (const [index, { score, parts }] of fused.entries()) {
          assert.ok(index === 0 || score <= (fused[index - 1]?.score ?? 0));
          const sum = Object.values(parts).reduce((total, part) => total + (part?.share ?? 0), 0);
          assert.ok(Math.abs(sum - score) < 1e-12);
        }
        const turned = fuse(Object.fromEntries(Object.entries(given).reverse()));
        assert.deepEqual(
          turned.map(({ id, score }) => [id, score]),
          fused.map(({ id, score }) => [id, score]),
        );
      }),
    );
  });

  test('keep the order of a single list, and of two equal ones', () => {
    fc.assert(
      fc.property(ids, (given) => {
        const order = [...new Set(given)];
        const words = list(...order);
        assert.deepEqual(idsOf({ words }), order);
        assert.deepEqual(idsOf({ words, meaning: weighted(0.3, words) }), order);
      }),
    );
  });

  test('never rank an id lower if its score in one list improves', () => {
    const score = fc.integer({ min: 0, max: 8 });
    fc.assert(
      fc.property(fc.array(score, { minLength: 2, maxLength: 8 }), fc.nat(), ids, (scores, at, other) => {
        const chosen = `${at % scores.length}`;
        const place = (raised: number): number => {
          const scored = scores.map((one, id) => ({
            id: `${id}`,
            score: (one + (`${id}` === chosen ? raised : 0)) / 8,
          }));
          const words = scored.sort((one, two) => two.score - one.score);
          return idsOf({ words, other: list(...other) }).indexOf(chosen);
        };
        assert.ok(place(1) <= place(0));
      }),
    );
  });
});
