// Describes why two notes are related, in one shape for all tools.
import type { Graph } from '../../base/graph.ts';
import type { NotePath } from '../../base/note.ts';
import type { NoteRecord, Store } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { neighborsOf, reverseOf } from '../../graph/adjacency.ts';
import { foldName } from '../../markdown/links/fold.ts';
import { nodeOf } from '../links/note-graph.ts';
import { titleBeside } from '../notes/note-view.ts';

/** What both notes say, and which tags and links they share. */
export type Evidence =
  | { readonly kind: 'text'; readonly path: NotePath; readonly lines: readonly [number, number]; readonly text: string }
  | { readonly kind: 'terms'; readonly terms: readonly string[] }
  /** Tags of both notes. */
  | { readonly kind: 'tags'; readonly tags: readonly string[] }
  /** Notes that both link to, or that link to both; `total` if there are more. */
  | { readonly kind: 'links_to' | 'linked_from'; readonly paths: readonly NotePath[]; readonly total?: number };

/** Characters per piece of text. */
export const EVIDENCE_CHARS = 200;
const MAX_SHARED = 5;

/**
 * `title`: if it differs from the file name.
 * `linked`: whether the notes are linked, in either direction.
 */
export function relatedView(
  { path, title, score }: { readonly path: NotePath; readonly title: string; readonly score: number },
  linked: boolean,
  evidence: readonly Evidence[],
) {
  const rounded = Math.round(score * 10_000) / 10_000;
  return { path, ...titleBeside(path, title), score: rounded, linked, evidence };
}

/** All notes linked with the given one, in either direction. */
export async function linkedNotes(
  path: NotePath,
  store: Store,
  { signal }: CallContext,
): Promise<ReadonlySet<NotePath>> {
  const graph = await store.graph(signal);
  return new Set([...pathsAt(graph, graph, path), ...pathsAt(graph, reverseOf(graph), path)]);
}

/** The links and tags that a note shares with each of the others. */
export async function sharedLinksAndTags(
  path: NotePath,
  others: readonly NotePath[],
  store: Store,
  { signal }: CallContext,
): Promise<(other: NotePath) => readonly Evidence[]> {
  const graph = await store.graph(signal);
  const records = new Map((await store.notes([path, ...others], signal)).map((record) => [record.path, record]));
  return (other) => [...sharedLinks(graph, path, other), ...sharedTags(records, path, other)];
}

function pathsAt(graph: Graph, rows: Parameters<typeof neighborsOf>[0], path: NotePath): NotePath[] {
  const node = nodeOf(graph, path);
  return node === undefined ? [] : [...neighborsOf(rows, node)].map((at) => graph.paths[at] as NotePath);
}

function sharedLinks(graph: Graph, one: NotePath, other: NotePath): Evidence[] {
  return (['links_to', 'linked_from'] as const).flatMap((kind) => {
    const rows = kind === 'links_to' ? graph : reverseOf(graph);
    const neighbors = new Set(pathsAt(graph, rows, one));
    const shared = pathsAt(graph, rows, other).filter((path) => neighbors.has(path) && !graph.excluded?.has(path));
    const total = shared.length > MAX_SHARED ? { total: shared.length } : {};
    return shared.length === 0 ? [] : [{ kind, paths: shared.slice(0, MAX_SHARED), ...total }];
  });
}

function sharedTags(records: ReadonlyMap<NotePath, NoteRecord>, one: NotePath, other: NotePath): Evidence[] {
  const ownTags = new Set(records.get(one)?.tags.map(foldName));
  const tags = (records.get(other)?.tags ?? []).filter((tag) => ownTags.has(foldName(tag)));
  return tags.length === 0 ? [] : [{ kind: 'tags', tags }];
}

interface Related {
  readonly path: NotePath;
  readonly match: string;
  readonly related: readonly {
    readonly path: NotePath;
    readonly linked: boolean;
    readonly evidence: readonly Evidence[];
  }[];
}

const SHORT_EVIDENCE_CHARS = 160;
const MAX_TERMS = 6;

/**
 * The answer of find_related in fewer tokens: the evidence as members of its note, and each sentence of the compared note once, in
 * `sentences`, which `compared_line` of a related note points to.
 */
export function briefRelated({ path, match, related, ...answer }: Related): object {
  const rowsByPath = new Map<string, object>();
  const rows = related.map(({ evidence, linked, ...note }) => {
    const members = evidence.map((one): object => {
      if (one.kind === 'terms') return { terms: one.terms.slice(0, MAX_TERMS) };
      if (one.kind === 'tags') return { tags: one.tags };
      if (one.kind !== 'text') return { [one.kind]: one.paths, ...(one.total && { [`${one.kind}_total`]: one.total }) };
      const { path: source, lines } = one;
      const text = one.text.length > SHORT_EVIDENCE_CHARS ? `${shortened(one.text)}…` : one.text;
      if (source === note.path) return { lines, text };
      if (!rowsByPath.has(lines.join('-'))) rowsByPath.set(lines.join('-'), { lines, text });
      return { compared_line: lines[0] };
    });
    return Object.assign({ ...note, ...(linked && { linked }) }, ...members);
  });
  return {
    path,
    ...(match !== 'exact' && { match }),
    related: rows,
    ...(rowsByPath.size > 0 && { sentences: [...rowsByPath.values()] }),
    ...answer,
  };
}

/** Ends after a word if one ends nearby. */
function shortened(text: string): string {
  const cut = text.slice(0, SHORT_EVIDENCE_CHARS - 1).toWellFormed();
  const blank = cut.lastIndexOf(' ');
  return blank > SHORT_EVIDENCE_CHARS * 0.8 ? cut.slice(0, blank) : cut;
}
