// The ranking methods that are compared: the tools themselves, and plain BM25.
import type { Bm25 } from './bm25.ts';
import type { OpenedVault } from './opened-vault.ts';

export interface Ranked {
  /** Paths, best first; empty if the provider failed. */
  readonly paths: readonly string[];
  readonly hasFailed?: boolean;
  /** The size that a dossier reports. */
  readonly tokens?: number;
}

/** Undefined if no provider is configured for it. */
export type Method = ((asked: string) => Promise<Ranked>) | undefined;
export type Methods = Readonly<Record<string, Method>>;

/** As many results as the measures use. */
const DEPTH = 20;
/** At this depth the fused list contains the first twenty results of each of its lists. */
const FUSED_DEPTH = 100;
export const BUDGET_TOKENS = 2_000;

type Hit = { readonly path: string; readonly scores?: { readonly vector?: { readonly rank: number } } };
const paths = (hits: readonly Hit[]): string[] => [...new Set(hits.map(({ path }) => path))];
const FAILED: Ranked = { paths: [], hasFailed: true };

/** From a query to notes. */
export function queryMethods({ ask, hasVectors }: OpenedVault, bm25: Bm25): Methods {
  return {
    'plain BM25': async (query) => ({ paths: bm25.toText(query).slice(0, DEPTH) }),
    'text (search_text)': async (query) => {
      const answer = await ask('search_text', { query, limit: DEPTH });
      return { paths: paths(answer.hits) };
    },
    'semantic (vectors of search)': hasVectors ? (query) => nearest(ask, query) : undefined,
    'hybrid (search)': hasVectors ? (query) => hybrid(ask, query) : undefined,
    'context (get_context)': async (topic) => {
      const { sections, tokens } = await ask('get_context', { topic, budget_tokens: BUDGET_TOKENS });
      return { paths: paths(sections), tokens };
    },
  };
}

async function hybrid(ask: OpenedVault['ask'], query: string): Promise<Ranked> {
  const answer = await ask('search', { query, limit: DEPTH });
  return answer === undefined ? FAILED : { paths: paths(answer.hits) };
}

/** Uses the rank that each hit reports for the list of vector matches. */
async function nearest(ask: OpenedVault['ask'], query: string): Promise<Ranked> {
  const answer = await ask('search', { query, limit: FUSED_DEPTH });
  if (answer === undefined) return FAILED;
  const rankOf = ({ scores }: Hit): number => scores?.vector?.rank ?? Number.POSITIVE_INFINITY;
  const found = (answer.hits as Hit[]).filter((hit) => Number.isFinite(rankOf(hit)));
  return { paths: paths(found.sort((one, other) => rankOf(one) - rankOf(other))).slice(0, DEPTH) };
}

/** From a note to other notes. */
export function noteMethods({ ask, hasVectors }: OpenedVault, bm25: Bm25): Methods {
  const related = (tool: string) => async (note: string) => {
    const answer = await ask(tool, { note, limit: DEPTH });
    return answer === undefined ? FAILED : { paths: paths(answer.related) };
  };
  return {
    'plain BM25': async (note) => ({ paths: bm25.toNote(note).slice(0, DEPTH) }),
    'related (find_related)': related('find_related'),
    'semantic (find_similar)': hasVectors ? related('find_similar') : undefined,
  };
}
