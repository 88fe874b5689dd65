// Tool: the notes linked with a note, and the sentences that contain the links.
import * as z from 'zod';
import type { Graph } from '../../base/graph.ts';
import { fileKindOf, type NotePath } from '../../base/note.ts';
import type { Page } from '../../contracts/note-filter.ts';
import type { ResolvedLink, Store } from '../../contracts/store.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { type Direction, type Neighbor, neighborhood } from '../../graph/neighborhood.ts';
import { suggestNotes } from '../notes/name-index.ts';
import { REFERENCE_FAILURES, resolveNote } from '../notes/note-reference.ts';
import { EVERY_LINK, matchView, titleBeside } from '../notes/note-view.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { nodeOf } from './note-graph.ts';
import { sentencesOf } from './sentences.ts';

/** A note with more unresolved links is a list of plans, and suggestions for all of them would take too long. */
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
  summary: 'Notes linked from and to a note, with the sentence of each link, and its unresolved links.',
  effect: 'reads',
  needs: ['store', 'vault'],
  index: 'part',
  fails: [...REFERENCE_FAILURES, 'INVALID_INPUT'],
  input,
  run: async (args, granted, call) => {
    const { direction, depth } = args;
    const { store, vault } = granted;
    const page = paging.pageOf(args);
    const { path, match } = await resolveNote(args.note, 'note', granted, call);
    const outgoing = direction === 'in' ? [] : await store.links(path, 'out', EVERY_LINK, call.signal);
    const start = { path, direction, depth, outgoing };
    const { neighbors, total } = await neighborsOf(start, page, store, call.signal);
    const showsUnresolved = page.offset === 0 && direction !== 'in';
    const unresolved = showsUnresolved ? outgoing.filter(({ target }) => target === null) : [];
    const links = neighbors.flatMap((neighbor) => neighbor.links.map(({ link }) => link));
    const sentences = await sentencesOf([...links, ...unresolved], vault, call);
    return {
      path,
      match,
      neighbors: await neighborViews(neighbors, sentences, store, call),
      total,
      ...(showsUnresolved ? { unresolved: await unresolvedViews(unresolved, sentences, store, call) } : {}),
      ...paging.next(args, page, { shown: neighbors.length, total }),
    };
  },
});

interface LinkedNeighbor {
  readonly path: NotePath;
  readonly depth: number;
  /** `out` if following the link leads away from the start. */
  readonly links: readonly { readonly link: ResolvedLink; readonly direction: 'in' | 'out' }[];
}

interface NeighborPage {
  readonly neighbors: readonly LinkedNeighbor[];
  readonly total: number;
}

interface Start {
  readonly path: NotePath;
  readonly direction: Direction;
  readonly depth: number;
  /** The note's own links; empty for direction `in`. */
  readonly outgoing: readonly ResolvedLink[];
}

/** Nearest notes first, then by path; attachments come last, because the graph has no attachments. */
async function neighborsOf(start: Start, page: Page, store: Store, signal: AbortSignal): Promise<NeighborPage> {
  if (start.depth === 1) return directNeighbors(start, page, store, signal);
  const graph = await store.graph(signal);
  const node = nodeOf(graph, start.path);
  if (node === undefined) return directNeighbors(start, page, store, signal);
  const { neighbors, total } = neighborhood(graph, node, { ...start, ...page });
  const notes = await withLinks(graph, neighbors, store, signal);
  const attachments = groupedByNote(start.path, start.outgoing, []).filter(
    (neighbor) => fileKindOf(neighbor.path) === 'attachment',
  );
  const from = Math.max(0, page.offset - total);
  return {
    neighbors: [...notes, ...attachments.slice(from, from + page.limit - notes.length)],
    total: total + attachments.length,
  };
}

/** First the link targets in the order of the note's text, then the notes that link to it, by path. Reads no other notes. */
async function directNeighbors(
  { path, direction, outgoing }: Start,
  page: Page,
  store: Store,
  signal: AbortSignal,
): Promise<NeighborPage> {
  const incoming = direction === 'out' ? [] : await store.links(path, 'in', EVERY_LINK, signal);
  const all = groupedByNote(path, outgoing, incoming);
  return { neighbors: all.slice(page.offset, page.offset + page.limit), total: all.length };
}

/** Links of the note to itself and unresolved links are left out. */
function groupedByNote(
  path: NotePath,
  outgoing: readonly ResolvedLink[],
  incoming: readonly ResolvedLink[],
): LinkedNeighbor[] {
  const links = [
    ...outgoing.map((link) => ({ other: link.target, link, direction: 'out' as const })),
    ...incoming.map((link) => ({ other: link.source, link, direction: 'in' as const })),
  ];
  const groups = Map.groupBy(links, ({ other }) => other);
  return [...groups].flatMap(([other, group]) =>
    other === null || other === path ? [] : [{ path: other, depth: 1, links: group }],
  );
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

type Sentences = ReadonlyMap<ResolvedLink, string>;

async function neighborViews(
  neighbors: readonly LinkedNeighbor[],
  sentences: Sentences,
  store: Store,
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
      links: neighbor.links.map((link) => linkView(link, neighbor.depth, sentences)),
    };
  });
}

/** `line` is in the note that contains the link: the neighbor for `in`, the note nearer to the start for `out`. */
function linkView({ link, direction }: LinkedNeighbor['links'][number], depth: number, sentences: Sentences) {
  return {
    direction,
    line: link.line,
    column: link.column,
    text: link.display,
    ...sentenceField(link, sentences),
    ...matchView(link),
    ...(depth === 1 ? {} : { via: direction === 'out' ? link.source : link.target }),
  };
}

async function unresolvedViews(links: readonly ResolvedLink[], sentences: Sentences, store: Store, call: CallContext) {
  const names = links.slice(0, MAX_SUGGESTIONS).map(({ targetPath }) => targetPath);
  const suggestions = await suggestNotes(names, store, call);
  return links.map((link, at) => ({
    name: link.targetPath,
    line: link.line,
    column: link.column,
    ...sentenceField(link, sentences),
    ...(at < MAX_SUGGESTIONS ? suggestions.get(link.targetPath) : undefined),
  }));
}

function sentenceField(link: ResolvedLink, sentences: Sentences): { readonly sentence?: string } {
  const sentence = sentences.get(link);
  return sentence === undefined ? {} : { sentence };
}
