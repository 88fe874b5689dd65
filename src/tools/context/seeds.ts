// Finds the notes of a context: by topic, or by reference.
import { fileKindOf, isPdf, type NotePath } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import type { TextTerm } from '../../contracts/text-query.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { idf } from '../../graph/relatedness.ts';
import { readTexts } from '../notes/note-content.ts';
import { readRequestedText } from '../notes/requested-note.ts';
import { warnOfForeignSyntax, warnOfLeftOut } from '../search/query-warnings.ts';
import { checkSearched, parseQuestion } from '../search/text-query.ts';
import { type Correction, searchWords } from '../search/word-search.ts';
import { type ContextNote, contextNote, type LineRange, MAX_PASSAGES, type Piece, passagesIn } from './passages.ts';

type Sources = Granted<'store' | 'vault'>;

export interface Seeds {
  readonly notes: readonly ContextNote[];
  /** The best passage of each of the first notes, then the second best of each, and so on; then of the others. */
  readonly passages: readonly Piece[];
  /** How many of the passages are the best ones of the first notes. */
  readonly best: number;
  /** Notes that were found but are not included. */
  readonly more: number;
  /** Corrected words of the topic. */
  readonly corrected?: readonly Correction[];
}

/** Further notes are read only to fill a large budget. */
const FEW_HITS = 8;
const MAX_HITS = 80;
/** A hit in a short note fills about as much. */
const TOKENS_A_HIT = 90;

/** @throws INVALID_QUERY */
export async function topicSeeds(
  topic: string,
  filter: NoteFilter,
  { passage: tokens, budget }: { readonly passage: number; readonly budget: number },
  sources: Sources,
  call: CallContext,
): Promise<Seeds> {
  const { vault } = sources;
  const most = Math.min(MAX_HITS, Math.max(FEW_HITS, Math.ceil(budget / TOKENS_A_HIT)));
  const { query } = parseQuestion(topic, 'any');
  const page = { limit: 2 * most, offset: 0 };
  const withTexts = { ...filter, attachmentTexts: true };
  const { query: searched, corrected, leftOut, found } = await searchWords(query, withTexts, page, sources, call);
  checkSearched(searched, found.total, call);
  warnOfForeignSyntax(topic, call);
  warnOfLeftOut(leftOut, query.match, call);
  const first = found.hits.filter(({ path }) => fileKindOf(path) === 'note' || isPdf(path)).slice(0, most);
  const paths = first.map(({ path }) => path);
  const texts = await readTexts(paths, vault, call.signal, (text) => text);
  const notes = first.flatMap(({ path, title }) => {
    const text = texts.get(path);
    return text === undefined ? [] : [contextNote(path, title, text)];
  });
  const wanted = searched.terms.filter(({ negated }) => !negated);
  const terms = await weightedTerms(wanted, sources, call);
  const requests = notes.map((note) => ({ note, meant: undefined }));
  const passages = await passagesIn(requests, terms, tokens, 'hit', call);
  const seeds = {
    notes,
    // What the best notes say comes before the notes that were found last.
    passages: [...interleaved(passages.slice(0, FEW_HITS)), ...interleaved(passages.slice(FEW_HITS))],
    best: Math.min(notes.length, FEW_HITS),
    more: found.total - notes.length,
  };
  return corrected === undefined ? seeds : { ...seeds, corrected };
}

async function weightedTerms(terms: readonly TextTerm[], { store }: Sources, call: CallContext) {
  const words = terms.map(({ text }) => text.toLowerCase());
  const { indexed, docFrequencies } = await store.wordCounts(words, call.signal);
  return terms.map(({ text, kind }, at) => ({ text, kind, weight: idf(indexed, docFrequencies[at] ?? 1) }));
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
    const given = await readRequestedText({ ...asker, argument: 'notes', reference }, sources, call);
    const known = meant.get(given.path) ?? { note: contextNote(given.path, given.title, given.text), lines: [] };
    known.lines.push(given.lines);
    meant.set(given.path, known);
  }
  const passages: Piece[][] = [];
  for (const { note, lines } of meant.values()) {
    const requests = lines.map((one) => ({ note, meant: one }));
    passages.push((await passagesIn(requests, [], tokens, 'asked for', call)).flat());
  }
  const notes = [...meant.values()].map(({ note }) => note);
  return { notes, passages: interleaved(passages), best: notes.length, more: 0 };
}

function interleaved(lists: readonly (readonly Piece[])[]): Piece[] {
  const turns = Math.min(MAX_PASSAGES, Math.max(0, ...lists.map(({ length }) => length)));
  return Array.from({ length: turns }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}
