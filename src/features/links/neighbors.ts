// A page of the notes around a note with the links that join them, near or wide.
import type { Graph } from '../../base/graph.ts';
import { fileKindOf, type NotePath } from '../../base/note.ts';
import type { Page } from '../../contracts/note-filter.ts';
import type { ResolvedLink, Store } from '../../contracts/store.ts';
import { type Direction, type Neighbor, neighborhood } from '../../graph/neighborhood.ts';
import { EVERY_LINK } from '../notes/linked-notes.ts';
import { nodeOf } from './graph-node.ts';

export interface LinkedNeighbor {
  readonly path: NotePath;
  readonly depth: number;
  /** `out` where following the link leads away from the start. */
  readonly links: readonly { readonly link: ResolvedLink; readonly direction: 'in' | 'out' }[];
}

export interface Neighbors {
  readonly neighbors: readonly LinkedNeighbor[];
  readonly total: number;
}

export interface Around {
  readonly path: NotePath;
  readonly direction: Direction;
  readonly depth: number;
}

/**
 * What the note links to, in the order of its text, then what else links to it, by path; links of a note to itself are no
 * neighbours. Costs as much as the note has links, whatever the vault's size.
 */
export async function directNeighbors(
  around: Around,
  page: Page,
  store: Store,
  signal: AbortSignal,
): Promise<Neighbors> {
  const { path, direction } = around;
  const out = direction === 'in' ? [] : await store.links(path, 'out', EVERY_LINK, signal);
  const incoming = direction === 'out' ? [] : await store.links(path, 'in', EVERY_LINK, signal);
  const byPath = new Map<NotePath, LinkedNeighbor['links'][number][]>();
  for (const link of out) add(byPath, link.target, { link, direction: 'out' });
  for (const link of incoming) add(byPath, link.source, { link, direction: 'in' });
  byPath.delete(path);
  const all = [...byPath].map(([neighbor, links]) => ({ path: neighbor, depth: 1, links }));
  return { neighbors: all.slice(page.offset, page.offset + page.limit), total: all.length };
}

function add<T>(lists: Map<NotePath, T[]>, path: NotePath | null, item: T): void {
  if (path === null) return;
  const list = lists.get(path);
  if (list === undefined) lists.set(path, [item]);
  else list.push(item);
}

/** Nearest first, then by path; the attachments that the note itself links to stand last, for the graph has none. */
export async function widerNeighbors(
  around: Around,
  page: Page,
  store: Store,
  signal: AbortSignal,
): Promise<Neighbors> {
  const graph = await store.graph(signal);
  const start = nodeOf(graph, around.path);
  if (start === undefined) return directNeighbors(around, page, store, signal);
  const attached = around.direction === 'in' ? [] : await attachmentsOf(around.path, store, signal);
  const found = neighborhood(graph, start, { ...around, ...page });
  const neighbors = await withLinks(graph, found.neighbors, store, signal);
  const from = Math.max(0, page.offset - found.total);
  const room = page.limit - neighbors.length;
  return {
    neighbors: [...neighbors, ...attached.slice(from, from + room)],
    total: found.total + attached.length,
  };
}

async function attachmentsOf(path: NotePath, store: Store, signal: AbortSignal): Promise<readonly LinkedNeighbor[]> {
  const around = { path, direction: 'out', depth: 1 } as const;
  const { neighbors } = await directNeighbors(around, EVERY_LINK, store, signal);
  return neighbors.filter((neighbor) => fileKindOf(neighbor.path) === 'attachment');
}

async function withLinks(
  { paths }: Graph,
  neighbors: readonly Neighbor[],
  store: Store,
  signal: AbortSignal,
): Promise<LinkedNeighbor[]> {
  const pathOf = (node: number): NotePath => paths[node] as NotePath;
  const edges = neighbors.flatMap((neighbor) => neighbor.edges);
  const pairs = edges.map(({ source, target }) => ({ source: pathOf(source), target: pathOf(target) }));
  const links = Map.groupBy(await store.linksBetween(pairs, signal), ({ source, target }) => `${source}\0${target}`);
  return neighbors.map(({ node, depth, edges: nearer }) => ({
    path: pathOf(node),
    depth,
    links: nearer.flatMap(({ source, target, direction }) =>
      (links.get(`${pathOf(source)}\0${pathOf(target)}`) ?? []).map((link) => ({ link, direction })),
    ),
  }));
}
