// Moves nodes that stand on top of each other apart, and leaves the others where they are. Knows no graph.

/** Nodes closer than this hide each other; a node's share of the plane is about 1. The few have larger discs than the many. */
const NEAREST = { few: 1, many: 0.62 };
const FEW = 400;
const ROUNDS = 8;

/** A new list of two numbers a node; the same for the same places. */
export function spreadApart(given: Float32Array): Float32Array {
  const places = given.slice();
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
  // What stands on the very same point goes apart by an angle that depends on who it is.
  const angle = distance > 1e-6 ? Math.atan2(dy, dx) : one * 2.4 + other;
  const step = (nearest - distance) / 2;
  const [sx, sy] = [step * Math.cos(angle), step * Math.sin(angle)];
  places.set([(places[one * 2] ?? 0) - sx, (places[one * 2 + 1] ?? 0) - sy], one * 2);
  places.set([(places[other * 2] ?? 0) + sx, (places[other * 2 + 1] ?? 0) + sy], other * 2);
}
