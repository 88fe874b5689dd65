// Explains why a note is or is not found: its state in the index and on disk, its terms, and its rank for a query.
import * as z from 'zod';
import type { NotePath } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { QuarantineEntry } from '../../contracts/change-set.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { topTerms } from '../../graph/relatedness.ts';
import { formsOf } from '../../markdown/excerpt/terms.ts';
import { textAfterProperties } from '../../markdown/frontmatter/front-matter.ts';
import { readTexts } from '../notes/note-content.ts';
import { parseTextQuery } from '../search/text-query.ts';
import { CHECK_FAILURES, indexStatusOf, type NoteIndexStatus, namesakesOf } from './index-status.ts';
import { type CheckedQuery, checkQuery } from './query-check.ts';
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
  others: { status: 'the whole index' },
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
  const namesakes = await namesakesOf(path, granted, call.signal);
  const terms = isIndexed ? await distinctiveTerms(path, record.title, SHOWN_TERMS, granted, call.signal) : [];
  const running = granted.indexer.state().running;
  return {
    verdict: explainStatus({ status, words, vectors, meaning, isReading: running !== undefined }),
    ...{ path, match, state: status.status, rule },
    ...(conflictCopy ? { conflict_copy: true } : {}),
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
    ...{ corrected, found, rank, score },
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
  signal: AbortSignal,
): Promise<string[]> {
  const text = (await readTexts([path], vault, signal)).get(path)?.slice(0, MAX_CHARACTERS);
  if (text === undefined) return [];
  const forms = [...formsOf(`${title}\n${textAfterProperties(text)}`)];
  const mostFrequent = forms.sort((one, other) => other[1] - one[1]).slice(0, MAX_FORMS);
  const words = mostFrequent.map(([form]) => form);
  const { indexed, docFrequencies } = await store.wordCounts(words, signal);
  const collection = { size: indexed, docFrequency: new Map(words.map((word, at) => [word, docFrequencies[at] ?? 0])) };
  return topTerms(new Map(mostFrequent), collection, most);
}

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
    ...(status.conflictCopy ? ['It is named like a conflict copy that a sync client made.'] : []),
    ...(words === undefined ? [] : [wordsSentence(words)]),
    ...(vectors?.reason === undefined ? [] : [vectorsSentence(vectors)]),
    ...(meaning === undefined ? [] : [meaningSentence(meaning)]),
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
