// The graph that is drawn: notes, unresolved names and files with their places, and the links between them.
import Graph from 'graphology';
import type { Model } from '../source/model.ts';
import { loosePlace, loosesOf } from '../source/unresolved.ts';

export interface Shown {
  readonly graph: Graph;
  readonly model: Model;
}

export function graphOf({ picture, shape }: Model): Graph {
  const graph = new Graph({ type: 'undirected', multi: false });
  const paths = picture.notes.map(({ path }) => path);
  for (const [node, { path, title }] of picture.notes.entries())
    graph.addNode(path, { node, label: title, x: 0, y: 0 });
  for (let at = 0; at < shape.pairs.length; at += 2) {
    const [one = 0, other = 0] = [shape.pairs[at], shape.pairs[at + 1]];
    graph.addUndirectedEdgeWithKey(String(at), paths[one], paths[other], { one, other });
  }
  for (const [turn, loose] of loosesOf(picture).entries()) {
    const { key, title, sources, kind } = loose;
    graph.mergeNode(key, { loose, turn, label: title, x: 0, y: 0 });
    for (const source of sources) graph.mergeUndirectedEdge(key, paths[source], { kind, source });
  }
  return graph;
}

/** Changes node attributes in place: an event per node would redraw everything each time. */
export function placeAll({ graph }: Shown, places: Float32Array, stretch: number, box?: ReadonlySet<number>): void {
  const isIn = (node: number): boolean => box?.has(node) !== false;
  graph.forEachNode((_key, attributes) => {
    const { node, loose, turn } = attributes;
    const [x, y] =
      node === undefined
        ? loosePlace(box === undefined ? loose.sources : loose.sources.filter(isIn), turn, places)
        : [places[node * 2] ?? 0, places[node * 2 + 1] ?? 0];
    Object.assign(attributes, { x: x * stretch, y });
  });
}

/** One note by itself is not drawn larger than it is. */
const MIN_BOX = 6;

export function boxAround(nodes: ReadonlySet<number>, places: Float32Array, stretch: number) {
  const [x, y] = [0, 1].map((axis): [number, number] => {
    const values = [...nodes].map((node) => (places[node * 2 + axis] ?? 0) * (axis === 0 ? stretch : 1));
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const more = Math.max(0, MIN_BOX - (most - least)) / 2;
    return [least - more, most + more];
  });
  return { x: x ?? [0, 1], y: y ?? [0, 1] };
}
