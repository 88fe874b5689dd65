// Computes node positions with a force-directed layout.
// @ts-expect-error: this part of the package has no types.
import iterate from 'graphology-layout-forceatlas2/iterate.js';
import type { Shape } from './shape.ts';

type Iterate = (settings: object, nodes: Float32Array, edges: Float32Array) => unknown;

/** Numbers per node and per link in the package's tables. */
const [NODE_ROW, LINK_ROW] = [10, 3];
const MASS = 6;
const CONVERGENCE = 7;
const SIZE = 8;
const FIXED = 9;

/** With more nodes than this, repulsion of far nodes is approximated by their centre (Barnes-Hut). */
const MANY_NODES = 400;
/** With more than this, less precisely, which takes two thirds of the time. */
const MANY_MORE_NODES = 3_000;

/** @param places initial positions, two numbers per node. @param kept 1 for each node that stays where it is; by default all move */
export function createLayout(shape: Shape, places: Float32Array, kept?: Uint8Array) {
  const linked = [...shape.degrees.keys()].filter((node) => (shape.degrees[node] ?? 0) > 0);
  const nodes = nodeTable(linked, shape, places);
  for (const [row, node] of linked.entries()) nodes[row * NODE_ROW + FIXED] = kept?.[node] ?? 0;
  const links = linkTable(linked, shape);
  const settings = settingsFor(linked.length);
  return Object.freeze({
    /** Runs some steps of the layout. */
    advance: (steps: number) => {
      for (let step = 0; step < steps && linked.length > 1; step++) (iterate as Iterate)(settings, nodes, links);
    },
    /** Two numbers per node; a node's share of the plane is about 1. Nodes without links form rings around the others. */
    places: () => (kept === undefined ? placesOf(linked, nodes, shape) : movedPlaces(linked, nodes, places, kept)),
  });
}

/** Steps after which no visible change remains; large graphs come to rest in fewer, because their groups begin apart. */
export function enoughSteps({ count }: Shape): number {
  if (count < 500) return 600;
  if (count < 3_000) return 400;
  return count < 7_000 ? 200 : 80;
}

/** Around places that are kept, in their scale. */
function movedPlaces(
  linked: readonly number[],
  nodes: Float32Array,
  start: Float32Array,
  kept: Uint8Array,
): Float32Array {
  const places = start.slice();
  for (const [row, node] of linked.entries()) {
    if (kept[node] === 1) continue;
    for (const axis of [0, 1]) places[node * 2 + axis] = (nodes[row * NODE_ROW + axis] ?? 0) / UNIT;
  }
  return places;
}

function settingsFor(count: number): object {
  return {
    linLogMode: false,
    outboundAttractionDistribution: true,
    adjustSizes: false,
    edgeWeightInfluence: 1,
    scalingRatio: 2,
    strongGravityMode: true,
    gravity: 0.06,
    slowDown: 1 + Math.log(Math.max(count, 2)),
    barnesHutOptimize: count > MANY_NODES,
    barnesHutTheta: count > MANY_MORE_NODES ? 1 : 0.7,
  };
}

function nodeTable(linked: readonly number[], { degrees }: Shape, places: Float32Array): Float32Array {
  const table = new Float32Array(linked.length * NODE_ROW);
  for (const [row, node] of linked.entries()) {
    const at = row * NODE_ROW;
    table.set(
      places.subarray(node * 2, node * 2 + 2).map((place) => place * UNIT),
      at,
    );
    table[at + MASS] = 1 + (degrees[node] ?? 0);
    table[at + CONVERGENCE] = 1;
    table[at + SIZE] = 1;
  }
  return table;
}

/** The approximate distance of neighbours at rest. */
const UNIT = 6;

function linkTable(linked: readonly number[], { pairs, groups }: Shape): Float32Array {
  const rows = new Map(linked.map((node, row) => [node, row * NODE_ROW]));
  const table = new Float32Array((pairs.length / 2) * LINK_ROW);
  for (let pair = 0; pair < pairs.length; pair += 2) {
    const [one = 0, other = 0] = pairs.subarray(pair, pair + 2);
    const weight = groups[one] === groups[other] ? 1 : BETWEEN_GROUPS;
    table.set([rows.get(one) ?? 0, rows.get(other) ?? 0, weight], (pair / 2) * LINK_ROW);
  }
  return table;
}

/** A link within a group has weight 1, so that groups are visible. */
const BETWEEN_GROUPS = 0.25;

function placesOf(linked: readonly number[], nodes: Float32Array, shape: Shape): Float32Array {
  const inner = new Float32Array(linked.length * 2);
  for (let row = 0; row < linked.length; row++) inner.set(nodes.subarray(row * NODE_ROW, row * NODE_ROW + 2), row * 2);
  const spread = spreadApart(toUnit(inner));
  const places = new Float32Array(shape.count * 2);
  for (const [row, node] of linked.entries()) places.set(spread.subarray(row * 2, row * 2 + 2), node * 2);
  const alone = [...shape.degrees.keys()].filter((node) => shape.degrees[node] === 0);
  const rings = ringPlaces(alone.length, spread);
  for (const [row, node] of alone.entries()) places.set(rings.subarray(row * 2, row * 2 + 2), node * 2);
  return places;
}

/** Centres the layout and scales it so that most nodes are within a circle of twice their shares of the plane. */
function toUnit(places: Float32Array): Float32Array {
  const count = places.length / 2;
  if (count === 0) return places;
  const centre = [0, 1].map((axis) => mean(places, axis));
  const distances = Float32Array.from({ length: count }, (_, node) =>
    Math.hypot((places[node * 2] ?? 0) - (centre[0] ?? 0), (places[node * 2 + 1] ?? 0) - (centre[1] ?? 0)),
  ).sort();
  const most = distances[Math.floor(count * 0.9)] || distances.at(-1) || 1;
  const scale = Math.sqrt((2 * count) / Math.PI) / most;
  return places.map((place, at) => (place - (centre[at % 2] ?? 0)) * scale);
}

function mean(places: Float32Array, axis: number): number {
  let sum = 0;
  for (let at = axis; at < places.length; at += 2) sum += places[at] ?? 0;
  return sum / (places.length / 2);
}

const SPACING = 1.15;
const GAP = 1.6;
/** Few nodes without links are placed together below the graph. */
const WIDEST_STEP = 1.9;

/** Two numbers per node. Without inner nodes the rings fill a disc. @param inner positions of the linked nodes */
function ringPlaces(count: number, inner: Float32Array): Float32Array {
  const places = new Float32Array(count * 2);
  let radius = inner.length === 0 ? 0 : reachOf(inner) + GAP;
  for (let placed = 0; placed < count; radius += SPACING) {
    const room = Math.max(1, Math.floor((2 * Math.PI * radius) / SPACING));
    const here = Math.min(room, count - placed);
    const step = Math.min((2 * Math.PI) / here, WIDEST_STEP / Math.max(radius, 1));
    for (let at = 0; at < here; at++, placed++) {
      const angle = (at - (here - 1) / 2) * step - Math.PI / 2;
      places.set([radius * Math.cos(angle), radius * Math.sin(angle)], placed * 2);
    }
  }
  return places;
}

function reachOf(places: Float32Array): number {
  let reach = 0;
  for (let at = 0; at < places.length; at += 2)
    reach = Math.max(reach, Math.hypot(places[at] ?? 0, places[at + 1] ?? 0));
  return reach;
}

/** Nodes closer than this overlap; a node's share of the plane is about 1. Small graphs have larger discs. */
const NEAREST = { few: 1, many: 0.62 };
const FEW = 400;
const ROUNDS = 8;

/** Returns new positions, two numbers per node; deterministic. */
function spreadApart(start: Float32Array): Float32Array {
  const places = start.slice();
  const nearest = places.length / 2 < FEW ? NEAREST.few : NEAREST.many;
  for (let round = 0; round < ROUNDS; round++) {
    const cells = cellsOf(places);
    for (let node = 0; node < places.length / 2; node++) pushNeighbours(node, places, cells, nearest);
  }
  return places;
}

const cellOf = (place: number): number => Math.floor(place / NEAREST.few);
const keyOf = (x: number, y: number): number => (x + 32_768) * 65_536 + (y + 32_768);

function cellsOf(places: Float32Array): ReadonlyMap<number, readonly number[]> {
  const nodes = Array.from({ length: places.length / 2 }, (_, node) => node);
  return Map.groupBy(nodes, (node) => keyOf(cellOf(places[node * 2] ?? 0), cellOf(places[node * 2 + 1] ?? 0)));
}

function pushNeighbours(
  node: number,
  places: Float32Array,
  cells: ReadonlyMap<number, readonly number[]>,
  nearest: number,
): void {
  const [x, y] = [cellOf(places[node * 2] ?? 0), cellOf(places[node * 2 + 1] ?? 0)];
  for (let dx = -1; dx <= 1; dx++)
    for (let dy = -1; dy <= 1; dy++)
      for (const other of cells.get(keyOf(x + dx, y + dy)) ?? []) if (other > node) push(node, other, places, nearest);
}

function push(one: number, other: number, places: Float32Array, nearest: number): void {
  const dx = (places[other * 2] ?? 0) - (places[one * 2] ?? 0);
  const dy = (places[other * 2 + 1] ?? 0) - (places[one * 2 + 1] ?? 0);
  const distance = Math.hypot(dx, dy);
  if (distance >= nearest) return;
  // Nodes at the same point move apart by an angle that depends on their index.
  const angle = distance > 1e-6 ? Math.atan2(dy, dx) : one * 2.4 + other;
  const step = (nearest - distance) / 2;
  const [sx, sy] = [step * Math.cos(angle), step * Math.sin(angle)];
  places.set([(places[one * 2] ?? 0) - sx, (places[one * 2 + 1] ?? 0) - sy], one * 2);
  places.set([(places[other * 2] ?? 0) + sx, (places[other * 2 + 1] ?? 0) + sy], other * 2);
}
