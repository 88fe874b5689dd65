// Finds the notes that a note might link to without a model: notes that it names and related notes.
import { asNoteFiles, type NotePath } from '../../base/note.ts';
import type { Store } from '../../contracts/store.ts';
import type { CallContext, ReadContext } from '../../contracts/tool.ts';
import { sharedNeighbors } from '../../graph/neighborhood.ts';
import { nameKeyOf, splitLink } from '../../markdown/links/fold.ts';
import { type NamedNote, namedNotes } from '../links/mentions.ts';
import { listedGraph, nodeOf } from '../links/note-graph.ts';
import { everyLink } from '../notes/note-view.ts';
import type { RequestedNote } from '../notes/requested-note.ts';

export type FoundBy = 'mention' | 'shared_links' | 'shared_tags' | 'similarity';

/** A related note and its score by one method; higher is closer. */
export interface NearNote {
  readonly path: NotePath;
  readonly by: FoundBy;
  readonly score: number;
}

/** A method of finding related notes, best first; undefined if it cannot be used for this note. */
export type NearBy = (note: RequestedNote) => Promise<readonly NearNote[] | undefined>;

export interface LinkCandidates {
  /** The methods that were used, whether or not they found anything. */
  readonly methods: readonly FoundBy[];
  readonly mentions: readonly NamedNote[];
  /** Each note once, best first. */
  readonly related: readonly { readonly path: NotePath; readonly by: readonly FoundBy[] }[];
}

const MAX_MENTIONS = 40;
const MAX_RELATED = 12;
/** The maximum number of notes from each method, before they are merged. */
export const MAX_NEAR = 20;
/** A tag on more notes than this does not show that two of them are related. */
const MAX_TAGGED = 200;

export async function linkCandidates(
  note: RequestedNote,
  more: Readonly<Partial<Record<FoundBy, NearBy>>>,
  store: Store,
  context: ReadContext & Pick<CallContext, 'compute'>,
): Promise<LinkCandidates> {
  const { signal } = context;
  const isOpen = await unlinkedFrom(note, store, signal);
  const text = note.text.slice(0, note.to);
  const named = await namedNotes(text, isOpen, store, context);
  const mentions = named.filter(({ place }) => place.offset >= note.from).slice(0, MAX_MENTIONS);
  const mentioned = new Set(mentions.map(({ path }) => path));
  const methods: FoundBy[] = ['mention', 'shared_links', 'shared_tags'];
  const near = [...(await bySharedLinks(note, store, signal)), ...(await bySharedTags(note, store, signal))];
  for (const [by, find] of Object.entries(more)) {
    const candidates = await find(note);
    if (candidates === undefined) continue;
    methods.push(by as FoundBy);
    near.push(...candidates);
  }
  return { methods, mentions, related: fused(near.filter(({ path }) => isOpen(path) && !mentioned.has(path))) };
}

/** Returns whether a note is another one that the current text does not link to. */
async function unlinkedFrom(
  { path, parsed }: RequestedNote,
  store: Store,
  signal: AbortSignal,
): Promise<(other: NotePath) => boolean> {
  const stored = await everyLink(path, 'out', store, signal);
  const linked = new Set(stored.map(({ target }) => target));
  // A link that is not indexed yet is taken to lead to any note of its name.
  const targets = new Set(stored.map(({ link }) => link));
  const fresh = parsed.links.filter(({ link }) => !targets.has(link)).map(({ link }) => splitLink(link).path);
  const names = new Set(fresh.flatMap((name) => [nameKeyOf(name), ...asNoteFiles(name).map(nameKeyOf)]));
  return (other) => other !== path && !linked.has(other) && !names.has(nameKeyOf(other));
}

async function bySharedLinks({ path }: RequestedNote, store: Store, signal: AbortSignal): Promise<NearNote[]> {
  const graph = listedGraph(await store.graph(signal), path);
  const node = nodeOf(graph, path);
  if (node === undefined) return [];
  const shared = sharedNeighbors(graph, node).slice(0, MAX_NEAR);
  return shared.map((one) => ({ path: graph.paths[one.node] as NotePath, by: 'shared_links', score: one.score }));
}

async function bySharedTags({ parsed }: RequestedNote, store: Store, signal: AbortSignal): Promise<NearNote[]> {
  const scores = new Map<NotePath, number>();
  for (const tag of new Set(parsed.tags.map((one) => one.tag))) {
    const page = { limit: MAX_TAGGED, offset: 0 };
    const { notes, total } = await store.listNotes({ tags: [tag] }, 'name', 'asc', page, signal);
    if (total > MAX_TAGGED) continue;
    for (const { path } of notes) scores.set(path, (scores.get(path) ?? 0) + 1 / Math.log2(1 + total));
  }
  const near = [...scores].map(([path, score]): NearNote => ({ path, by: 'shared_tags', score }));
  return near.sort(byScore).slice(0, MAX_NEAR);
}

const byScore = (one: NearNote, other: NearNote): number => other.score - one.score || (one.path < other.path ? -1 : 1);

/** Merges by rank, since the scores of different methods are not comparable. */
function fused(near: readonly NearNote[]): LinkCandidates['related'] {
  const byPath = new Map<NotePath, { by: FoundBy[]; rank: number }>();
  for (const ranked of Map.groupBy(near, ({ by }) => by).values()) {
    for (const [at, { path, by }] of ranked.entries()) {
      const one = byPath.get(path) ?? { by: [], rank: 0 };
      byPath.set(path, { by: [...one.by, by], rank: one.rank + 1 / (MAX_NEAR + at) });
    }
  }
  const best = [...byPath].sort(
    ([one, { rank }], [other, { rank: others }]) => others - rank || (one < other ? -1 : 1),
  );
  return best.slice(0, MAX_RELATED).map(([path, { by }]) => ({ path, by }));
}
