// `sort: time` and `prefer: recent` of the searches: the order of hits, what has no date, and what the answer says of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getContext } from '../../../src/tools/context/get_context.ts';
import { createSearch } from '../../../src/tools/search/search.ts';
import { searchText } from '../../../src/tools/search/search_text.ts';
import { fakeEmbedding } from '../../fakes/embedding.ts';
import { fillVectors } from '../fill-vectors.ts';
import { withTools } from '../tools-under-test.ts';

const FILES = {
  'Log/2024-03-12.md': 'The kelp was high. Kelp, kelp everywhere.\n',
  'Log/2026-01-05.md': 'Some words about kelp, far from the beginning of the day, with more words around them.\n',
  'Dated.md': '---\ndate: 2025-06-01\n---\nKelp soup.\n',
  'Undated.md': 'Kelp kelp kelp kelp kelp.\n',
};
const paths = (answer: { hits: { path: string }[] }) => answer.hits.map(({ path }) => path);
const NEWEST = ['Log/2026-01-05.md', 'Dated.md', 'Log/2024-03-12.md', 'Undated.md'];

test('sort: time puts the newest notes first, and those without a date last', () =>
  withTools(FILES, async ({ ask }) => {
    const answer = await ask(searchText, { query: 'kelp', sort: 'time' });
    assert.deepEqual(paths(answer), NEWEST);
    assert.equal(answer.sorted, 'by note date, newest first');
    assert.equal(answer.undated, 1);
    assert.deepEqual(
      answer.hits.map(({ date, dated_by }: { date?: string; dated_by?: string }) => [date, dated_by]),
      [
        ['2026-01-05', 'name'],
        ['2025-06-01', 'property'],
        ['2024-03-12', 'name'],
        [undefined, undefined],
      ],
    );
    const first = await ask(searchText, { query: 'kelp', sort: 'time', limit: 3 });
    const second = await ask(searchText, { query: 'kelp', sort: 'time', limit: 3, cursor: first.next_cursor });
    assert.deepEqual([...paths(first), ...paths(second)], NEWEST);
    assert.equal(first.total, 4);
  }));

test('of a query of several words, hits that fit far worse than the best are counted and left out', () =>
  withTools(
    {
      '2020-01-01.md': 'Painted the keel red.',
      '2025-01-01.md': 'A red house.',
      '2024-01-01.md': 'Blue.',
      'x.md': 'the house',
    },
    async ({ ask }) => {
      const answer = await ask(searchText, { query: 'painted keel red', sort: 'time' });
      assert.deepEqual(paths(answer), ['2020-01-01.md']);
      assert.equal(answer.weaker_hits, 1);
      assert.equal(answer.total, 1);
    },
  ));

test('prefer: recent changes the order of hits that fit about equally, and says so', () =>
  withTools(
    {
      'Log/2024-01-01.md': 'The kelp soup was good.',
      'Log/2025-01-01.md': 'The kelp soup was good.',
      'Log/2026-01-01.md': 'The kelp soup was good.',
      'Best.md': 'Kelp soup. Kelp soup. Kelp soup.',
    },
    async ({ ask }) => {
      const plain = await ask(searchText, { query: 'kelp soup' });
      assert.equal('preferred' in plain, false);
      const answer = await ask(searchText, { query: 'kelp soup', prefer: 'recent' });
      assert.match(answer.preferred, /^recent: .*20 %/);
      assert.deepEqual(
        paths(answer).filter((path) => path !== 'Best.md'),
        ['Log/2026-01-01.md', 'Log/2025-01-01.md', 'Log/2024-01-01.md'],
      );
      assert.equal(answer.total, 4);
    },
  ));

test('a search by meaning does the same', () => {
  const { provider } = fakeEmbedding();
  return withTools(
    FILES,
    async (under) => {
      await fillVectors(under, provider);
      const search = createSearch({ textOnly: false });
      const answer = await under.ask(search, { query: 'kelp', sort: 'time' });
      assert.deepEqual(paths(answer), NEWEST);
      assert.equal(answer.undated, 1);
      const preferred = await under.ask(search, { query: 'kelp', prefer: 'recent' });
      assert.match(preferred.preferred, /^recent/);
    },
    { embedding: provider },
  );
});

test('get_context shows its sections in the same order', () =>
  withTools(FILES, async ({ ask }) => {
    const answer = await ask(getContext, { topic: 'kelp', sort: 'time' });
    assert.deepEqual([...new Set(answer.sections.map(({ path }: { path: string }) => path))], NEWEST);
    assert.equal(answer.undated, 1);
    assert.match((await ask(getContext, { topic: 'kelp', prefer: 'recent' })).preferred, /^recent/);
  }));
