// get_hubs over a real vault: four measures checked by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getHubs } from '../../../src/tools/links/get_hubs.ts';
import { withTools } from '../tools-under-test.ts';

const FILES = { 'a.md': '[[hub]] [[hub]]', 'b.md': '[[hub]]', 'hub.md': '[[c]]', 'sub/c.md': '[[d]]', 'sub/d.md': '' };

test('degrees count notes, not links', () =>
  withTools(FILES, async ({ ask }) => {
    assert.deepEqual(await ask(getHubs, { limit: 1 }), {
      metric: 'in_degree',
      hubs: [{ path: 'hub.md', score: 2 }],
      total: 3,
    });
    const { hubs } = await ask(getHubs, { metric: 'out_degree' });
    assert.deepEqual(
      hubs.map(({ path, score }: { path: string; score: number }) => [path, score]),
      [
        ['a.md', 1],
        ['b.md', 1],
        ['hub.md', 1],
        ['sub/c.md', 1],
      ],
    );
  }));

test('betweenness counts the chains through a note; PageRank adds up to 1', () =>
  withTools(FILES, async ({ ask }) => {
    const { hubs, sampled } = await ask(getHubs, { metric: 'betweenness' });
    assert.deepEqual(hubs, [
      { path: 'hub.md', score: 4 },
      { path: 'sub/c.md', score: 3 },
    ]);
    assert.equal(sampled, undefined);
    const ranked = await ask(getHubs, { metric: 'pagerank' });
    const sum = ranked.hubs.reduce((total: number, { score }: { score: number }) => total + score, 0);
    assert.ok(Math.abs(sum - 1) < 1e-6);
    assert.deepEqual(await ask(getHubs, { metric: 'pagerank' }), ranked);
  }));

test('many notes: betweenness is sampled and says how many notes were used', () => {
  const size = 2_600;
  const ring = Object.fromEntries(Array.from({ length: size }, (_, at) => [`n${at}.md`, `[[n${(at + 1) % size}]]`]));
  return withTools(ring, async ({ ask }) => {
    const { hubs, sampled } = await ask(getHubs, { metric: 'betweenness', limit: 2 });
    assert.equal(sampled, 500);
    assert.equal(hubs.length, 2);
  });
});

test('a folder filters the hubs, and a missing folder is warned about', () =>
  withTools(FILES, async ({ ask, refusal, warnings }) => {
    assert.deepEqual((await ask(getHubs, { folder: 'sub' })).hubs, [
      { path: 'sub/c.md', score: 1 },
      { path: 'sub/d.md', score: 1 },
    ]);
    assert.equal(warnings.length, 0);
    assert.deepEqual((await ask(getHubs, { folder: 'nix' })).hubs, []);
    assert.equal(warnings[0]?.code, 'FILTER_MATCHES_NOTHING');
    await refusal(getHubs, { folder: '../x' }, 'PATH_NOT_ALLOWED');
  }));
