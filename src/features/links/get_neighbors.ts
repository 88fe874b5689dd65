// The notes around a note, and the sentences in which they are linked.
import * as z from 'zod';
import type { Graph } from '../../base/graph.ts';
import { fileKindOf, type NotePath } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { Page } from '../../contracts/note-filter.ts';
import type { ResolvedLink, Store } from '../../contracts/store.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { type Direction, type Neighbor, neighborhood } from '../../graph/neighborhood.ts';
import { createSuggest } from '../notes/name-index.ts';
import { REFERENCE_FAILURES, resolveNote } from '../notes/note-reference.ts';
import { EVERY_LINK, matchView, titleBeside } from '../notes/note-view.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { nodeOf } from './note-graph.ts';
import { sentencesOf } from './sentences.ts';

/** Beyond so many names that lead nowhere a note is a list of plans, and suggestions for all cost too much. */
const MAX_SUGGESTIONS = 20;

const input = z.strictObject({
  note: z.string().min(1),
  direction: z.enum(['in', 'out', 'both']).default('both'),
  depth: z.int().min(1).max(3).default(1),
  ...pageShape,
});
const paging = createPaging('get_neighbors', input.shape);

export const getNeighbors = defineTool({
  name: 'get_neighbors',
  summary: 'Notes linked from and to a note, with the sentence each link stands in, and its unresolved links.',
  effect: 'reads',
  needs: ['store', 'vault'],
  index: 'part',
  fails: [...REFERENCE_FAILURES, 'INVALID_INPUT'],
  input,
  run: async (given, granted, call) => {
    const page = paging.pageOf(given);
    const { path, match } = await resolveNote(given.note, 'note', granted, call.signal);
    const around = given.depth === 1 ? directNeighbors : widerNeighbors;
    const found = await around({ path, ...given }, page, granted.store, call.signal);
    const isFirst = page.offset === 0 && given.direction !== 'in';
    const unresolved = isFirst ? await unresolvedOf(path, granted, call) : [];
    const sentences = await sentencesOf([...linksIn(found), ...unresolved], granted.vault, call);
    return {
      path,
      match,
      neighbors: await neighborViews(found, sentences, granted, call),
      total: found.total,
      ...(isFirst ? { unresolved: await unresolvedViews(unresolved, sentences, granted, call) } : {}),
      ...paging.next(given, page, { shown: found.neighbors.length, total: found.total }),
    };
  },
});

const linksIn = ({ neighbors }: Neighbors) => neighbors.flatMap(({ links }) => links.map(({ link }) => link));

async function unresolvedOf(path: NotePath, { store }: Granted<'store'>, { signal }: CallContext) {
  const links = await store.links(path, 'out', EVERY_LINK, signal);
  return links.filter(({ target }) => target === null);
}

async function neighborViews(
  { neighbors }: Neighbors,
  sentences: ReadonlyMap<ResolvedLink, string>,
  { store }: Granted<'store'>,
  { signal }: CallContext,
) {
  const paths = neighbors.map(({ path }) => path);
  const titles = new Map((await store.notes(paths, signal)).map(({ path, title }) => [path, title]));
  return neighbors.map((neighbor) => {
    const kind = fileKindOf(neighbor.path);
    return {
      path: neighbor.path,
      ...titleBeside(neighbor.path, titles.get(neighbor.path)),
      ...(kind === 'note' ? {} : { kind }),
      depth: neighbor.depth,
      links: neighbor.links.map((link) => linkView(link, neighbor, sentences)),
    };
  });
}

/** `line` counts in the note that holds the link: the neighbour where the link comes in, the nearer note where it goes out. */
function linkView(
  { link, direction }: LinkedNeighbor['links'][number],
  { depth }: LinkedNeighbor,
  sentences: ReadonlyMap<ResolvedLink, string>,
) {
  return {
    direction,
    line: link.line,
    column: link.column,
    text: link.display,
    ...(sentences.has(link) ? { sentence: sentences.get(link) } : {}),
    ...matchView(link),
    ...(depth === 1 ? {} : { via: direction === 'out' ? link.source : link.target }),
  };
}

async function unresolvedViews(
  links: readonly ResolvedLink[],
  sentences: ReadonlyMap<ResolvedLink, string>,
  { store }: Granted<'store'>,
  { signal }: CallContext,
) {
  const suggest = createSuggest(store, signal);
  const views: object[] = [];
  for (const [at, link] of links.entries()) {
    const suggestion = at < MAX_SUGGESTIONS ? await suggest(link.targetPath) : {};
    const sentence = sentences.has(link) ? { sentence: sentences.get(link) } : {};
    views.push({ name: link.targetPath, line: link.line, column: link.column, ...sentence, ...suggestion });
  }
  return views;
}

interface LinkedNeighbor {
  readonly path: NotePath;
  readonly depth: number;
  /** `out` where following the link leads away from the start. */
  readonly links: readonly { readonly link: ResolvedLink; readonly direction: 'in' | 'out' }[];
}

interface Neighbors {
  readonly neighbors: readonly LinkedNeighbor[];
  readonly total: number;
}

interface Around {
  readonly path: NotePath;
  readonly direction: Direction;
  readonly depth: number;
}

/**
 * What the note links to, in the order of its text, then what else links to it, by path; links of a note to itself are no
 * neighbours. Costs as much as the note has links, whatever the vault's size.
 */
async function directNeighbors(around: Around, page: Page, store: Store, signal: AbortSignal): Promise<Neighbors> {
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
async function widerNeighbors(around: Around, page: Page, store: Store, signal: AbortSignal): Promise<Neighbors> {
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
