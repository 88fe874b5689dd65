// Checks what the page computes itself: title search, and paths between notes without a server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { GraphPicture } from '../../../src/contracts/graph-picture.ts';
import { shortestPath } from '../../../src/page/graph/chain.ts';
import { titleMatches } from '../../../src/page/panels/title-matches.ts';
import { hasTag, isInFolder, modelOf } from '../../../src/page/source/model.ts';
import { assertEach } from '../../assert-each.ts';

function pictureOf(
  notes: readonly (readonly [string, string, string[]?])[],
  links: readonly number[] = [],
): GraphPicture {
  return {
    ...{ vault: 'v', folder: 'v', revision: 1, links, unresolved: [], unresolvedTotal: 0, groups: [], files: [] },
    notes: notes.map(([path, title, tags = []], at) => ({
      path,
      title,
      tags,
      kind: 'note',
      rank: at / 100,
      group: -1,
      date: '2026-11-20',
    })),
  };
}

const MODEL = modelOf(
  pictureOf([
    ['a/Tide.md', 'Tide', ['#Sea/deep']],
    ['a/b/Low tide.md', 'Low tide', ['#sea']],
    ['Müller.md', 'Über Müller'],
    ['riptide.md', 'Riptide'],
    ['tide/Moon.md', 'Moon', ['#season']],
  ]),
);

test('titles that start with the query come first, then words, then substrings, then paths; accents and case are ignored', () => {
  assert.deepEqual(titleMatches('TIDE', MODEL, 9), ['a/Tide.md', 'a/b/Low tide.md', 'riptide.md', 'tide/Moon.md']);
  assert.deepEqual(titleMatches('uber mull', MODEL, 9), ['Müller.md']);
  assert.deepEqual(titleMatches('low moon', MODEL, 9), []);
  assert.equal(titleMatches('e', MODEL, 2).length, 2);
  assert.deepEqual(titleMatches('tide', undefined, 2), []);
});

test('an exact title or file name wins over more central notes', () => {
  const model = modelOf(
    pictureOf([
      ['Moon.md', 'Moon'],
      ['sun.md', 'The sun'],
      ['Moons.md', 'Moon of Mars'],
      ['Sunday.md', 'Sun and rest'],
    ]),
  );
  assert.equal(titleMatches('moon', model, 9)[0], 'Moon.md');
  assert.equal(titleMatches('Sun', model, 9)[0], 'sun.md');
});

test('folders and tags include their descendants', () => {
  assert.deepEqual(MODEL.folders, [
    ['a', 2],
    ['a/b', 1],
    ['tide', 1],
  ]);
  assert.deepEqual(new Map(MODEL.tags).get('#Sea'), 1);
  const [tide, low, , , moon] = MODEL.picture.notes;
  assert.ok(tide && low && moon);
  assertEach([tide, low, moon], (note) => hasTag(note, '#sea'), [true, true, false]);
  assertEach([tide, low, moon], (note) => isInFolder(note, 'a'), [true, true, false]);
  assert.equal(isInFolder(low, 'a/bb'), false);
});

test('a path follows links in either direction from start to end, and none is returned if none exists', () =>
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(7), fc.nat(7)), { maxLength: 14 }),
      fc.nat(7),
      fc.nat(7),
      (links, from, to) => {
        const notes = Array.from({ length: 8 }, (_, at) => [`${at}.md`, `${at}`] as const);
        const picture = pictureOf(
          notes,
          links.flatMap(([one, other]) => [one, other, 1]),
        );
        const chain = shortestPath(picture, from, to);
        const joined = (one?: number, other?: number) =>
          links.some(([a, b]) => (a === one && b === other) || (a === other && b === one));
        const reached = new Set([from]);
        for (let round = 0; round < 8; round++)
          for (const [a, b] of links) if (reached.has(a) || reached.has(b)) reached.add(a).add(b);
        if (!reached.has(to)) assert.deepEqual(chain, []);
        else {
          assert.deepEqual([chain[0], chain.at(-1)], [from, to]);
          for (let step = 1; step < chain.length; step++) assert.ok(joined(chain[step - 1], chain[step]));
          assert.equal(new Set(chain).size, chain.length);
        }
      },
    ),
  ));
