// The ranking methods that are compared: the tools themselves, plain BM25, and the reference.
import { type Counts, formsOf, termsOf } from '../../src/markdown/excerpt/terms.ts';
import { createBm25 } from './bm25.ts';
import type { OpenedVault } from './opened-vault.ts';
import { createReference } from './reference.ts';

export interface Ranked {
  /** Paths, best first; empty if the query was refused. */
  readonly paths: readonly string[];
  readonly isRefused?: boolean;
  /** The size that a dossier reports. */
  readonly tokens?: number;
  /** The texts that are shown: the snippets of the first five hits, or the sections of a dossier. */
  readonly shown?: readonly string[];
}

/** Undefined if no provider is configured for it. */
export type Method = ((requested: string) => Promise<Ranked>) | undefined;
export type Methods = Readonly<Record<string, Method>>;

/** As many results as the measures use. */
const DEPTH = 20;
/** Hits whose snippets an assistant reads. */
const FIRST_HITS = 5;
/** The largest page of a tool. */
const PAGE = 100;
const BUDGET_TOKENS = 2_000;

type Hit = { readonly path: string; readonly scores?: { readonly vector?: { readonly rank: number } } };
const paths = (hits: readonly Hit[]): string[] => [...new Set(hits.map(({ path }) => path))];
const REFUSED: Ranked = { paths: [], isRefused: true };

/** The two forms of the reference; a method is compared with the better of them. */
export const REFERENCES = ['reference', 'reference, stemmed'] as const;

/** What methods without an index read: the notes as they are, and the title and body of each. */
export interface Texts {
  readonly notes: ReadonlyMap<string, string>;
  readonly titled: ReadonlyMap<string, string>;
}

/** From a query to notes. */
export function queryMethods({ ask, hasVectors }: OpenedVault, { notes, titled }: Texts): Methods {
  const [plain, stemmed] = REFERENCES;
  const bm25 = createBm25(plainTerms(titled));
  return {
    'plain BM25': atOnce((query) => bm25(termsOf(formsOf(query)).keys())),
    [plain]: atOnce(createReference(notes, false)),
    [stemmed]: atOnce(createReference(notes, true)),
    'text (search_text)': (query) => found(ask, query, 'search_text'),
    'semantic (vectors of search)': hasVectors ? (query) => nearest(ask, query) : undefined,
    'hybrid (search)': hasVectors ? (query) => found(ask, query, 'search') : undefined,
    'context (get_context)': async (topic) => {
      const answer = await ask('get_context', { topic, budget_tokens: BUDGET_TOKENS });
      if (answer === undefined) return REFUSED;
      const sections: readonly (Hit & { readonly text: string })[] = answer.sections;
      return { paths: paths(sections), tokens: answer.tokens, shown: sections.map(({ text }) => text) };
    },
  };
}

function plainTerms(texts: ReadonlyMap<string, string>): ReadonlyMap<string, Counts> {
  return new Map([...texts].map(([id, text]) => [id, termsOf(formsOf(text))]));
}

const atOnce = (rank: (query: string) => string[]): Method => {
  return async (query) => ({ paths: rank(query).slice(0, DEPTH) });
};

async function found(ask: OpenedVault['ask'], query: string, tool: 'search' | 'search_text'): Promise<Ranked> {
  const answer = await ask(tool, { query, limit: DEPTH });
  if (answer === undefined) return REFUSED;
  const hits: readonly (Hit & { readonly snippet: string })[] = answer.hits;
  return { paths: paths(hits), shown: hits.slice(0, FIRST_HITS).map(({ snippet }) => snippet) };
}

/** Uses the rank that each hit reports for the list of vector matches, on as many pages as show the first of them. */
async function nearest(ask: OpenedVault['ask'], query: string): Promise<Ranked> {
  const ranked = new Map<number, string>();
  const isComplete = (): boolean => Array.from({ length: DEPTH }, (_, at) => ranked.has(at + 1)).every(Boolean);
  let cursor: string | undefined;
  do {
    const answer = await ask('search', { query, limit: PAGE, ...(cursor && { cursor }) });
    if (answer === undefined) return REFUSED;
    for (const { path, scores } of answer.hits as Hit[]) if (scores?.vector) ranked.set(scores.vector.rank, path);
    cursor = answer.next_cursor;
  } while (cursor !== undefined && !isComplete());
  const inOrder = [...ranked].sort(([one], [other]) => one - other);
  return { paths: inOrder.map(([, path]) => path).slice(0, DEPTH) };
}

/** From a note to other notes. */
export function noteMethods({ ask, hasVectors }: OpenedVault, { titled }: Texts): Methods {
  const related = (tool: string) => async (note: string) => {
    const answer = await ask(tool, { note, limit: DEPTH });
    return answer === undefined ? REFUSED : { paths: paths(answer.related) };
  };
  const terms = plainTerms(titled);
  const bm25 = createBm25(terms);
  return {
    'plain BM25': atOnce((note) => bm25(terms.get(note)?.keys() ?? []).filter((other) => other !== note)),
    'related (find_related)': related('find_related'),
    'semantic (find_similar)': hasVectors ? related('find_similar') : undefined,
  };
}
