// Finds the notes of a context: by topic, or by reference.
import { fileKindOf, isPdf, type NotePath } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import type { TextHit } from '../../contracts/text-query.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { MAX_PASSAGES } from '../../markdown/chunk/rated-spans.ts';
import { readTexts } from '../notes/note-content.ts';
import { readRequestedText } from '../notes/requested-note.ts';
import { recentPreferred } from '../search/hits-by-date.ts';
import { warnOfForeignSyntax, warnOfLeftOut } from '../search/query-warnings.ts';
import { checkSearched, parseQuestion } from '../search/text-query.ts';
import { type Correction, highlightTerms, searchWords } from '../search/word-search.ts';
import { type ContextNote, contextNote, type LineRange, type Piece, passagesIn, type RatedPiece } from './passages.ts';

type Sources = Granted<'store' | 'vault'>;

export interface Seeds {
  readonly notes: readonly ContextNote[];
  /** The best first: about a topic those of the first notes and then of all together, otherwise the first of each note, then the second of each, and so on. */
  readonly passages: readonly Piece[];
  /** How many of the passages come before what is about other notes. */
  readonly best: number;
  /** Notes that were found but are not included. */
  readonly more: number;
  /** Corrected words of the topic. */
  readonly corrected?: readonly Correction[];
  /** How dates changed the order, for the answer. */
  readonly order?: object;
}

/** Further notes are read only to fill a large budget. */
const FEW_HITS = 8;
const MAX_HITS = 80;
/** A hit in a short note fills about as much. */
const TOKENS_A_HIT = 90;

export interface TopicManner {
  /** The tokens of a passage, and of all of them. */
  readonly passage: number;
  readonly budget: number;
  readonly isRecentPreferred?: boolean;
}

/** @throws INVALID_QUERY */
export async function topicSeeds(
  topic: string,
  filter: NoteFilter,
  { passage: tokens, budget, isRecentPreferred = false }: TopicManner,
  sources: Sources,
  call: CallContext,
): Promise<Seeds> {
  const { vault } = sources;
  const most = Math.min(MAX_HITS, Math.max(FEW_HITS, Math.ceil(budget / TOKENS_A_HIT)));
  const { query } = parseQuestion(topic, 'any');
  const page = { limit: 2 * most, offset: 0 };
  const withTexts = { ...filter, attachmentTexts: true };
  const {
    query: searched,
    corrected,
    leftOut,
    found: matches,
  } = await searchWords(query, withTexts, page, sources, call);
  checkSearched(searched, matches.total, call);
  warnOfForeignSyntax(topic, call);
  warnOfLeftOut(leftOut, query.match, call);
  const preferred = isRecentPreferred ? await recentPreferred(matches.hits, sources.store, call.signal) : undefined;
  const first = (preferred?.hits ?? matches.hits)
    .filter(({ path }) => fileKindOf(path) !== 'base' && (fileKindOf(path) !== 'attachment' || isPdf(path)))
    .slice(0, most);
  const paths = first.map(({ path }) => path);
  const texts = await readTexts(paths, vault, call, 'written');
  const notes = first.flatMap(({ path, title }) => {
    const text = texts.get(path);
    return text === undefined ? [] : [contextNote(path, title, text)];
  });
  const terms = highlightTerms(searched, matches).filter(({ negated }) => !negated);
  const requests = notes.map((note) => ({ note, meant: undefined }));
  // A single long note can fill a large budget. Passages have about half of the tokens that they are estimated to have.
  const limit = Math.max(MAX_PASSAGES, Math.ceil((2 * budget) / tokens));
  const passages = await passagesIn(requests, terms, { tokens, limit }, 'hit', call);
  const ranked = bestFirst(passages.flat(), first);
  const seeds = {
    notes,
    passages: ranked,
    best: Math.min(ranked.length, FEW_HITS),
    more: matches.total - notes.length,
  };
  return { ...seeds, ...(corrected && { corrected }), ...(preferred && { order: preferred.view }) };
}

/** The best passage of each of so many first notes comes before all others, so that a question about several finds each. */
const LEADING_NOTES = 5;

/** By the score of their note and by their own words, each as a share of the best. */
function bestFirst(passages: readonly RatedPiece[], hits: readonly TextHit[]): RatedPiece[] {
  const most = Math.max(...passages.map(({ weight }) => weight)) || 1;
  const highest = Math.max(...hits.map(({ score }) => score)) || 1;
  const shares = new Map(hits.map(({ path, score, named }) => [path, named ? 1 : score / highest]));
  const scoreOf = ({ note, weight }: RatedPiece): number => (shares.get(note.path) ?? 0) + weight / most;
  const ranked = passages.toSorted((one, other) => scoreOf(other) - scoreOf(one));
  const leading = hits
    .slice(0, LEADING_NOTES)
    .flatMap(({ path }) => ranked.find(({ note }) => note.path === path) ?? []);
  return [...new Set([...leading, ...ranked])];
}

export interface CallingTool {
  readonly tool: string;
  /** The names of its arguments. */
  readonly accepted: readonly string[];
}

/** @throws GIVEN_NOTE_FAILURES */
export async function noteSeeds(
  references: readonly string[],
  tokens: number,
  asker: CallingTool,
  sources: Sources,
  call: CallContext,
): Promise<Seeds> {
  const meant = new Map<NotePath, { readonly note: ContextNote; readonly lines: LineRange[] }>();
  for (const reference of references) {
    const passage = await readRequestedText({ ...asker, argument: 'notes', reference }, sources, call);
    const seed = meant.get(passage.path) ?? { note: contextNote(passage.path, passage.title, passage.text), lines: [] };
    seed.lines.push(passage.lines);
    meant.set(passage.path, seed);
  }
  const passages: Piece[][] = [];
  for (const { note, lines } of meant.values()) {
    const requests = lines.map((one) => ({ note, meant: one }));
    passages.push((await passagesIn(requests, [], { tokens, limit: MAX_PASSAGES }, 'asked for', call)).flat());
  }
  const notes = [...meant.values()].map(({ note }) => note);
  return { notes, passages: interleaved(passages), best: notes.length, more: 0 };
}

function interleaved(lists: readonly (readonly Piece[])[]): Piece[] {
  const turns = Math.min(MAX_PASSAGES, Math.max(0, ...lists.map(({ length }) => length)));
  return Array.from({ length: turns }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}
