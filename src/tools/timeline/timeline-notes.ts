// Finds the notes whose passages can be in a timeline: about a topic, or named and those that link to them.
import { fileKindOf, isPdf, type NotePath } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { WeighedTerm } from '../../markdown/chunk/rated-spans.ts';
import { resolveNote } from '../notes/note-reference.ts';
import { excludedNotes, pathsMatching } from '../notes/vault-filter.ts';
import type { QueryVector } from '../search/embed-query.ts';
import { type FusedHit, fusedList, windowAt } from '../search/fused-page.ts';
import { ownDates } from '../search/hits-by-date.ts';
import { type RankedLists, searchLists } from '../search/hybrid-search.ts';
import type { Question } from '../search/text-query.ts';

type Sources = Granted<'store' | 'vault'>;

export interface FoundNote {
  readonly path: NotePath;
  readonly title: string;
  /** How well it fits the topic, as a share of the best. */
  readonly share: number;
  /** Only the passages on these lines, or with the terms of the topic. */
  readonly lines?: readonly number[];
}

export interface FoundNotes {
  readonly notes: readonly FoundNote[];
  readonly terms: readonly WeighedTerm[];
  /** Notes that are not read. */
  readonly unread: number;
}

/** Notes that are read for one answer. */
const MAX_NOTES = 40;
/** Notes that link to a note and are read. */
const MAX_LINKING = 200;

export type TopicNotes = FoundNotes & Pick<RankedLists, 'corrected' | 'leftOut' | 'searched'>;

/** So many notes with a date in the time asked for are read before the others. */
const MAX_OF_TIME = 20;

/**
 * @param embedding of the topic; undefined for a search by words alone
 * @param isOfTime whether the date of a note is in the time asked for; undefined where none is asked for
 */
export async function topicNotes(
  question: Question,
  embedding: Promise<QueryVector | undefined>,
  filter: NoteFilter,
  isOfTime: ((date: string) => boolean) | undefined,
  sources: Sources,
  call: CallContext,
): Promise<TopicNotes> {
  const window = windowAt([], MAX_NOTES);
  const scope = { sources, filter: { ...filter, attachmentTexts: true }, depth: window.depth };
  const lists = await searchLists(question, embedding, scope, call);
  const hits = fusedList(lists, window).filter(({ path }) => hasText(path));
  const best = Math.max(...hits.map(({ score }) => score), 0) || 1;
  const isCut = isOfTime !== undefined && hits.length > MAX_NOTES;
  const dates = isCut ? await ownDates(hits, sources.store, call.signal) : undefined;
  const isFirst = ({ path }: FusedHit): boolean => isOfTime?.(dates?.get(path)?.date ?? '') === true;
  const ofTime = isCut ? hits.filter(isFirst).slice(0, MAX_OF_TIME) : [];
  const notes = [...new Set([...ofTime, ...hits])].slice(0, MAX_NOTES).map(({ path, title, score, named, vector }) => ({
    path,
    title,
    share: named ? 1 : score / best,
    ...(vector && { lines: linesFrom(vector.lines) }),
  }));
  const terms = lists.terms.filter(({ negated }) => !negated).map((term) => ({ ...term, weight: term.weight ?? 0 }));
  const unlisted = Math.max(0, lists.total - lists.text.length);
  const dated = { notes, terms, unread: hits.length + unlisted - notes.length };
  const { corrected, leftOut, searched } = lists;
  return { ...dated, searched, ...(corrected && { corrected }), ...(leftOut && { leftOut }) };
}

const hasText = (path: NotePath): boolean => ['note', 'canvas'].includes(fileKindOf(path)) || isPdf(path);

const linesFrom = ([first, last]: readonly [number, number], most = MAX_LINES): number[] =>
  Array.from({ length: Math.min(most, last - first + 1) }, (_, at) => first + at);
const MAX_LINES = 100;
const MAX_PART = 5_000;

/**
 * The notes themselves, whole or the lines asked for, and of those that link to them the passages with the links.
 * @throws RESOLVE_FAILURES
 */
export async function namedNotes(
  references: readonly string[],
  filter: NoteFilter,
  sources: Sources,
  call: CallContext,
): Promise<FoundNotes> {
  // A note that the caller names counts wherever it is.
  const linesByPath = new Map<NotePath, readonly number[] | undefined>();
  const linking = new Map<NotePath, readonly number[]>();
  for (const reference of references) {
    const { path, lines } = await resolveNote(reference, 'notes', sources, call);
    const before = linesByPath.get(path);
    const isWhole = lines === undefined || (linesByPath.has(path) && before === undefined);
    linesByPath.set(
      path,
      isWhole ? undefined : [...(before ?? []), ...linesFrom([lines.line, lines.endLine], MAX_PART)],
    );
    for (const [source, at] of await linkingNotes(path, sources, call))
      linking.set(source, [...(linking.get(source) ?? []), ...at]);
  }
  const allowed = await allowedAmong([...linking.keys()], filter, sources, call);
  const others = [...linking].filter(([source]) => allowed.has(source) && !linesByPath.has(source));
  const notes = [...linesByPath, ...others.slice(0, MAX_LINKING)].map(([path, lines]) => foundNote(path, lines));
  return { notes, terms: [], unread: others.length + linesByPath.size - notes.length };
}

/** Without a condition all are, since `linkingNotes` leaves out the excluded ones. */
async function allowedAmong(
  among: readonly NotePath[],
  filter: NoteFilter,
  { store }: Sources,
  call: CallContext,
): Promise<ReadonlySet<NotePath>> {
  const isNarrowed = Object.keys(filter).length > 0;
  return new Set(isNarrowed ? await pathsMatching({ ...filter, among }, store, call.signal) : among);
}

const foundNote = (path: NotePath, lines?: readonly number[]): FoundNote => ({
  path,
  title: '',
  share: 1,
  ...(lines && { lines }),
});

/** With the lines of their links. */
async function linkingNotes(path: NotePath, { store }: Sources, call: CallContext): Promise<Map<NotePath, number[]>> {
  const excluded = await excludedNotes(store, call);
  const sources = (await store.linkingNotes(path, call.signal)).filter((note) => !excluded.has(note.path));
  const linesByNote = new Map(sources.map((note) => [note.path, [] as number[]]));
  const pairs = sources.slice(0, MAX_LINKING).map((note) => ({ source: note.path, target: path }));
  for (const { source, line } of await store.linksBetween(pairs, MAX_LINKS, call.signal))
    linesByNote.get(source)?.push(line);
  return linesByNote;
}

/** Links of one note to another. */
const MAX_LINKS = 20;
