// Checks the drawing of a graph: deterministic positions, sizes and colours, and an SVG that is valid with any title.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { GraphPicture } from '../../src/contracts/graph-picture.ts';
import { createLayout } from '../../src/picture/layout.ts';
import { groupColour, mixed, PALETTES } from '../../src/picture/palette.ts';
import { seedPlaces } from '../../src/picture/seed-places.ts';
import { radii, shapeOf } from '../../src/picture/shape.ts';
import { svgOf } from '../../src/picture/svg.ts';
import { runs } from '../runner/effort.ts';

/** @param links pairs of indexes */
function pictureOf(
  titles: readonly string[],
  links: readonly (readonly [number, number])[],
  groups: readonly number[] = [],
): GraphPicture {
  const notes = titles.map((title, at) => ({
    ...{ path: `n${at}.md`, title, kind: 'note', tags: [], date: '2026-11-20' },
    ...{ rank: 1 / (at + 1), group: groups[at] ?? -1 },
  }));
  return {
    ...{ vault: 'v', folder: 'v', revision: 1, notes, links: links.flatMap(([one, other]) => [one, other, 1]) },
    ...{ unresolved: [], unresolvedTotal: 0, groups: [], files: [] },
  };
}

const distance = (places: Float32Array, one: number, other: number): number =>
  Math.hypot(
    (places[one * 2] ?? 0) - (places[other * 2] ?? 0),
    (places[one * 2 + 1] ?? 0) - (places[other * 2 + 1] ?? 0),
  );

/** Two rings of ten, connected by one link, and two notes without links. */
const ring = (from: number): [number, number][] =>
  Array.from({ length: 10 }, (_, at) => [from + at, from + ((at + 1) % 10)]);
const RINGS = pictureOf(
  Array.from({ length: 22 }, (_, at) => `t${at}`),
  [...ring(0), ...ring(10), [0, 10], [10, 0], [3, 3]],
  Array.from({ length: 22 }, (_, at) => (at < 20 ? Math.floor(at / 10) : -1)),
);

test('a shape contains each linked pair once, and no note linked to itself', () => {
  const { pairs, degrees } = shapeOf(RINGS);
  assert.equal(pairs.length / 2, 21);
  assert.deepEqual([degrees[0], degrees[1], degrees[3], degrees[20]], [3, 2, 2, 0]);
});

test('the initial layout is deterministic and keeps groups apart', () => {
  const shape = shapeOf(RINGS);
  const places = seedPlaces(shape);
  assert.deepEqual(places, seedPlaces(shape));
  assert.ok(distance(places, 0, 5) < distance(places, 0, 15));
});

test('layout: neighbours are close, notes without links are outside, no notes overlap, and the result is deterministic', () => {
  const shape = shapeOf(RINGS);
  const run = (): Float32Array => {
    const layout = createLayout(shape, seedPlaces(shape));
    layout.advance(300);
    return layout.places();
  };
  const places = run();
  assert.deepEqual(places, run());
  assert.ok(distance(places, 1, 2) < distance(places, 1, 15));
  const far = (node: number): number => Math.hypot(places[node * 2] ?? 0, places[node * 2 + 1] ?? 0);
  for (let node = 0; node < 20; node++) assert.ok(far(node) < far(20) && far(node) < far(21));
  for (let one = 0; one < 22; one++)
    for (let other = 0; other < one; other++) assert.ok(distance(places, one, other) > 0.3);
});

test('any graph gets finite positions', () =>
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 40 }),
      fc.array(fc.tuple(fc.nat(39), fc.nat(39)), { maxLength: 80 }),
      fc.array(fc.integer({ min: -1, max: 4 }), { maxLength: 40 }),
      (count, links, groups) => {
        const titles = Array.from({ length: count }, () => 't');
        const inside = links.filter(([one, other]) => one < count && other < count);
        const shape = shapeOf(pictureOf(titles, inside, groups));
        const layout = createLayout(shape, seedPlaces(shape));
        layout.advance(20);
        const places = layout.places();
        assert.equal(places.length, count * 2);
        assert.ok(places.every(Number.isFinite));
      },
    ),
    { numRuns: runs(60) },
  ));

test('sizes follow the scores within limits; equal scores give equal sizes', () => {
  const sizes = radii([0.1, 0.4, 0.9]);
  assert.ok((sizes[0] ?? 0) > 1 && (sizes[0] ?? 0) < (sizes[1] ?? 0) && (sizes[1] ?? 0) < (sizes[2] ?? 0));
  assert.ok((sizes[2] ?? 0) <= 24);
  assert.equal(new Set(radii([2, 2, 2])).size, 1);
  assert.equal(radii([]).length, 0);
});

/** Relative luminance as defined by WCAG. */
function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (r ?? 0) + 0.7152 * (g ?? 0) + 0.0722 * (b ?? 0);
}

const contrast = (one: string, other: string): number => {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return ((high ?? 0) + 0.05) / ((low ?? 0) + 0.05);
};

/** The share of green that replaces red, and what is added to blue, for vision without red or green cones. */
const BLIND = { red: [0.88762, 0.00401], green: [0.70725, -0.02234] } as const;

/** The colour as seen by such eyes, after Viénot, Brettel and Mollon, in linear light. */
function seenBy(colour: string, [share, shift]: readonly [number, number]): number[] {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => (Number.parseInt(colour.slice(at, at + 2), 16) / 255) ** 2.2);
  const [both, blue] = [(1 - share) * r + share * g, shift * r - shift * g + b];
  return [both, both, blue].map((part) => Math.max(0, part) ** (1 / 2.2) * 255);
}

test('colours contrast with the background, and with each other for colour-blind vision too', () => {
  for (const { paper, ink, groups, accent } of Object.values(PALETTES)) {
    assert.ok(contrast(ink, paper) > 7);
    assert.ok(contrast(accent, paper) > 4.5);
    for (const colour of groups) assert.ok(contrast(colour, paper) > 1.9, colour);
    for (const eyes of Object.values(BLIND))
      for (const [at, one] of groups.entries())
        for (const other of groups.slice(0, at)) {
          const [a, b] = [seenBy(one, eyes), seenBy(other, eyes)];
          const apart = Math.hypot(...a.map((part, place) => part - (b[place] ?? 0)));
          assert.ok(apart > 30, `${one} and ${other}: ${apart}`);
        }
  }
});

test('groups beyond the available colours are paler, then grey', () => {
  const { light } = PALETTES;
  const colours = Array.from({ length: light.groups.length * 2 }, (_, group) => groupColour(group, light));
  assert.equal(new Set(colours).size, colours.length);
  assert.equal(groupColour(colours.length, light), light.other);
  assert.equal(groupColour(-1, light), light.other);
  assert.equal(mixed('#ff0000', '#0000ff', 0.5), '#800080');
});

test('an SVG contains every note and pair, and escapes every title', () => {
  const titles = ['<script>alert(1)</script>', '"><b>', ']]>&amp;', 'x\u0000\ud800y', '', '\u202e'];
  const picture = pictureOf(titles, [
    [0, 1],
    [1, 0],
    [1, 2],
  ]);
  const shape = shapeOf(picture);
  const svg = [...svgOf(picture, shape, seedPlaces(shape), PALETTES.light)].join('');
  assert.equal(svg.match(/<circle /g)?.length, titles.length);
  assert.equal(svg.match(/<path /g)?.length, 2);
  assert.doesNotMatch(svg, /<script|<b>|NaN|undefined/);
  assert.ok(svg.isWellFormed() && !svg.includes('\u0000'));
  assert.ok(svg.includes('&lt;script&gt;'));
  const names = new Set([...svg.matchAll(/<\/?([a-zA-Z]+)/g)].map(([, name]) => name));
  assert.deepEqual([...names].sort(), ['circle', 'g', 'path', 'rect', 'svg', 'text', 'title']);
  const empty = pictureOf([], []);
  assert.match(
    [...svgOf(empty, shapeOf(empty), new Float32Array(), PALETTES.dark)].join(''),
    /^<svg [\s\S]*<\/svg>\n$/,
  );
});
