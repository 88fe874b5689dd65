// Tool: the notes linked with a note, and the sentences that contain the links.
import * as z from 'zod';
import type { Graph } from '../../base/graph.ts';
import { fileKindOf, type NotePath, noteName } from '../../base/note.ts';
import type { Page } from '../../contracts/note-filter.ts';
import type { ResolvedLink, Store } from '../../contracts/store.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { type Direction, type Neighbor, neighborhood } from '../../graph/neighborhood.ts';
import { showWindow, windowAround } from '../../markdown/excerpt/sentence.ts';
import { suggestNotes } from '../notes/name-index.ts';
import { noteArgument, RESOLVE_FAILURES, resolveNote } from '../notes/note-reference.ts';
import { excludedLast, matchView, titleBeside } from '../notes/note-view.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { excludedNotes } from '../notes/vault-filter.ts';
import { listedGraph, nodeOf } from './note-graph.ts';
import { type OutgoingLinks, outgoingLinks } from './outgoing-links.ts';
import { sentencesOf } from './sentences.ts';

interface Link {
  readonly direction: 'in' | 'out';
  readonly line: number;
  readonly text: string;
  readonly sentence?: string;
  readonly match?: string;
  readonly ambiguous_with?: readonly string[];
  readonly via?: string;
}

interface ShownNeighbor {
  readonly path: string;
  readonly depth: number;
  readonly links: readonly Link[];
}

interface Broken {
  readonly name: string;
  readonly line: number;
  readonly column: number;
  readonly sentence?: string;
}

interface Neighbors {
  readonly path: string;
  readonly match: string;
  readonly neighbors: readonly ShownNeighbor[];
  readonly unresolved?: readonly Broken[];
}

interface ShownNeighbors {
  readonly path: string;
  readonly match?: string;
  readonly neighbors: readonly ShownNeighbor[];
}

interface ShownNeighbor {
  readonly out?: readonly string[];
  readonly in?: readonly string[];
}

/** A longer sentence is shown only in the part around the link. */
const MAX_SENTENCE = 160;
/** The limit for a sentence with several links, which is repeated for each of them. */
const MAX_SHARED_SENTENCE = 80;

function briefNeighbors({ path, match, neighbors, unresolved, ...answer }: Neighbors): object {
  return {
    path,
    ...(match !== 'exact' && { match }),
    neighbors: neighbors.map(({ depth, links, ...neighbor }) => ({
      ...neighbor,
      ...(depth > 1 && { depth }),
      ...linksOf(links),
      ...othersOf(links),
    })),
    ...(unresolved && {
      unresolved: unresolved.map(({ column: _, ...link }) => ({
        ...link,
        ...(link.sentence !== undefined && { sentence: shortened({ ...link, text: link.name }) }),
      })),
    }),
    ...answer,
  };
}

/** One link of a note without the brackets of a list. */
function showNeighbors({ neighbors, ...answer }: ShownNeighbors, render: (value: object) => string): string {
  const unlisted = ({ out = [], in: back = [], ...neighbor }: ShownNeighbor): object => ({
    ...neighbor,
    ...(out.length > 0 && { out: out.length === 1 ? out[0] : out }),
    ...(back.length > 0 && { in: back.length === 1 ? back[0] : back }),
  });
  const { path, match, ...rest } = answer;
  return render({ path, ...(match !== undefined && { match }), neighbors: neighbors.map(unlisted), ...rest });
}

function linksOf(links: readonly Link[]) {
  const nearer = [...new Set(links.flatMap(({ via }) => via ?? []))];
  const lists = (['out', 'in'] as const).map((direction) => {
    const those = links.filter((link) => link.direction === direction);
    const rows = those.map((link) => {
      const via = nearer.length > 1 ? ` via ${link.via}` : '';
      const match = link.match === undefined ? '' : ` (${link.match})`;
      return `${link.line}${match}${via}${isLinkAlone(link) ? '' : `: ${shortened(link)}`}`;
    });
    return [direction, rows] as const;
  });
  return {
    ...(nearer.length > 0 && { via: nearer }),
    ...Object.fromEntries(lists.filter(([, rows]) => rows.length > 0)),
  };
}

/** Whether the sentence consists of the link alone. */
function isLinkAlone({ text, sentence }: Link): boolean {
  return sentence === `[[${text}]]` || sentence === `![[${text}]]`;
}

/** Files that a link to the note fits equally well. */
function othersOf(links: readonly Link[]): { readonly ambiguous_with?: readonly string[] } {
  const others = [...new Set(links.flatMap(({ ambiguous_with: paths = [] }) => paths))];
  return others.length === 0 ? {} : { ambiguous_with: others };
}

/** The part of a sentence around its link, which depends on nothing else on the page. Without a sentence the text of the link. */
function shortened({ text, sentence }: Pick<Link, 'text' | 'sentence'>): string {
  if (sentence === undefined) return text;
  const links = sentence.match(/\[\[|\]\(/g)?.length ?? 0;
  const size = links > 1 ? MAX_SHARED_SENTENCE : MAX_SENTENCE;
  const at = Math.max(0, sentence.indexOf(text));
  return showWindow(sentence, windowAround(sentence, at, Math.min(sentence.length, at + text.length), size));
}

/** A note with more unresolved links is a list of plans, and suggestions for all of them would take too long. */
const MAX_SUGGESTIONS = 20;

const input = z.strictObject({
  note: noteArgument,
  direction: z.enum(['in', 'out', 'both']).default('both').describe('in: backlinks'),
  depth: z.int().min(1).max(3).default(1).describe('links to follow'),
  ...pageShape,
});
const paging = createPaging('get_neighbors', input.shape);

export const getNeighbors = defineTool({
  name: 'get_neighbors',
  title: 'Links of a note',
  summary:
    'Returns the notes that link to a note (backlinks) and that it links to, each with the sentence of the link, and its broken links.',
  others: { find_path: 'how two notes connect', find_related: 'notes not linked yet' },
  words: 'backlinks, linked mentions, what links here',
  long: true,
  effect: 'reads',
  references: ['note'],
  needs: ['store', 'vault'],
  index: 'part',
  fails: [...RESOLVE_FAILURES, 'INVALID_INPUT'],
  input,
  brief: briefNeighbors,
  show: showNeighbors,
  run: async (args, granted, call) => {
    const { direction, depth } = args;
    const { store, vault } = granted;
    const page = paging.pageOf(args);
    const { path, match } = await resolveNote(args.note, 'note', granted, call);
    const outgoing = direction === 'in' ? NO_LINKS : await outgoingLinks(path, page, MAX_LINKS, store, call.signal);
    const start = { path, direction, depth, outgoing };
    const excluded = await excludedNotes(store, call);
    const { neighbors, total } = await neighborsOf({ ...start, excluded }, page, store, call.signal);
    const unresolved = outgoing.linksTo.get(null) ?? [];
    const showsUnresolved = direction !== 'in' && (page.offset === 0 || unresolved.length > 0);
    const shown = neighbors.map(withFirstLinks);
    const links = shown.flatMap((neighbor) => neighbor.links.map(({ link }) => link));
    // What an excluded note says is shown only where the caller names the note.
    const readable = links.filter(({ source }) => source === path || !excluded.has(source));
    const sentences = await sentencesOf([...readable, ...unresolved], vault, call);
    return {
      path,
      match,
      neighbors: await neighborViews(shown, sentences, excluded, store, call),
      total,
      ...(showsUnresolved ? { unresolved: await unresolvedViews(unresolved, sentences, store, call) } : {}),
      ...(showsUnresolved && outgoing.unresolved > unresolved.length ? { unresolved_total: outgoing.unresolved } : {}),
      // Both lists continue at the same place.
      ...paging.next(args, page, { shown: page.limit, total: Math.max(total, outgoing.unresolved) }),
    };
  },
});

/** Links of one neighbor: a full page of them stays below the limit of an answer. */
const MAX_LINKS = 10;

const NO_LINKS: OutgoingLinks = { targets: new Map(), linksTo: new Map(), unresolved: 0 };

function withFirstLinks({ links, more = 0, ...neighbor }: LinkedNeighbor): LinkedNeighbor {
  return { ...neighbor, links: links.slice(0, MAX_LINKS), more: more + Math.max(0, links.length - MAX_LINKS) };
}

interface LinkedNeighbor {
  readonly path: NotePath;
  readonly depth: number;
  /** `out` if following the link leads away from the start. */
  readonly links: readonly { readonly link: ResolvedLink; readonly direction: 'in' | 'out' }[];
  /** How many further links there are, which are not in `links`. */
  readonly more?: number;
}

interface Start {
  readonly path: NotePath;
  readonly direction: Direction;
  readonly depth: number;
  /** None for direction `in`. */
  readonly outgoing: OutgoingLinks;
  readonly excluded: ReadonlySet<NotePath>;
}

/** The direct neighbors in the same order at every depth, then the notes farther away, nearest first and by path. */
async function neighborsOf(start: Start, page: Page, store: Store, signal: AbortSignal) {
  const direct = await directNeighbors(start, store, signal);
  const total = direct.paths.length;
  const neighbors = await withDirectLinks(start, direct, page, store, signal);
  if (start.depth === 1) return { neighbors, total };
  const graph = listedGraph(await store.graph(signal), start.path);
  const node = nodeOf(graph, start.path);
  if (node === undefined) return { neighbors, total };
  const near = neighborhood(graph, node, { ...start, depth: 1, limit: 0 }).total;
  const rest = { offset: near + Math.max(0, page.offset - total), limit: page.limit - neighbors.length };
  const farther = neighborhood(graph, node, { ...start, ...rest });
  const withTheirLinks = await withLinks(graph, farther.neighbors, store, signal);
  return { neighbors: [...neighbors, ...withTheirLinks], total: total + farther.total - near };
}

interface DirectNeighbors {
  /** Without the note itself. */
  readonly paths: readonly NotePath[];
  readonly outgoing: OutgoingLinks;
  /** The notes that link to it, with their links, or only the number of these if they are many. */
  readonly linking: ReadonlyMap<NotePath, readonly ResolvedLink[] | number>;
}

/** A note can have as many links to it as there are notes: of more than these, only those on the page are read. */
const MAX_INCOMING = 200;

/** First the link targets in the order of the note's text, then the notes that link to it, by path, excluded ones last. */
async function directNeighbors(start: Start, store: Store, signal: AbortSignal): Promise<DirectNeighbors> {
  const { direction, outgoing, path } = start;
  const linking: DirectNeighbors['linking'] =
    direction === 'out' ? new Map() : await linkingNotes(start, store, signal);
  const paths = new Set([...outgoing.targets.keys(), ...linking.keys()]);
  paths.delete(path);
  return { paths: [...paths], outgoing, linking };
}

async function linkingNotes(
  { path, excluded }: Start,
  store: Store,
  signal: AbortSignal,
): Promise<DirectNeighbors['linking']> {
  const linking = excludedLast(await store.linkingNotes(path, signal), excluded);
  const links = linking.reduce((sum, note) => sum + note.links, 0);
  if (links > MAX_INCOMING) return new Map(linking.map((note) => [note.path, note.links]));
  const page = await store.links(path, 'in', { limit: MAX_INCOMING, offset: 0 }, signal);
  const bySource = Map.groupBy(page, ({ source }) => source);
  return new Map(linking.map((note) => [note.path, bySource.get(note.path) ?? []]));
}

async function withDirectLinks(
  { path }: Start,
  { paths, outgoing, linking }: DirectNeighbors,
  { offset, limit }: Page,
  store: Store,
  signal: AbortSignal,
): Promise<LinkedNeighbor[]> {
  const shown = paths.slice(offset, offset + limit);
  const unread = shown.filter((other) => typeof linking.get(other) === 'number');
  const pairs = unread.map((source) => ({ source, target: path }));
  const pairLinks = pairs.length === 0 ? [] : await store.linksBetween(pairs, MAX_LINKS, signal);
  const incoming = Map.groupBy(pairLinks, ({ source }) => source);
  return shown.map((other) => {
    const links = outgoing.linksTo.get(other) ?? [];
    const backlinks = linking.get(other) ?? [];
    const back = typeof backlinks === 'number' ? (incoming.get(other) ?? []) : backlinks;
    return {
      path: other,
      depth: 1,
      links: [
        ...links.map((link) => ({ link, direction: 'out' as const })),
        ...back.map((link) => ({ link, direction: 'in' as const })),
      ],
      more:
        Math.max(0, (outgoing.targets.get(other) ?? 0) - links.length) +
        (typeof backlinks === 'number' ? Math.max(0, backlinks - back.length) : 0),
    };
  });
}

async function withLinks({ paths }: Graph, neighbors: readonly Neighbor[], store: Store, signal: AbortSignal) {
  const pathOf = (node: number): NotePath => paths[node] as NotePath;
  const edges = neighbors.flatMap((neighbor) => neighbor.edges);
  const pairs = edges.map(({ source, target }) => ({ source: pathOf(source), target: pathOf(target) }));
  const links = Map.groupBy(
    await store.linksBetween(pairs, MAX_LINKS, signal),
    ({ source, target }) => `${source}\0${target}`,
  );
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
  excluded: ReadonlySet<NotePath>,
  store: Store,
  { signal }: CallContext,
) {
  const paths = neighbors.map(({ path }) => path);
  const titles = await store.titles(paths, signal);
  return neighbors.map((neighbor) => {
    const kind = fileKindOf(neighbor.path);
    return {
      path: neighbor.path,
      ...titleBeside(neighbor.path, titles.get(neighbor.path)),
      ...(kind === 'note' ? {} : { kind }),
      ...(excluded.has(neighbor.path) && { excluded: true }),
      depth: neighbor.depth,
      links: neighbor.links.map((link) => linkView(link, neighbor, sentences, excluded)),
      ...(neighbor.more ? { more_links: neighbor.more } : {}),
    };
  });
}

/** `line` is in the note that contains the link: the neighbor for `in`, the note nearer to the start for `out`. */
function linkView(
  { link, direction }: LinkedNeighbor['links'][number],
  { path, depth }: LinkedNeighbor,
  sentences: Sentences,
  excluded: ReadonlySet<NotePath>,
) {
  // The text is the name of its target where an excluded neighbor has written it.
  const isHidden = direction === 'in' && excluded.has(path);
  return {
    direction,
    line: link.line,
    column: link.column,
    text: isHidden ? noteName(link.target ?? path) : link.display,
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
