import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Link, NotePath } from '../../../src/base/note.ts';
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
