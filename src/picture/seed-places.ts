// Initial positions of nodes: each group is a disc, so that the first frame already shows structure.
import type { Shape } from './shape.ts';

/** The golden angle, which spreads points evenly. */
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
/** Share of the plane that the discs fill. */
const FILLED = 0.42;

/** Two numbers per node, x and y; a node's share of the plane is about 1. Deterministic for a shape. */
export function seedPlaces({ count, degrees, groups }: Shape): Float32Array {
  const places = new Float32Array(count * 2);
  let covered = 0;
  for (const [place, members] of discs(groups, degrees).entries()) {
    const radius = Math.sqrt(members.length / Math.PI);
    const share = (radius * radius) / FILLED;
    const distance = place === 0 ? 0 : Math.sqrt(covered + share);
    covered += share;
    const [x, y] = onSpiral(place, distance);
    for (const [turn, node] of members.entries()) {
      const [dx, dy] = onSpiral(turn, Math.sqrt((turn + 0.5) / Math.PI));
      places.set([x + dx, y + dy], node * 2);
    }
  }
  return places;
}

/** The nodes of each group, most linked first; nodes without a group come last. */
function discs(groups: Int32Array, degrees: Uint32Array): readonly number[][] {
  const byGroup = Map.groupBy(groups.keys(), (node) => groups[node] ?? -1);
  const order = [...byGroup.keys()].sort((a, b) => (a < 0 ? 1 : b < 0 ? -1 : a - b));
  return order.map((group) =>
    (byGroup.get(group) ?? []).toSorted((a, b) => (degrees[b] ?? 0) - (degrees[a] ?? 0) || a - b),
  );
}

const onSpiral = (turn: number, distance: number): [number, number] => [
  distance * Math.cos(turn * GOLDEN_ANGLE),
  distance * Math.sin(turn * GOLDEN_ANGLE),
];
