// Finds the notes that a note might link to without a model: notes that it names and related notes.
import type { NotePath } from '../../base/note.ts';
import type { Store } from '../../contracts/store.ts';
import type { ReadContext } from '../../contracts/tool.ts';
import { sharedNeighbors } from '../../graph/neighborhood.ts';
import { nameKeyOf, splitLink } from '../../markdown/links/fold.ts';
import { type NamedNote, namedNotes } from '../links/mentions.ts';
import { nodeOf } from '../links/note-graph.ts';
import { EVERY_LINK } from '../notes/note-view.ts';
import type { RequestedNote } from '../notes/requested-note.ts';

export type FoundBy = 'mention' | 'shared_links' | 'shared_tags' | 'similarity';

/** A related note and its score by one method; higher is closer. */
export interface NearNote {
  readonly path: NotePath;
  readonly by: FoundBy;
  readonly score: number;
}

/** One way of finding them, best first; undefined where it cannot be gone for this note. */
export type NearBy = (note: RequestedNote) => Promise<readonly NearNote[] | undefined>;

export interface LinkCandidates {
  /** The ways that were gone, whether or not they found anything. */
  readonly ways: readonly FoundBy[];
  readonly mentions: readonly NamedNote[];
  /** Each note once, those that most ways found first. */
  readonly related: readonly { readonly path: NotePath; readonly by: readonly FoundBy[] }[];
}

const MAX_MENTIONS = 40;
const MAX_RELATED = 12;
/** Of each way, before they are put together. */
export const MAX_NEAR = 20;
/** A tag that more notes have says little of any two of them. */
const MAX_TAGGED = 200;

export async function linkCandidates(
  note: RequestedNote,
  more: Readonly<Partial<Record<FoundBy, NearBy>>>,
  store: Store,
  context: ReadContext,
): Promise<LinkCandidates> {
  const { signal } = context;
  const isOpen = await unlinkedFrom(note, store, signal);
  const text = note.text.slice(0, note.to);
  const named = await namedNotes(text, isOpen, store, context);
  const mentions = named.filter(({ place }) => place.offset >= note.from).slice(0, MAX_MENTIONS);
  const mentioned = new Set(mentions.map(({ path }) => path));
  const ways: FoundBy[] = ['mention', 'shared_links', 'shared_tags'];
  const near = [...(await bySharedLinks(note, store, signal)), ...(await bySharedTags(note, store, signal))];
  for (const [by, find] of Object.entries(more)) {
    const found = await find(note);
    if (found === undefined) continue;
    ways.push(by as FoundBy);
    near.push(...found);
  }
  return { ways, mentions, related: fused(near.filter(({ path }) => isOpen(path) && !mentioned.has(path))) };
}

/** Whether a note is another one, and the text as it is now has no link to it. */
async function unlinkedFrom(
  { path, parsed }: RequestedNote,
  store: Store,
  signal: AbortSignal,
): Promise<(other: NotePath) => boolean> {
  const stored = await store.links(path, 'out', EVERY_LINK, signal);
  const linked = new Set(stored.map(({ target }) => target));
  // What the index does not know yet leads to whatever has its name.
  const known = new Set(stored.map(({ link }) => link));
  const fresh = parsed.links.filter(({ link }) => !known.has(link)).map(({ link }) => splitLink(link).path);
  const names = new Set(fresh.flatMap((name) => [nameKeyOf(name), nameKeyOf(`${name}.md`)]));
  return (other) => other !== path && !linked.has(other) && !names.has(nameKeyOf(other));
}

async function bySharedLinks({ path }: RequestedNote, store: Store, signal: AbortSignal): Promise<NearNote[]> {
  const graph = await store.graph(signal);
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
  const found = [...scores].map(([path, score]): NearNote => ({ path, by: 'shared_tags', score }));
  return found.sort(byScore).slice(0, MAX_NEAR);
}

const byScore = (one: NearNote, other: NearNote): number => other.score - one.score || (one.path < other.path ? -1 : 1);

/** By their ranks in each way: scores of different ways have nothing in common. */
function fused(near: readonly NearNote[]): LinkCandidates['related'] {
  const found = new Map<NotePath, { by: FoundBy[]; rank: number }>();
  for (const ranked of Map.groupBy(near, ({ by }) => by).values()) {
    for (const [at, { path, by }] of ranked.entries()) {
      const one = found.get(path) ?? { by: [], rank: 0 };
      found.set(path, { by: [...one.by, by], rank: one.rank + 1 / (MAX_NEAR + at) });
    }
  }
  const best = [...found].sort(([one, { rank }], [other, { rank: others }]) => others - rank || (one < other ? -1 : 1));
  return best.slice(0, MAX_RELATED).map(([path, { by }]) => ({ path, by }));
}
