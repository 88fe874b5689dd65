// Suggests tags for a note, existing ones first, each with evidence from the note.
import * as z from 'zod';
import type { NotePath } from '../../base/note.ts';
import type { Store } from '../../contracts/store.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { sizeOf } from '../../markdown/chunk/text-size.ts';
import { WORD_CHARACTERS } from '../../markdown/excerpt/fold-text.ts';
import { findTerms, hasUnspacedScript } from '../../markdown/excerpt/term-matches.ts';
import { foldName } from '../../markdown/links/fold.ts';
import { isTagName } from '../../markdown/parse/tag.ts';
import { noteArgument } from '../notes/note-reference.ts';
import { everyLink } from '../notes/note-view.ts';
import { limitArgument } from '../notes/page.ts';
import { REQUESTED_NOTE_FAILURES, type RequestedNote, readRequestedNote } from '../notes/requested-note.ts';
import {
  asData,
  DATA_RULES,
  type Evidence,
  type LlmSession,
  openLlmSession,
  placesIn,
  reportInvented,
  type Task,
} from './llm-session.ts';
import { askInHalves, coverage, sectionHalves, sectionsFor, warnOfRest } from './note-sections.ts';

const input = z.strictObject({ note: noteArgument, limit: limitArgument });

/** The share of the prompt for the tags to choose from; the rest is for the note. */
const SHARE_OF_TAGS = 1 / 2;

export const suggestTags = defineTool({
  name: 'suggest_tags',
  title: 'Suggest tags',
  summary:
    "The user's language model suggests tags for a note, existing ones first. Returns each with words of the note as evidence; writes nothing.",
  words: 'categorize, classify',
  effect: 'reads',
  references: ['note'],
  needs: ['store', 'vault', 'llm'],
  index: 'part',
  fails: [...REQUESTED_NOTE_FAILURES],
  input,
  run: async ({ note: reference, limit }, granted, call) => {
    const request = { tool: 'suggest_tags', accepted: Object.keys(input.shape), argument: 'note', reference };
    const note = await readRequestedNote(request, granted, call);
    const candidates = await tagCandidates(note, granted.store, call.signal);
    const model = openLlmSession(granted.llm, call);
    const { offered, answer, read } = await chosenTags(note, candidates, limit, model, call);
    model.reportProvider();
    const { suggestions, invented } = await checkedTags(answer, note, candidates, call);
    reportInvented({ kept: suggestions.length, invented }, 'tags', model, call);
    warnOfRest(note, read, call);
    return {
      path: note.path,
      match: note.match,
      suggestions: suggestions.slice(0, limit),
      method: methodOf(offered.length, candidates.all.size),
      ...(read.covered < read.total ? { read } : {}),
    };
  },
});

/** Reads only the beginning of a note that does not fit the prompt. */
async function chosenTags(
  note: RequestedNote,
  { tags, own }: TagCandidates,
  limit: number,
  model: LlmSession,
  call: CallContext,
) {
  const offered = tagsWithin(model.room(tagTask([], limit)) * SHARE_OF_TAGS, tags);
  const task = tagTask(offered, limit);
  const promptTokens = sizeOf(tagPrompt(offered, own, '')).tokens;
  const [first] = await sectionsFor(note, model.room(task) - promptTokens, 1, call);
  const ask = (text: string) => model.ask(task, tagPrompt(offered, own, text));
  const answers = await askInHalves(first?.text ?? '', sectionHalves, ask);
  const answer = { known: answers.flatMap(({ known }) => known ?? []), fresh: answers.flatMap(({ fresh }) => fresh) };
  return { offered, answer, read: coverage(note, first?.end ?? note.to) };
}

/** Returns as many tags as fit the room, the likeliest first. */
function tagsWithin(room: number, tags: TagCandidates['tags']): string[] {
  let left = room;
  const beyond = tags.findIndex(({ tag }) => {
    left -= sizeOf(`${tag} `).tokens;
    return left < 0;
  });
  return tags.slice(0, beyond === -1 ? tags.length : beyond).map(({ tag }) => tag);
}

function methodOf(offered: number, all: number): string {
  return `${offered} of ${all} tags of the vault offered, by links, shared words and names in the text; chosen by the model, evidence checked`;
}

interface SuggestedTag {
  readonly tag: string;
  /** Whether no note of the vault has this tag. */
  readonly new: boolean;
  /** The number of notes with the tag or a tag below it. */
  readonly count: number;
  readonly evidence: Evidence;
}

/** Each tag once, tags of the vault first; `invented` counts tags that are invalid or have no evidence in the note. */
async function checkedTags(
  { known = [], fresh }: TagAnswer,
  note: RequestedNote,
  { own, all }: TagCandidates,
  call: CallContext,
) {
  const listed = [...known, ...fresh];
  const places = await placesIn(
    note,
    listed.map(({ evidence }) => evidence),
    call,
  );
  const seen = new Set(ownAndAbove(own));
  const suggestions: SuggestedTag[] = [];
  let invented = 0;
  for (const [at, { tag: named }] of listed.entries()) {
    const tag = `#${named.trim().replace(/^#/, '')}`;
    const key = foldName(tag);
    if (seen.has(key)) continue;
    const place = places[at];
    if (place === undefined || !isTagName(tag.slice(1))) {
      invented += 1;
      continue;
    }
    seen.add(key);
    const existing = all.get(key);
    const evidence = { text: place.text, lines: place.lines };
    suggestions.push({ tag: existing?.tag ?? tag, new: existing === undefined, count: existing?.count ?? 0, evidence });
  }
  // Existing tags come first, since a new tag may be another name for one of them.
  const suggested = [...suggestions.filter((one) => !one.new), ...suggestions.filter((one) => one.new)];
  return { suggestions: suggested, invented };
}

const VERSION = 1;

interface Tagged {
  readonly tag: string;
  readonly evidence: string;
}
interface TagAnswer {
  /** Absent if no tags were offered. */
  readonly known?: readonly Tagged[] | undefined;
  readonly fresh: readonly Tagged[];
}

const INSTRUCTIONS = [
  'Choose tags for the note. `known`: tags of the list given, those that fit best first. `fresh`: new tags, only where no known one says it; letters, digits, `-`, `_` and `/`, without `#`.',
  '`evidence`: words copied letter by letter from the note, a phrase or one sentence, that show why the tag fits. A tag without such words is left out.',
  'Few good tags are better than many.',
  DATA_RULES,
].join('\n');

/** @param offered the only tags that `known` can hold */
function tagTask(offered: readonly string[], limit: number): Task<TagAnswer> {
  const tagged = (tag: z.ZodType<string>) => z.array(z.object({ tag, evidence: z.string() })).max(limit);
  const fresh = tagged(z.string());
  const [first, ...others] = offered;
  const schema: z.ZodType<TagAnswer> =
    first === undefined ? z.object({ fresh }) : z.object({ known: tagged(z.enum([first, ...others])), fresh });
  return { name: 'suggest tags', version: VERSION, instructions: INSTRUCTIONS, schema, maxAnswerTokens: 1_200 };
}

/** The tags are fenced like the note, since they are text of notes, too. */
function tagPrompt(offered: readonly string[], noteTags: readonly string[], text: string): string {
  const which =
    'Text 1: the tags to choose from. Text 2: tags the note has already, not to be given again. Text 3: the note.';
  return `${which}\n\n${asData([offered.join(' '), noteTags.join(' '), text])}`;
}

interface VaultTag {
  readonly tag: string;
  /** The number of notes with the tag or a tag below it. */
  readonly count: number;
}

type TagCandidates = Awaited<ReturnType<typeof tagCandidates>>;

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
  const tags = [...new Map(note.parsed.tags.map(({ tag }) => [foldName(tag), tag])).values()];
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
  const has = ownAndAbove(tags);
  const open = [...all].filter(([key]) => !has.has(key));
  const likely = open.toSorted(
    ([one, { count }], [other, { count: others }]) =>
      (points.get(other) ?? 0) - (points.get(one) ?? 0) || others - count || (one < other ? -1 : 1),
  );
  return { tags: likely.slice(0, MAX_CANDIDATES).map(([, tag]) => tag), own: tags, all };
}

/** The tags and their parents: `#a/b` implies `#a`. */
function ownAndAbove(noteTags: readonly string[]): ReadonlySet<string> {
  return new Set(
    noteTags.map(foldName).flatMap((tag) => tag.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/'))),
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
  const matched = new Set(findTerms(text, likely).map(({ term }) => term));
  return likely.filter((_, at) => matched.has(at)).map(({ tag }) => tag);
}

/** The beginning of the requested part, which is enough to see what the note is about. */
const beginningOf = ({ text, from, to }: RequestedNote): string =>
  text.slice(from, Math.min(to, from + MAX_TEXT_LENGTH));

const lastPart = (tag: string): string => tag.slice(Math.max(tag.lastIndexOf('/'), 0) + 1).replace(/[-_]/g, ' ');

const firstWord = (name: string): string => name.toLowerCase().match(WORD)?.[0] ?? '';
