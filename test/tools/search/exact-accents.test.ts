// Words with accents, over a real vault: notes that write them so come first, and folding still finds the others.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchText } from '../../../src/tools/search/search_text.ts';
import { assertEach } from '../../assert-each.ts';
import { everyPage, withTools } from '../tools-under-test.ts';

const ask = async (run: (tool: typeof searchText, input: object) => Promise<unknown>, input: object) =>
  ((await run(searchText, input)) as { hits: { path: string; score: number }[] }).hits;

test('notes with the same accents come before those with other accents or none', () =>
  withTools(
    {
      'a.md': 'con ma nha que',
      'b.md': 'con mạ nhà quê',
      'c.md': 'con má nhà quê',
      'd.md': 'Cafe resume here',
      'e.md': 'Café résumé here'.normalize('NFD'),
      'f.md': 'MÁ',
    },
    async (vault) => {
      const hits = await ask(vault.ask, { query: 'con má nhà quê' });
      assertEach(hits, ({ path }) => path, ['c.md', 'b.md', 'a.md', 'f.md']);
      assert.ok(hits.every(({ score }, at) => score <= (hits[at - 1]?.score ?? Number.POSITIVE_INFINITY)));
      assertEach(await ask(vault.ask, { query: 'résumé' }), ({ path }) => path, ['e.md', 'd.md']);
      assertEach(await ask(vault.ask, { query: 'resume' }), ({ path }) => path, ['d.md', 'e.md']);
      const pages = await everyPage(vault, searchText, { query: 'con má nhà quê' }, 'hits', 1);
      assertEach(pages, ({ path }: { path: string }) => path, ['c.md', 'b.md', 'a.md', 'f.md']);
    },
  ));

test('pages of more hits than are read for accents have each hit once', () =>
  withTools(
    Object.fromEntries(
      Array.from({ length: 50 }, (_, at) => [`${at}.md`, `${at % 3 === 0 ? 'café' : 'cafe'} ${'x '.repeat(at)}`]),
    ),
    async (vault) => {
      const pages = await everyPage(vault, searchText, { query: 'café' }, 'hits', 15);
      assert.equal(new Set(pages.map(({ path }: { path: string }) => path)).size, 50);
      assert.equal(pages.length, 50);
    },
  ));
