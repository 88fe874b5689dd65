// Explains why a note is or is not found: its state in the index and on disk, its terms, and its rank for a query.
import * as z from 'zod';
import type { NotePath } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { QuarantineEntry } from '../../contracts/change-set.ts';
import type { Page } from '../../contracts/note-filter.ts';
import type { Store } from '../../contracts/store.ts';
import type { TermPlace, TextHit, TextHits, TextQuery, TextTerm } from '../../contracts/text-query.ts';
import { type CallContext, defineTool, type ReadContext } from '../../contracts/tool.ts';
import { topTerms } from '../../graph/relatedness.ts';
import { formsOf } from '../../markdown/excerpt/terms.ts';
import { textAfterProperties } from '../../markdown/properties/front-matter.ts';
import { readTexts } from '../notes/note-content.ts';
import { checkSearched, parseTextQuery } from '../search/text-query.ts';
import { searchWords } from '../search/word-search.ts';
import { CHECK_FAILURES, indexStatusOf, type NoteIndexStatus, namesakesOf } from './index-status.ts';
import { type CheckedMeaning, type CheckedVectors, checkMeaning, checkVectors } from './vector-check.ts';

const SHOWN_TERMS = 8;

const input = z.strictObject({
  note: z.string().min(1).describe('path or name, indexed or not'),
  query: z.string().optional().describe('search that should find it'),
});
type Args = z.infer<typeof input>;
type Sources = Granted<'store' | 'vault' | 'indexer'>;

const tool = {
  name: 'check_note',
  title: 'Check a note',
  summary:
    'Explains why a note is or is not found: excluded, unreadable, not indexed yet; with query its rank and the words that match.',
  words: 'why not found, missing',
  effect: 'reads',
  references: ['note'],
  index: 'none',
  fails: [...CHECK_FAILURES, 'INVALID_QUERY'],
  input,
} as const;

/** @param embedding whether the config names an embedding provider; vectors are then checked, too */
export function createCheckNote({ embedding = false }: { readonly embedding?: boolean }) {
  if (!embedding) {
    return defineTool({
      ...tool,
      needs: ['store', 'vault', 'indexer'],
      run: (args: Args, granted, call) => checkNote(args, granted, undefined, call),
    });
  }
  return defineTool({
    ...tool,
    needs: ['store', 'vault', 'indexer', 'embedding'],
    run: (args: Args, granted, call) => checkNote(args, granted, byVectors(args, granted, call), call),
  });
}

type ByVectors = ReturnType<typeof byVectors>;

function byVectors({ query }: Args, granted: Granted<'store' | 'vault' | 'indexer' | 'embedding'>, call: CallContext) {
  return {
    vectors: ({ path }: NoteIndexStatus) => checkVectors(path, granted, call.signal),
    meaning: async ({ path }: NoteIndexStatus) =>
      query === undefined ? undefined : checkMeaning(query, path, granted, call),
  };
}

async function checkNote({ note, query }: Args, granted: Sources, by: ByVectors | undefined, call: CallContext) {
  // An invalid query is refused, whatever the state of the note.
  if (query !== undefined) parseTextQuery(query, 'any');
  const status = await indexStatusOf(note, granted, call);
  const { path, record, conflictCopy, quarantine, rule, match } = status;
  const isIndexed = record !== undefined && record.hash !== null && record.encoding !== 'utf-16';
  const words = isIndexed && query !== undefined ? await checkQuery(query, path, granted, call) : undefined;
  const vectors = isIndexed ? await by?.vectors(status) : undefined;
  const meaning = isIndexed ? await by?.meaning(status) : undefined;
  const namesakes = await namesakesOf(path, granted, call);
  const terms = isIndexed ? await distinctiveTerms(path, record.title, SHOWN_TERMS, granted, call) : [];
  const running = granted.indexer.state().running;
  return {
    verdict: explainStatus({ status, words, vectors, meaning, isReading: running !== undefined }),
    path,
    match,
    state: status.status,
    rule,
    ...(conflictCopy ? { conflict_copy: true } : {}),
    ...(record?.excluded && { excluded: true }),
    ...(namesakes.length === 0 ? {} : { same_name: namesakes }),
    ...(quarantine.length === 0 ? {} : { quarantine: quarantine.map(quarantineView) }),
    ...(vectors === undefined ? {} : { embedding: vectorsView(vectors) }),
    ...(terms.length === 0 ? {} : { terms }),
    ...(words === undefined ? {} : { query: queryView(words, meaning) }),
  };
}

function quarantineView({ phase, code, reason, attempts, last, line, column }: QuarantineEntry) {
  return { phase, code, reason, attempts, last, line, column };
}

function vectorsView({ failed, ...rest }: CheckedVectors) {
  return { ...rest, ...(failed.length === 0 ? {} : { failed_chunks: failed }) };
}

/** The ranks are those of search_text; `search` has those of both lists. */
function queryView(
  { terms, corrected, found, rank, score, before }: CheckedQuery,
  meaning: CheckedMeaning | undefined,
) {
  return {
    terms: terms.map(({ term, fields, notes, dropped }) => ({ term, fields, in_notes: notes, dropped })),
    corrected,
    found,
    rank,
    score,
    ...(before.length === 0 ? {} : { before }),
    ...(meaning === undefined ? {} : { search: meaning }),
  };
}

/** In a very long note, only the most frequent words are considered. */
const MAX_FORMS = 1_000;
const MAX_CHARACTERS = 200_000;

/** Best first, folded; empty if the note cannot be read. @throws VAULT_UNAVAILABLE */
async function distinctiveTerms(
  path: NotePath,
  title: string,
  most: number,
  { store, vault }: Granted<'store' | 'vault'>,
  call: CallContext,
): Promise<string[]> {
  const text = (await readTexts([path], vault, call)).get(path)?.slice(0, MAX_CHARACTERS);
  if (text === undefined) return [];
  await letOthersRun(call.signal);
  const forms = [...formsOf(`${title}\n${textAfterProperties(text)}`)];
  await letOthersRun(call.signal);
  const mostFrequent = forms.sort((one, other) => other[1] - one[1]).slice(0, MAX_FORMS);
  const words = mostFrequent.map(([form]) => form);
  const { indexed, docFrequencies } = await store.wordCounts(words, call.signal);
  const collection = { size: indexed, docFrequency: new Map(words.map((word, at) => [word, docFrequencies[at] ?? 0])) };
  return topTerms(new Map(mostFrequent), collection, most);
}

const EXCLUDED =
  "It is an excluded file in Obsidian's settings, so lists and searches leave it out; it can be read, linked and edited by its name.";

interface Findings {
  readonly status: NoteIndexStatus;
  readonly words: CheckedQuery | undefined;
  readonly vectors: CheckedVectors | undefined;
  readonly meaning: CheckedMeaning | undefined;
  /** Whether an index job is running. */
  readonly isReading: boolean;
}

function explainStatus({ status, words, vectors, meaning, isReading }: Findings): string {
  const sentences = [
    statusSentence(status, isReading),
    ...(status.record?.excluded ? [EXCLUDED] : []),
    ...(status.conflictCopy ? ['It is named like a conflict copy that a sync client made.'] : []),
    ...(words === undefined || status.record?.excluded ? [] : [wordsSentence(words)]),
    ...(vectors?.reason === undefined ? [] : [vectorsSentence(vectors)]),
    ...(meaning === undefined || status.record?.excluded ? [] : [meaningSentence(meaning)]),
  ];
  return sentences.join(' ');
}

function faultOf(fault: QuarantineEntry | undefined): string {
  if (fault === undefined) return '';
  return fault.phase === 'parse' ? ` [${fault.code}]: ${fault.reason}` : ` [${fault.code}]`;
}

function statusSentence({ status, rule = '', isUnseen, quarantine, record }: NoteIndexStatus, isReading: boolean) {
  const [fault] = quarantine;
  const soon = isReading ? 'a running job reads it' : 'call reindex to read it now';
  switch (status) {
    case 'indexed':
      if (record?.encoding === 'invalid')
        return 'Indexed, but it is not valid UTF-8: words with bytes that cannot be decoded are not found.';
      return fault === undefined
        ? 'Indexed as it is on disk.'
        : `Indexed as it is on disk, but not all of it could be read [${fault.code}].`;
    case 'changed':
      return fault?.phase === 'read'
        ? `Its newest text could not be read [${fault.code}]; searches find the one before.`
        : `Changed since it was indexed, so searches find its earlier text; ${soon}.`;
    case 'pending':
      return `It is in the vault and is not indexed yet; ${soon}.`;
    case 'missing':
      return 'It was deleted from disk; the next scan removes it from the index.';
    case 'quarantined':
      return `Not indexed: it could not be read${faultOf(fault)}.`;
    case 'evicted':
      return record !== undefined && record.hash !== null
        ? 'It is in the cloud and not on this machine; searches find the text it had before.'
        : 'Not indexed: it is in the cloud and not on this machine, and is read once it is downloaded.';
    case 'ignored':
      return `Excluded: ${rule}.${isUnseen ? ' Whether it exists was not checked.' : ''}`;
    case 'no_note':
      return 'It is an attachment, not a note: only its name is known, no text is searched.';
  }
}

function wordsSentence({ rank, found, terms }: CheckedQuery): string {
  if (rank !== undefined) return `search_text finds it at rank ${rank} of ${found}.`;
  const unwanted = terms.find(({ negated, fields }) => negated && fields.length > 0);
  if (unwanted !== undefined) return `search_text leaves it out: it contains what ${unwanted.term} excludes.`;
  const common = terms.some(({ dropped, fields }) => dropped === 'in_most_notes' && fields.length > 0);
  const but = common ? '; those it contains are in most notes and do not count' : '';
  return `search_text does not find it: it contains none of the query's words${but}.`;
}

function vectorsSentence({ embedded, reason = '' }: CheckedVectors): string {
  return embedded ? `Embedded, but ${reason}.` : `Not embedded: ${reason}.`;
}

function meaningSentence(search: CheckedMeaning): string {
  if ('error' in search) return `The search by meaning failed [${search.error.code}].`;
  const { rank, found } = search.meaning;
  const all = found === undefined ? '' : ` of ${found}`;
  const near = rank === undefined ? 'by meaning it is not among the nearest' : `by meaning it is ${rank}${all}`;
  return search.rank === undefined
    ? `search shows it on no first page; ${near}.`
    : `search shows it at rank ${search.rank}; ${near}.`;
}

/** A list of all notes would hold up other calls. */
const HITS_AT_ONCE = 400;
const SHOWN_BEFORE = 3;

interface CheckedTerm extends TermPlace {
  /** The term as written: `"a phrase"`, `-not`, `prefix*`. */
  readonly term: string;
  readonly negated: boolean;
  /** Why the search ignored it. */
  readonly dropped?: 'in_most_notes' | 'no_letters' | 'function_word';
}

type CheckedQuery = Awaited<ReturnType<typeof checkQuery>>;

/**
 * `corrected`: the spelling corrections, if the search used any.
 * `found`: the number of notes that match.
 * `rank`: the rank of the note among them, from 1; absent if it does not match.
 * `before`: the best of the notes that rank above it.
 * @throws INVALID_QUERY
 */
async function checkQuery(text: string, path: NotePath, sources: Granted<'store' | 'vault'>, context: CallContext) {
  const { store } = sources;
  const { query: written, ignored, functionWords } = parseTextQuery(text, 'any');
  const { query, corrected, found: matches } = await searchWords(written, {}, pageAt(0), sources, context);
  checkSearched(query, matches.total, context);
  const { hits, total, dropped } = matches;
  const functionWordTerms = functionWords.map((word): TextTerm => ({ text: word, kind: 'word', negated: false }));
  const places = await store.termPlaces(path, [...query.terms, ...functionWordTerms], context.signal);
  const { at, hit } = await placeOf(path, query, matches, store, context);
  const before = hits.slice(0, Math.max(0, Math.min(at, SHOWN_BEFORE)));
  const searched = query.terms.map((term, index) => checkedTerm(term, places[index], dropped));
  const ofFunctionWords = functionWordTerms.map((term, index) => {
    return { ...checkedTerm(term, places[query.terms.length + index], []), dropped: 'function_word' } as const;
  });
  const withoutLetters = ignored.map((term): CheckedTerm => {
    return { term, negated: false, fields: [], notes: 0, dropped: 'no_letters' };
  });
  return {
    terms: [...searched, ...ofFunctionWords, ...withoutLetters],
    ...(corrected === undefined ? {} : { corrected }),
    found: total,
    before: before.map(({ path: other, score }) => ({ path: other, score })),
    ...(hit === undefined ? {} : { rank: at + 1, score: hit.score }),
  };
}

const pageAt = (offset: number): Page => ({ limit: HITS_AT_ONCE, offset });

/** The hit for the note, and how many hits are before it; -1 if there is none. */
async function placeOf(
  path: NotePath,
  query: TextQuery,
  first: TextHits,
  store: Store,
  { signal }: ReadContext,
): Promise<{ readonly at: number; readonly hit?: TextHit }> {
  for (let offset = 0, page = first; ; ) {
    const at = page.hits.findIndex((hit) => hit.path === path);
    const hit = page.hits[at];
    if (hit !== undefined) return { at: offset + at, hit };
    offset += HITS_AT_ONCE;
    if (offset >= page.total) return { at: -1 };
    page = await store.searchText(query, {}, pageAt(offset), signal);
  }
}

function checkedTerm(term: TextTerm, place: TermPlace | undefined, dropped: readonly string[]): CheckedTerm {
  const { fields = [], notes = 0 } = place ?? {};
  const isDropped = !term.negated && dropped.includes(term.text);
  return {
    term: writtenOf(term),
    negated: term.negated,
    fields,
    notes,
    ...(isDropped ? { dropped: 'in_most_notes' } : {}),
  };
}

function writtenOf({ text, kind, negated }: TextTerm): string {
  const word = kind === 'phrase' ? `"${text}"` : text;
  return `${negated ? '-' : ''}${word}${kind === 'prefix' ? '*' : ''}`;
}
