import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Link, NotePath } from '../../../src/base/note.ts';
import { createRandom } from '../../../src/graph/centrality.ts';
import { movedPlaces } from '../../../src/markdown/links/moved-places.ts';

test('each link is found closest to its old line, whatever its kind, or is gone', () => {
  const text = '[[A]]\n\n[a][r] and ![[A]]\n\nThen [[A]] again.\n\n[r]: A.md\n';
  const sought: Pick<Link, 'kind' | 'link' | 'line'>[] = [
    { kind: 'wikilink', link: 'A', line: 2 },
    { kind: 'wikilink', link: 'A', line: 9 },
    { kind: 'embed', link: 'A', line: 1 },
    { kind: 'reference', link: 'A.md', line: 1 },
    { kind: 'wikilink', link: 'B', line: 1 },
  ];
  const places = movedPlaces({ path: 'N.md' as NotePath, text, links: sought });
  const found = places.map((place) => place && text.slice(place.offset, place.end));
  assert.deepEqual(found, ['[[A]]', '[[A]]', '![[A]]', '[a][r]', undefined]);
  assert.deepEqual([places[0]?.offset, places[1]?.offset], [0, text.lastIndexOf('[[A]]')]);
});

test('the closest of many links of one name is found as by comparing all, without comparing all', () => {
  const random = createRandom(7);
  const lines = Array.from({ length: 60 }, () => '[[A]] '.repeat(Math.floor(random() * 3)));
  const text = lines.join('\n');
  const there = lines.flatMap((line, at) => [...line.matchAll(/\[\[A/g)].map(() => at + 1));
  for (let line = 1; line <= 70; line += 1) {
    const [place] = movedPlaces({ path: 'N.md' as NotePath, text, links: [{ kind: 'wikilink', link: 'A', line }] });
    const found = text.slice(0, place?.offset).split('\n').length;
    assert.equal(Math.abs(found - line), Math.min(...there.map((one) => Math.abs(one - line))), `line ${line}`);
  }
  const many = 40_000;
  const links = Array.from({ length: many }, (_, at) => ({ kind: 'wikilink' as const, link: 'A', line: at + 2 }));
  const [few, all] = [links.slice(0, 1), links].map((sought) => {
    const before = process.cpuUsage();
    movedPlaces({ path: 'N.md' as NotePath, text: '[[A]]\n'.repeat(many), links: sought });
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  // Comparing all took 30 times as long as parsing.
  assert.ok((all as number) < 6 * (few as number), `${all} against ${few} of processor time`);
});
