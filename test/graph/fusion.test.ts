import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { fuse, type RankedList, RRF_K } from '../../src/graph/fusion.ts';

const list = (...ranked: string[]): RankedList => ({ weight: 1, ranked });
const idsOf = (lists: Record<string, RankedList>): string[] => fuse(lists).map(({ id }) => id);

test('the score of an id is the sum of weight / (k + rank)', () => {
  assert.deepEqual(fuse({ words: list('a.md', 'b.md'), meaning: list('b.md', 'c.md') }), [
    {
      id: 'b.md',
      score: 1 / (RRF_K + 2) + 1 / (RRF_K + 1),
      parts: { words: { rank: 2, share: 1 / (RRF_K + 2) }, meaning: { rank: 1, share: 1 / (RRF_K + 1) } },
    },
    { id: 'a.md', score: 1 / (RRF_K + 1), parts: { words: { rank: 1, share: 1 / (RRF_K + 1) } } },
    { id: 'c.md', score: 1 / (RRF_K + 2), parts: { meaning: { rank: 2, share: 1 / (RRF_K + 2) } } },
  ]);
});

test('a list counts by its weight', () => {
  const lists = { words: list('a.md', 'b.md'), meaning: { weight: 2, ranked: ['b.md', 'c.md'] } };
  assert.deepEqual(idsOf(lists), ['b.md', 'c.md', 'a.md']);
  assert.equal(fuse(lists)[1]?.parts.meaning?.share, 2 / (RRF_K + 2));
});

test('ties go to the best rank, then to the id', () => {
  assert.deepEqual(idsOf({ words: list('b.md'), meaning: list('a.md') }), ['a.md', 'b.md']);
  const even = { one: { weight: RRF_K + 1, ranked: ['a.md'] }, other: { weight: RRF_K + 2, ranked: ['x.md', 'b.md'] } };
  assert.deepEqual(
    fuse(even)
      .filter(({ score }) => score === 1)
      .map(({ id }) => id),
    ['a.md', 'b.md'],
  );
});

test('a repeated id counts once, at its first rank, and does not lower the others', () => {
  assert.deepEqual(fuse({ words: list('a.md', 'a.md', 'b.md') }), fuse({ words: list('a.md', 'b.md') }));
});

test('no lists give no results', () => {
  assert.deepEqual(fuse({}), []);
  assert.deepEqual(fuse({ words: list(), meaning: list() }), []);
});

suite('any lists', () => {
  const ids = fc.array(fc.constantFrom(...'abcdefghij'), { maxLength: 12 });
  const weight = fc.double({ min: 0, max: 10, noNaN: true });
  const lists = fc.dictionary(fc.constantFrom('words', 'meaning', 'links'), fc.record({ weight, ranked: ids }));

  test('contain every id once, with its first rank in each list', () => {
    fc.assert(
      fc.property(lists, (given) => {
        const fused = fuse(given);
        const all = new Set(Object.values(given).flatMap(({ ranked }) => ranked));
        assert.deepEqual(new Set(fused.map(({ id }) => id)), all);
        assert.equal(fused.length, all.size);
        for (const { id, parts } of fused) {
          for (const [name, { weight, ranked }] of Object.entries(given)) {
            const rank = [...new Set(ranked)].indexOf(id) + 1;
            const wanted = rank === 0 ? undefined : { rank, share: weight / (RRF_K + rank) };
            assert.deepEqual(parts[name], wanted);
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
      fc.property(ids, (ranked) => {
        const order = [...new Set(ranked)];
        assert.deepEqual(idsOf({ words: list(...ranked) }), order);
        assert.deepEqual(idsOf({ words: list(...ranked), meaning: { weight: 0.3, ranked } }), order);
      }),
    );
  });

  test('never rank an id lower if its rank in one list improves', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...'abcdefgh'], { minLength: 2 }), fc.nat(), ids, (ranked, at, other) => {
        const index = 1 + (at % (ranked.length - 1));
        const better = ranked.with(index - 1, ranked[index] ?? '').with(index, ranked[index - 1] ?? '');
        const place = (words: string[]) =>
          idsOf({ words: list(...words), other: list(...other) }).indexOf(ranked[index] ?? '');
        assert.ok(place(better) <= place(ranked));
      }),
    );
  });
});
