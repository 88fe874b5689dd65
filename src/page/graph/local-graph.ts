// The local graph of one note: the notes within some links of it, laid out by themselves.
import { createLayout } from '../../picture/layout.ts';
import { seedPlaces } from '../../picture/seed-places.ts';
import type { Shape } from '../../picture/shape.ts';
import type { Model } from '../source/model.ts';
import { looseOf } from '../source/unresolved.ts';
import type { ViewState } from '../view-state.ts';

export const MAX_DEPTH = 5;
/** More notes keep their places of the whole graph, because a layout would take too long. */
const MAX_LAID_OUT = 800;
const STEPS = 300;
/** Milliseconds of layout between two moments in which the page can answer. */
const SLICE_MS = 8;

/** The notes of the local graph that the view asks for; undefined if it shows the whole graph. */
export function localNodes(model: Model, { local, selected, depth }: ViewState): ReadonlySet<number> | undefined {
  if (!local || selected === undefined) return undefined;
  const node = model.nodes.get(selected);
  if (node !== undefined) return within(model, [node], depth);
  const loose = looseOf(model.picture, selected);
  return loose === undefined ? undefined : within(model, loose.sources, depth - 1);
}

function within({ around }: Model, from: readonly number[], depth: number): ReadonlySet<number> {
  const reached = new Set(from);
  let edge = from;
  for (let step = 0; step < depth && edge.length > 0; step++) {
    edge = [...new Set(edge.flatMap((node) => around[node] ?? []))].filter((node) => !reached.has(node));
    for (const node of edge) reached.add(node);
  }
  return reached;
}

/**
 * Two numbers per note of the whole graph; those of other notes are as given.
 * @param isAsked false ends the work early
 */
export async function localPlaces(
  model: Model,
  nodes: ReadonlySet<number>,
  places: Float32Array,
  isAsked: () => boolean,
): Promise<Float32Array> {
  const inside = [...nodes];
  if (inside.length > MAX_LAID_OUT) return places;
  const shape = shapeAmong(model.shape, inside);
  const layout = createLayout(shape, seedPlaces(shape));
  for (let step = 0; step < STEPS && isAsked(); await letPageAnswer())
    for (const began = performance.now(); step < STEPS && performance.now() - began < SLICE_MS; step++)
      layout.advance(1);
  const laidOut = layout.places();
  const moved = places.slice();
  for (const [place, node] of inside.entries()) moved.set(laidOut.subarray(place * 2, place * 2 + 2), node * 2);
  return moved;
}

const letPageAnswer = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

function shapeAmong({ pairs, groups }: Shape, own: readonly number[]): Shape {
  const places = new Map(own.map((node, place) => [node, place]));
  const degrees = new Uint32Array(own.length);
  const among: number[] = [];
  for (let at = 0; at < pairs.length; at += 2) {
    const [one, other] = [places.get(pairs[at] ?? -1), places.get(pairs[at + 1] ?? -1)];
    if (one === undefined || other === undefined) continue;
    among.push(one, other);
    for (const end of [one, other]) degrees[end] = (degrees[end] ?? 0) + 1;
  }
  return {
    count: own.length,
    pairs: Uint32Array.from(among),
    degrees,
    groups: Int32Array.from(own, (node) => groups[node] ?? -1),
  };
}
