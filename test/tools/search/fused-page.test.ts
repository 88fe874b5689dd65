// Pages of two fused lists: every hit once, with its rank in both, and how much each list counts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { NotePath } from '../../../src/base/note.ts';
import {
  type FusedHit,
  type FusedLists,
  type FusionWindow,
  fusedPage,
  weightsOf,
  windowAt,
} from '../../../src/tools/search/fused-page.ts';
import { assertEach } from '../../assert-each.ts';
import { runs } from '../../runner/effort.ts';

const textHit = (at: number) => ({
  ...{ path: `n${at}.md` as NotePath, title: `n${at}`, modifiedMs: 0 },
  ...{ bm25: 1_000 - at, score: 1_000 - at },
});
const vectorHit = (at: number) => ({
  path: `n${at}.md` as NotePath,
  title: `n${at}`,
  modifiedMs: 0,
  lines: [1, 2] as const,
  cosine: 1 / (at + 1),
});

const placed = (at: number, place: number) => ({ ...vectorHit(at), cosine: 1 / (place + 1) });

/** The store as seen by a page: whole lists, of which a page is given only so much as it asks for. */
function listsTo({ depth }: FusionWindow, words: readonly number[], near: readonly number[]): FusedLists {
  return { isExact: false, text: words.slice(0, depth).map(textHit), vector: near.slice(0, depth).map(placed) };
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
  const { hits } = fusedPage(
    { isExact: false, text: [named, textHit(2)], vector: [vectorHit(2)] },
    windowAt([], 10),
    10,
  );
  assertEach(hits, ({ path, named: isNamed }) => [path, isNamed], [
    ['n4.md', true],
    ['n2.md', undefined],
  ]);
  assert.ok((hits[0]?.score ?? 1) < (hits[1]?.score ?? 0));
});

test('a hit has its rank and score in each list that contains it', () => {
  const lists = { isExact: false, text: [textHit(4), textHit(2)], vector: [vectorHit(2), vectorHit(9)] };
  const { hits, next } = fusedPage(lists, windowAt([], 10), 10);
  assert.equal(next, undefined);
  const [first, ...rest] = hits;
  const { text, vector } = weightsOf(lists);
  // The last of the list by meaning counts as much as a note that is not in it.
  const [words, meaning] = [text * (998 / 998), vector * ((1 / 3 - 1 / 10) / (1 / 3))];
  assert.deepEqual(first, {
    path: 'n2.md' as NotePath,
    title: 'n2',
    score: meaning + words,
    text: { rank: 2, share: words, hit: textHit(2) },
    vector: { rank: 1, share: meaning, cosine: 1 / 3, lines: [1, 2] },
  } satisfies FusedHit);
  assert.deepEqual(
    rest.map(({ path, text, vector }) => [path, text?.rank, vector?.rank]),
    [
      ['n4.md', 1, undefined],
      ['n9.md', undefined, 2],
    ],
  );
});

/** Lists of a vault where cosines of .1 ± .1 are usual. */
const usually = (lists: Partial<FusedLists>): FusedLists => ({
  ...{ isExact: false, text: [textHit(1)], vector: [vectorHit(2)], usual: { mean: 0.1, spread: 0.1 } },
  ...lists,
});
const near = (cosine: number) => usually({ vector: [{ ...vectorHit(2), cosine }] });

test('meaning counts the more, the further the nearest note rises above what is usual', () => {
  assert.equal(weightsOf(near(0.2)).vector, 0);
  const weights = [0.4, 0.6, 0.9].map((cosine) => weightsOf(near(cosine)).vector);
  assert.deepEqual(weights.toSorted(), weights);
  assert.ok((weights[0] ?? 0) > 0 && (weights[2] ?? 1) < 1);
  const narrow = usually({ vector: [{ ...vectorHit(2), cosine: 0.9 }], usual: { mean: 0.8, spread: 0.025 } });
  assert.ok(
    weightsOf(narrow).vector > weightsOf(near(0.3)).vector,
    'a model whose cosines are all high is not mistrusted',
  );
});

test('however sure the model is, words keep a part of the weight', () => {
  const narrow = usually({ vector: [{ ...vectorHit(2), cosine: 0.9 }], usual: { mean: 0.1, spread: 0.001 } });
  assert.deepEqual(weightsOf(narrow), { text: 0.4, vector: 0.6 });
});

test('meaning counts at least as much as the words left of the question, as far as that is known', () => {
  const unsure = near(0.2);
  assert.equal(weightsOf({ ...unsure, matched: 0.575 }).vector.toFixed(6), '0.500000');
  assert.equal(
    weightsOf({ ...unsure, matched: 0.1 }).vector,
    1,
    'a name in a question of another language says little',
  );
  const sure = near(0.9);
  assert.deepEqual(weightsOf({ ...sure, matched: 0.9 }), weightsOf(sure));
  const exact = { ...unsure, isExact: true, matched: 0.25 };
  assert.deepEqual(weightsOf(exact), { text: 1, vector: 0 });
});

test('what names add counts whole, whatever the weights', () => {
  const named = { ...textHit(3), bm25: 500, score: 1_000 };
  const lists = usually({
    text: [named, { ...textHit(4), bm25: 800, score: 800 }],
    vector: [placed(9, 1), placed(8, 9)],
  });
  const { hits } = fusedPage(lists, windowAt([], 10), 10);
  const { text, vector } = weightsOf(lists);
  assert.ok(text < 1 && vector > 0);
  const shareOf = (path: string) => hits.find((hit) => hit.path === path)?.text?.share;
  assert.equal(shareOf('n3.md'), (text * 500 + 500) / 800);
  assert.equal(shareOf('n4.md'), text);
});

test('in an exact search words decide, as far as they find something', () => {
  const lists = usually({
    isExact: true,
    text: [textHit(7), textHit(8)],
    vector: [placed(2, 0), placed(8, 1), placed(3, 2)],
  });
  const { hits } = fusedPage(lists, windowAt([], 10), 10);
  assertEach(hits, ({ path }) => path, ['n7.md', 'n8.md', 'n2.md', 'n3.md']);
  assert.deepEqual(weightsOf({ ...lists, text: [] }), { text: 0, vector: 1 });
  assert.deepEqual(weightsOf({ ...lists, vector: [] }), { text: 1, vector: 0 });
});

test('a list by meaning that is no better than chance changes nothing above its own hits', () => {
  const text = [textHit(1), textHit(2), textHit(3)];
  const { hits } = fusedPage(usually({ text, vector: [placed(3, 9), placed(9, 9)] }), windowAt([], 10), 10);
  assertEach(hits, ({ path }) => path, ['n1.md', 'n2.md', 'n3.md', 'n9.md']);
});

test('the lists are read as far as a page needs, and the next section starts where the last ended', () => {
  assert.deepEqual(windowAt([], 10), { offset: 0, depth: 50, before: 0 });
  assert.deepEqual(windowAt([], 100), { offset: 0, depth: 500, before: 0 });
  assert.deepEqual(windowAt([3, 100, 50], 10), { offset: 3, depth: 100, before: 50 });
});
