// Tool: search by meaning and by words, with the rank of each hit in both lists.
import * as z from 'zod';
import { type ErrorCode, toVaultgraphError } from '../../base/errors.ts';
import { CAPABILITY_FAILS, type Granted } from '../../contracts/capability.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { RRF_K } from '../../graph/fusion.ts';
import { datesOf, filterShape, noteFilter, warnOfEmptyFilters } from '../notes/filters.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { embedQuery, type QueryVector } from './embed-query.ts';
import {
  type FusedHit,
  type FusionWindow,
  fusedPage,
  type RankedLists,
  searchLists,
  WEIGHTS,
  windowAt,
} from './hybrid-search.ts';
import { SNIPPET_CHARS, type Snippet, snippetsOf } from './snippets.ts';
import { parseQuestion, type Question } from './text-query.ts';

const shape = {
  query: z.string().describe('a question; words "a phrase" -not prefix*'),
  match: z.enum(['any', 'all']).default('any'),
  ...filterShape,
  explain: z.boolean().default(false),
  detail: z.enum(['brief', 'full']).default('brief'),
  ...pageShape,
};
const textOnlyShape = { on_embedding_failure: z.enum(['fail', 'text_only']).default('fail') };
const mismatchedShape = { allow_mismatched_query: z.boolean().default(false) };
const wholeInput = z.strictObject({ ...shape, ...textOnlyShape, ...mismatchedShape });
type Opened = 'on_embedding_failure' | 'allow_mismatched_query';
type SearchArgs = Omit<z.infer<typeof wholeInput>, Opened> & Partial<Pick<z.infer<typeof wholeInput>, Opened>>;
type Sources = Granted<'store' | 'vault' | 'indexer' | 'embedding'>;

/** Failures after which `on_embedding_failure: text_only` searches by words alone. */
const TEXT_ONLY_ON: ReadonlySet<ErrorCode> = new Set([...CAPABILITY_FAILS.embedding, 'EMBEDDER_MISMATCH']);

/** Which optional arguments the config enables. */
export interface SearchOptions {
  /** Enables `on_embedding_failure`. */
  readonly textOnly: boolean;
  /** Enables `allow_mismatched_query`. */
  readonly mismatched?: boolean;
}

export function createSearch({ textOnly, mismatched = false }: SearchOptions) {
  const input = z.strictObject({
    ...shape,
    ...(textOnly ? textOnlyShape : {}),
    ...(mismatched ? mismatchedShape : {}),
  });
  const paging = createPaging('search', input.shape);
  return defineTool({
    name: 'search',
    summary: 'Hybrid search by meaning and by words. Each hit has its rank and score in each list that found it.',
    effect: 'reads',
    needs: ['store', 'vault', 'indexer', 'embedding'],
    instead: ['search_text'],
    index: 'part',
    fails: [
      'INVALID_INPUT',
      'INVALID_QUERY',
      'LIMIT_EXCEEDED',
      'PATH_NOT_ALLOWED',
      'VAULT_UNAVAILABLE',
      'EMBEDDER_MISMATCH',
      'INDEX_JOB_FAILED',
    ],
    input: input as z.ZodType<SearchArgs>,
    run: async (args, granted: Sources, call) => {
      const startedAt = performance.now();
      const { store, vault } = granted;
      const window = windowAt(paging.placeOf(args), args.limit);
      const question = parseQuestion(args.query, args.match);
      const filter = noteFilter(args);
      const embedded = await embedOrSkip(question, args, granted, call);
      const lists = await searchLists(question, embedded, { store, filter, depth: window.depth }, call);
      await warnOfEmptyFilters(filter, store, call);
      warnOfUnsearchedWords(question, call);
      const { hits, next } = fusedPage(lists, window, args.limit);
      const snippets = await snippetsOf(hits.map(withPassage), lists.terms, SNIPPET_CHARS[args.detail], vault, call);
      const dates = await datesOf(hits, filter, store, call.signal);
      const dropped = [...question.ignored, ...question.functionWords, ...lists.dropped];
      const ownMs = performance.now() - startedAt - (embedded?.providerMs ?? 0);
      return {
        hits: hits.map((hit) => ({ ...hitView(hit, snippets.get(hit.path), args.explain), ...dates.get(hit.path) })),
        ...(lists.corrected === undefined ? {} : { corrected: lists.corrected }),
        ...(dropped.length === 0 ? {} : { dropped }),
        ...(args.explain ? { explain: explanation(question, embedded, lists, window, ownMs) } : {}),
        ...paging.nextPlace(args, next),
      };
    },
  });
}

/** Undefined if embedding failed, the caller allows an answer by words alone, and the query has words. */
async function embedOrSkip(
  { meaning, query }: Question,
  args: SearchArgs,
  granted: Sources,
  call: CallContext,
): Promise<QueryVector | undefined> {
  const [outcome] = await Promise.allSettled([embedQuery(meaning, granted, call, args.allow_mismatched_query)]);
  if (outcome.status === 'fulfilled') return outcome.value;
  const { code: reason_code } = toVaultgraphError(outcome.reason);
  const allowsTextOnly = args.on_embedding_failure === 'text_only' && TEXT_ONLY_ON.has(reason_code);
  if (!allowsTextOnly || query === undefined) throw outcome.reason;
  call.annotate({ degraded: { from: 'hybrid', to: 'text', reason_code, opted_in_by: 'on_embedding_failure' } });
  return undefined;
}

function warnOfUnsearchedWords({ unsearched: count }: Question, call: CallContext): void {
  if (count === 0) return;
  const message = `${count} more words of the query counted for its meaning only and were not looked up`;
  call.warn({ code: 'TRUNCATED', message, count });
}

/** The snippet of a hit found by meaning shows the passage that matched, not the words. */
function withPassage({ path, title, vector }: FusedHit) {
  return vector === undefined ? { path, title } : { path, title, lines: vector.lines };
}

/** @param explain adds the share of each list in the score */
function hitView(
  { path, title, score, named, text, vector }: FusedHit,
  snippet: Snippet | undefined,
  explain: boolean,
) {
  const share = (part: { readonly share: number }) => (explain ? { share: part.share } : {});
  const scores = {
    ...(text === undefined ? {} : { text: { rank: text.rank, bm25: text.bm25, ...share(text) } }),
    ...(vector === undefined ? {} : { vector: { rank: vector.rank, cosine: vector.cosine, ...share(vector) } }),
  };
  return { path, title, ...snippet, score, ...(named ? { named } : {}), scores };
}

/** How the query was parsed, which vectors it was compared with, and how the lists were fused. @param ownMs time without the provider */
function explanation(
  { query, meaning, ignored, functionWords }: Question,
  embedded: QueryVector | undefined,
  { dropped, generation }: RankedLists,
  { depth }: FusionWindow,
  ownMs: number,
) {
  return {
    text: query ?? 'no word to look up: meaning alone decides',
    dropped: { without_letters: ignored, function_words: functionWords, in_most_notes: dropped },
    ...(embedded === undefined ? {} : { vector: { meaning, generation: generation?.id, ...modelView(embedded) } }),
    fusion: { method: 'reciprocal rank fusion', k: RRF_K, weights: WEIGHTS, depth },
    timing_ms: { provider: Math.round(embedded?.providerMs ?? 0), own: Math.round(ownMs) },
  };
}

function modelView({ identity }: QueryVector) {
  const { provider, model, dims, queryPrefix, documentPrefix } = identity;
  return { provider, model, dims, prefixes: { query: queryPrefix, document: documentPrefix } };
}
