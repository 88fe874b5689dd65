// get_communities over a real vault: two clear clusters, their names and pages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getCommunities } from '../../../src/tools/links/get_communities.ts';
import { assertEach } from '../../assert-each.ts';
import { everyPage, withTools } from '../tools-under-test.ts';

/** Every note of a clique links to all others of it; the first is linked most. */
function clique(name: string, size: number): Record<string, string> {
  const names = Array.from({ length: size }, (_, at) => `${name}${at}`);
  return Object.fromEntries(
    names.map((own) => [
      `${own}.md`,
      names
        .filter((one) => one !== own)
        .map((one) => `[[${one}]]`)
        .join(' '),
    ]),
  );
}

test('clusters, largest first, named by their most central note', () =>
  withTools({ ...clique('a', 5), ...clique('b', 3), 'c.md': '[[a0]]', 'alone.md': '' }, async ({ ask }) => {
    const answer = await ask(getCommunities, { members: 2 });
    assert.deepEqual(
      answer.communities.map(({ id, size, label }: { id: number; size: number; label: string }) => [id, size, label]),
      [
        [0, 6, 'a0'],
        [1, 3, 'b0'],
      ],
    );
    assert.equal(answer.communities[0].top.length, 2);
    assert.equal(answer.communities[0].top[0], 'a0.md');
    assert.equal(answer.total, 2);
    assert.equal(answer.single_notes, 1);
    // 21 + 6 directed links; all of them inside: 1 - (42/54)^2 - (12/54)^2.
    assert.ok(Math.abs(answer.modularity - (1 - (42 / 54) ** 2 - (12 / 54) ** 2)) < 1e-12);
    const all = await ask(getCommunities, { members: 100 });
    assert.equal(all.communities[0].top.length, 6);
  }));

test('paging returns every cluster once, and a cursor of another query is rejected', () => {
  const files = Object.assign({}, ...Array.from({ length: 7 }, (_, at) => clique(`k${at}x`, 3)));
  return withTools(files, async (under) => {
    const communities = await everyPage(under, getCommunities, {}, 'communities', 2);
    assertEach(communities, ({ id }) => id, [0, 1, 2, 3, 4, 5, 6]);
    const { next_cursor: cursor } = await under.ask(getCommunities, { limit: 2 });
    await under.refusal(getCommunities, { members: 3, cursor }, 'INVALID_INPUT');
  });
});

test('an empty vault has no clusters', () =>
  withTools({}, async ({ ask }) => {
    assert.deepEqual(await ask(getCommunities), { communities: [], total: 0, single_notes: 0, modularity: 0 });
  }));
