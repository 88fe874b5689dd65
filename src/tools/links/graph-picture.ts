// Builds the data of the graph view.
import type { Graph } from '../../base/graph.ts';
import { fileKindOf, noteName } from '../../base/note.ts';
import type { Compute } from '../../contracts/compute.ts';
import type { GraphPicture, PicturedFile, PicturedNote, UnresolvedName } from '../../contracts/graph-picture.ts';
import type { NoteSummary, ResolvedLink, Store } from '../../contracts/store.ts';
import { partOf } from '../../graph/part-of-graph.ts';
import { linksTo } from '../notes/note-view.ts';
import { functionWordsIn } from '../search/function-words.ts';
import { graphCommunities, graphScores, listedGraph } from './note-graph.ts';

const NOTES_AT_ONCE = 2_000;
const NAMES_AT_ONCE = 1_000;
/** More unresolved names would only clutter the view. */
const MAX_NAMES = 3_000;
/** Notes per unresolved name. */
const MAX_SOURCES = 60;
/** More files would only clutter the view, too. */
const MAX_FILES = 1_000;
/** Links read per file. */
const MAX_LINKS = 60;

/** Uses whatever part is indexed. @throws the store's errors */
export async function graphPicture(
  names: Pick<GraphPicture, 'vault' | 'folder'>,
  store: Store,
  compute: Compute,
  signal: AbortSignal,
): Promise<GraphPicture> {
  const { revision } = await store.progress(signal);
  const whole = listedGraph(await store.graph(signal));
  const graph = notesOnly(whole);
  const [summaries, ranks, communities] = await Promise.all([
    summariesOf(store, signal),
    graphScores(graph, 'pagerank', compute, signal),
    graphCommunities(graph, compute, signal),
  ]);
  const bases = whole.paths.length - graph.paths.length;
  const groupCount = communities.sizes.filter((size) => size > 1).length;
  const notes = graph.paths.map((path, node): PicturedNote => {
    const { title = noteName(path), kind = fileKindOf(path), tags = [], date = '' } = summaries.get(path) ?? {};
    const group = communities.communityOf[node] ?? -1;
    const rank = ranks.scores[node] ?? 0;
    return { path, title, kind, tags, rank, group: group < groupCount ? group : -1, date: date.slice(0, 10) };
  });
  return {
    ...names,
    revision,
    notes,
    ...(bases > 0 && { bases }),
    links: linkTriples(graph),
    ...(await unresolvedNames(graph, store, signal)),
    files: await picturedFiles(whole, graph, store, signal),
    groups: groupsOf(notes, [...communities.sizes.slice(0, groupCount)]),
  };
}

async function summariesOf(store: Store, signal: AbortSignal): Promise<ReadonlyMap<string, NoteSummary>> {
  const summaries = new Map<string, NoteSummary>();
  for (let offset = 0; ; offset += NOTES_AT_ONCE) {
    const { notes } = await store.listNotes({}, 'name', 'asc', { limit: NOTES_AT_ONCE, offset }, signal);
    for (const note of notes) summaries.set(note.path, note);
    if (notes.length < NOTES_AT_ONCE) return summaries;
  }
}

function linkTriples({ offsets, targets, counts, paths }: Graph): number[] {
  return paths.flatMap((_, source) => {
    const triples: number[] = [];
    for (let at = offsets[source] ?? 0; at < (offsets[source + 1] ?? 0); at++)
      triples.push(source, targets[at] ?? 0, counts[at] ?? 1);
    return triples;
  });
}

async function unresolvedNames({ paths }: Graph, store: Store, signal: AbortSignal) {
  const nodes = new Map<string, number>(paths.map((path, node) => [path, node]));
  const unresolved: UnresolvedName[] = [];
  for (;;) {
    const page = { limit: NAMES_AT_ONCE, offset: unresolved.length };
    const { groups, total } = await store.unresolved({}, MAX_SOURCES, page, signal);
    for (const { name, links } of groups) {
      unresolved.push({ name, sources: sourcesOf(links, nodes) });
    }
    if (groups.length < NAMES_AT_ONCE || unresolved.length >= MAX_NAMES) return { unresolved, unresolvedTotal: total };
  }
}

function groupsOf(notes: readonly PicturedNote[], sizes: readonly number[]): GraphPicture['groups'] {
  const best: (PicturedNote | undefined)[] = sizes.map(() => undefined);
  for (const note of notes) if (note.group >= 0 && note.rank > (best[note.group]?.rank ?? -1)) best[note.group] = note;
  const words = groupWords(
    notes,
    best.map((note) => note?.title ?? ''),
  );
  return sizes.map((size, group) => ({ size, label: best[group]?.title ?? '', words: words[group] ?? [] }));
}

/** The attachments and `.base` files that notes link to. @param notes the notes that are drawn, a part of `graph` without its bases */
async function picturedFiles(graph: Graph, notes: Graph, store: Store, signal: AbortSignal) {
  const nodes = new Map<string, number>(notes.paths.map((path, node) => [path, node]));
  const page = { limit: MAX_FILES, offset: 0 };
  const attachments = await store.listNotes({ attachments: 'all' }, 'links', 'desc', page, signal);
  const bases = graph.paths.filter((path) => fileKindOf(path) === 'base');
  const files: PicturedFile[] = [];
  for (const path of [...bases, ...attachments.notes.map((file) => file.path)].slice(0, MAX_FILES)) {
    const links = await linksTo(path, MAX_LINKS, store, signal);
    const sources = sourcesOf(links, nodes);
    if (sources.length > 0) files.push({ path, sources });
  }
  return files;
}

function sourcesOf(links: readonly ResolvedLink[], nodes: ReadonlyMap<string, number>): readonly number[] {
  return [...new Set(links.flatMap(({ source }) => nodes.get(source) ?? []))];
}

const MAX_WORDS = 2;
/** Notes of the group with the word. */
const LEAST_NOTES = 2;
/** At least this share of all notes with a distinctive word is in the group. */
const LEAST_SHARE = 0.5;

type Counts = Map<string, number>;

/** One list per group, best word first. @param hubs the title of each group, whose words are not repeated */
function groupWords(notes: readonly PicturedNote[], hubs: readonly string[]): readonly (readonly string[])[] {
  const [all, groups] = [new Map<string, number>(), hubs.map((): Counts => new Map())];
  for (const note of notes)
    for (const word of wordsOf(note)) {
      add(all, word);
      const group = groups[note.group];
      if (group !== undefined) add(group, word);
    }
  return groups.map((counts, group) => distinctive(counts, all, new Set(split(hubs[group] ?? ''))));
}

function distinctive(counts: Counts, all: Counts, taken: ReadonlySet<string>): string[] {
  const scored = [...counts].flatMap(([word, count]) => {
    const share = count / (all.get(word) ?? count);
    return count < LEAST_NOTES || share < LEAST_SHARE || taken.has(word) ? [] : [{ word, score: count * share }];
  });
  scored.sort((a, b) => b.score - a.score || (a.word < b.word ? -1 : 1));
  return scored.slice(0, MAX_WORDS).map(({ word }) => word);
}

/** Each once: a word counts for the notes that have it. */
function wordsOf({ title, tags }: PicturedNote): ReadonlySet<string> {
  const words = split(`${title} ${tags.join(' ')}`);
  const { words: without } = functionWordsIn(words);
  return new Set(words.filter((word) => !without.has(word)));
}

/** Words of at least two ideographs or three letters; no numbers. */
function split(text: string): string[] {
  const words =
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/\p{L}[\p{L}\p{M}\p{N}]*/gu) ?? [];
  return words.filter(
    (word) => word.length >= (/[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}]/u.test(word) ? 2 : 3),
  );
}

const add = (counts: Counts, word: string): void => void counts.set(word, (counts.get(word) ?? 0) + 1);

const graphs = new WeakMap<Graph, Graph>();

/** The same object for the same graph, so that its scores are computed once. */
function notesOnly(graph: Graph): Graph {
  if (graph.paths.every(isNote)) return graph;
  const part = graphs.get(graph) ?? partOf(graph, isNote);
  graphs.set(graph, part);
  return part;
}

const isNote = (path: string): boolean => fileKindOf(path) !== 'base';
