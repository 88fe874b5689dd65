// Finds the vault's tags that may fit a note: tags of linked notes, tags of similar notes, and tags that its text names.
import type { NotePath } from '../../base/note.ts';
import type { Store } from '../../contracts/store.ts';
import { WORD_CHARACTERS } from '../../markdown/excerpt/fold-text.ts';
import { findTerms, hasUnspacedScript } from '../../markdown/excerpt/term-matches.ts';
import { foldName } from '../../markdown/links/fold.ts';
import { everyLink } from '../notes/note-view.ts';
import type { RequestedNote } from '../notes/requested-note.ts';

export interface VaultTag {
  readonly tag: string;
  /** The number of notes with the tag or a tag below it. */
  readonly count: number;
}

export type TagCandidates = Awaited<ReturnType<typeof tagCandidates>>;

/** A longer list would cost more tokens than the note. */
const MAX_CANDIDATES = 80;
const MAX_NEIGHBORS = 200;
const SIMILAR_NOTES = 20;
const MAX_WORDS = 24;
const MIN_WORD_LENGTH = 4;
/** The number of characters of a note that are searched for words. */
const MAX_TEXT_LENGTH = 100_000;
const WORD = new RegExp(`[${WORD_CHARACTERS}]+`, 'gu');
/** The points that a tag gets for each way it was found; of equal tags, the one with more notes comes first. */
const POINTS = { named: 6, neighbor: 3, similar: 1 } as const;

/**
 * `tags`: the likeliest first.
 * `own`: the note's tags, without duplicates.
 * `all`: every tag of the vault, by its folded name.
 */
export async function tagCandidates(note: RequestedNote, store: Store, signal: AbortSignal) {
  const own = [...new Map(note.parsed.tags.map(({ tag }) => [foldName(tag), tag])).values()];
  const all = new Map((await store.listTags(undefined, {}, signal)).map((tag) => [foldName(tag.tag), tag]));
  const points = new Map<string, number>();
  const addPoints = (tag: string, by: number): void => {
    const key = foldName(tag);
    points.set(key, (points.get(key) ?? 0) + by);
  };
  for (const tag of await tagsOf(await neighborsOf(note.path, store, signal), store, signal))
    addPoints(tag, POINTS.neighbor);
  for (const tag of await tagsOf(await similarTo(note, store, signal), store, signal)) addPoints(tag, POINTS.similar);
  for (const tag of namedIn(note, [...all.values()])) addPoints(tag, POINTS.named);
  const has = ownAndAbove(own);
  const open = [...all].filter(([key]) => !has.has(key));
  const likely = open.toSorted(
    ([one, { count }], [other, { count: others }]) =>
      (points.get(other) ?? 0) - (points.get(one) ?? 0) || others - count || (one < other ? -1 : 1),
  );
  return { tags: likely.slice(0, MAX_CANDIDATES).map(([, tag]) => tag), own, all };
}

/** The tags and their parents: `#a/b` implies `#a`. */
export function ownAndAbove(own: readonly string[]): ReadonlySet<string> {
  return new Set(
    own.map(foldName).flatMap((tag) => tag.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/'))),
  );
}

async function neighborsOf(path: NotePath, store: Store, signal: AbortSignal): Promise<readonly NotePath[]> {
  const out = await everyLink(path, 'out', store, signal);
  const linking = await store.linkingNotes(path, signal);
  const linked = [...out.flatMap(({ target }) => target ?? []), ...linking.map((note) => note.path)];
  return [...new Set(linked)].filter((other) => other !== path).slice(0, MAX_NEIGHBORS);
}

/** Notes that match words of the note's title and headings or its most frequent words. */
async function similarTo(note: RequestedNote, store: Store, signal: AbortSignal): Promise<readonly NotePath[]> {
  const words = frequentWords(note);
  if (words.length === 0) return [];
  const terms = words.map((text) => ({ text, kind: 'word', negated: false }) as const);
  const page = { limit: SIMILAR_NOTES + 1, offset: 0 };
  const { hits } = await store.searchText({ terms, match: 'any' }, {}, page, signal);
  return hits.map(({ path }) => path).filter((path) => path !== note.path);
}

function frequentWords(note: RequestedNote): string[] {
  const { title, parsed } = note;
  const counts = new Map<string, number>();
  const headings = [title, ...parsed.headings.map((heading) => heading.text)].join(' ');
  for (const [word] of `${headings} ${headings} ${beginningOf(note)}`.matchAll(WORD)) {
    const key = word.toLowerCase();
    if (key.length >= MIN_WORD_LENGTH) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const ordered = [...counts].sort(([one, count], [other, others]) => others - count || (one < other ? -1 : 1));
  return ordered.slice(0, MAX_WORDS).map(([word]) => word);
}

async function tagsOf(paths: readonly NotePath[], store: Store, signal: AbortSignal): Promise<readonly string[]> {
  return (await store.notes(paths, signal)).flatMap(({ tags }) => tags);
}

/** Tags whose last part occurs in the text, with `-` and `_` as spaces. */
function namedIn(note: RequestedNote, tags: readonly VaultTag[]): string[] {
  const text = beginningOf(note).normalize('NFC');
  const words = new Set(text.toLowerCase().match(WORD));
  const named = tags.map(({ tag }) => ({ tag, text: lastPart(tag), kind: 'phrase' as const }));
  // The check of the first word rules out most of a large vocabulary without a search of the text.
  const likely = named.filter((term) => hasUnspacedScript(term.text) || words.has(firstWord(term.text)));
  const found = new Set(findTerms(text, likely).map(({ term }) => term));
  return likely.filter((_, at) => found.has(at)).map(({ tag }) => tag);
}

/** The beginning of the requested part, which is enough to see what the note is about. */
const beginningOf = ({ text, from, to }: RequestedNote): string =>
  text.slice(from, Math.min(to, from + MAX_TEXT_LENGTH));

const lastPart = (tag: string): string => tag.slice(Math.max(tag.lastIndexOf('/'), 0) + 1).replace(/[-_]/g, ' ');

const firstWord = (name: string): string => name.toLowerCase().match(WORD)?.[0] ?? '';
