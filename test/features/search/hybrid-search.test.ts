// Pages of two fused lists: every hit once, with its rank in both.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { NotePath } from '../../../src/base/note.ts';
import { type FusedHit, type FusionWindow, fusedPage, windowAt } from '../../../src/features/search/hybrid-search.ts';
import { RRF_K } from '../../../src/graph/fusion.ts';
import { runs } from '../../runner/effort.ts';

const textHit = (at: number) => ({ path: `n${at}.md` as NotePath, title: `n${at}`, bm25: 1_000 - at, modifiedMs: 0 });
const vectorHit = (at: number) => ({
  path: `n${at}.md` as NotePath,
  title: `n${at}`,
  modifiedMs: 0,
  lines: [1, 2] as const,
  cosine: 1 / (at + 1),
});

/** The store as seen by a page: whole lists, of which a page is given only so much as it asks for. */
function listsTo({ depth }: FusionWindow, words: readonly number[], near: readonly number[]) {
  return { text: words.slice(0, depth).map(textHit), vector: near.slice(0, depth).map(vectorHit) };
}

test('pages of any size return every hit of both lists exactly once', () => {
  const order = fc.shuffledSubarray(Array.from({ length: 160 }, (_, at) => at));
  fc.assert(
    fc.property(order, order, fc.integer({ min: 1, max: 40 }), (words, near, limit) => {
      const shown: string[] = [];
      let place: readonly number[] | undefined = [];
      while (place !== undefined) {
        const stretch = windowAt(place, limit);
        const page: ReturnType<typeof fusedPage> = fusedPage(listsTo(stretch, words, near), stretch, limit);
        assert.ok(page.hits.length <= limit);
        shown.push(...page.hits.map(({ path }) => path));
        place = page.next;
      }
      const all = new Set([...words, ...near].map((at) => `n${at}.md`));
      assert.deepEqual([shown.length, new Set(shown)], [all.size, all]);
    }),
    { numRuns: runs(60) },
  );
});

test('a note named like the query comes first, even if both lists rank another note higher', () => {
  const named = { ...textHit(4), named: true as const };
  const { hits } = fusedPage({ text: [named, textHit(2)], vector: [vectorHit(2)] }, windowAt([], 10), 10);
  assert.deepEqual(
    hits.map(({ path, named: isNamed }) => [path, isNamed]),
    [
      ['n4.md', true],
      ['n2.md', undefined],
    ],
  );
  assert.ok((hits[0]?.score ?? 1) < (hits[1]?.score ?? 0));
});

test('a hit has its rank and score in each list that contains it', () => {
  const lists = { text: [textHit(4), textHit(2)], vector: [vectorHit(2), vectorHit(9)] };
  const { hits, next } = fusedPage(lists, windowAt([], 10), 10);
  assert.equal(next, undefined);
  const [first, ...rest] = hits;
  assert.deepEqual(first, {
    path: 'n2.md' as NotePath,
    title: 'n2',
    score: 1 / (RRF_K + 2) + 1 / (RRF_K + 1),
    text: { rank: 2, share: 1 / (RRF_K + 2), bm25: 998 },
    vector: { rank: 1, share: 1 / (RRF_K + 1), cosine: 1 / 3, lines: [1, 2] },
  } satisfies FusedHit);
  assert.deepEqual(
    rest.map(({ path, text, vector }) => [path, text?.rank, vector?.rank]),
    [
      ['n4.md', 1, undefined],
      ['n9.md', undefined, 2],
    ],
  );
});

test('the lists are read as far as a page needs, and the next section starts where the last ended', () => {
  assert.deepEqual(windowAt([], 10), { offset: 0, depth: 50, before: 0 });
  assert.deepEqual(windowAt([], 100), { offset: 0, depth: 500, before: 0 });
  assert.deepEqual(windowAt([3, 100, 50], 10), { offset: 3, depth: 100, before: 50 });
});
