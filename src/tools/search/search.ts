// Tool: search by meaning and by words, with the rank of each hit in both lists.
import * as z from 'zod';
import type { ErrorCode } from '../../base/errors.ts';
import { outcomeOf } from '../../base/outcome.ts';
import { CAPABILITY_FAILS, type Granted } from '../../contracts/capability.ts';
import type { RerankProvider } from '../../contracts/rerank.ts';
import type { Store } from '../../contracts/store.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { briefFilterShape, datesOf, periodView } from '../notes/filters.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { filterWithoutTemplates, leftOutView, templatesArgument, warnOfFilters } from '../notes/vault-filter.ts';
import { embedKnownQuery, type QueryVector } from './embed-query.ts';
import { warnOfForeignWords } from './foreign-words.ts';
import { type FusedHit, type FusionWindow, fusedList, fusedPage, weightsOf, windowAt } from './fused-page.ts';
import { asksForAll, newestFirst, recentPreferred, timeShape } from './hits-by-date.ts';
import { type RankedLists, searchLists } from './hybrid-search.ts';
import { warnOfForeignSyntax, warnOfLeftOut } from './query-warnings.ts';
import { type Reranked, rerankedView, rerankHits, rerankShape } from './rerank-hits.ts';
import { SNIPPET_CHARS, type Snippet, snippetsOf } from './snippets.ts';
import { hasMeaning, parseQuestion, type Question } from './text-query.ts';
import { wordScores } from './word-search.ts';

const shape = {
  query: z.string().describe('a question, or words, "a phrase", -not, prefix*'),
  match: z.enum(['any', 'all']).default('any').describe('all: only notes with every word'),
  ...briefFilterShape,
  templates: templatesArgument,
  explain: z.boolean().default(false).describe('show how scores came about'),
  detail: z.enum(['brief', 'full']).default('brief').describe('full: longer snippets'),
  ...timeShape,
  ...pageShape,
};
const textOnlyShape = {
  on_embedding_failure: z
    .enum(['fail', 'text_only'])
    .default('fail')
    .describe('text_only: answer by words alone if the model fails'),
};
const mismatchedShape = {
  allow_mismatched_query: z.boolean().default(false).describe('true: search vectors that another model made'),
};
const wholeInput = z.strictObject({ ...shape, ...textOnlyShape, ...mismatchedShape, ...rerankShape });
type Opened = 'on_embedding_failure' | 'allow_mismatched_query' | 'rerank';
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
  /** Whether the hits are reranked; enables `rerank`. */
  readonly rerank?: boolean;
  /** Whether the embedding model is for many languages. */
  readonly multilingual?: boolean;
}

const NEEDS = ['store', 'vault', 'indexer', 'embedding'] as const;

export function createSearch({ textOnly, mismatched = false, rerank = false, multilingual = false }: SearchOptions) {
  const input = z.strictObject({
    ...shape,
    ...(textOnly ? textOnlyShape : {}),
    ...(mismatched ? mismatchedShape : {}),
    ...(rerank ? rerankShape : {}),
  });
  const search = searchWith(createPaging('search', input.shape), multilingual);
  const tool = {
    name: 'search',
    title: 'Search by meaning',
    summary:
      "Finds the user's Markdown notes (Obsidian vault) by meaning and words at once. Returns hits, best first: path, lines, snippet, score and ranks.",
    others: { get_context: 'a whole topic in one call', list_notes: 'filters without words' },
    example: { query: 'when does a boat need a new keel?' },
    words: 'search my notes, semantic, question',
    effect: 'reads',
    across: ['hits'],
    instead: ['search_text'],
    index: 'part',
    fails: [
      'INVALID_INPUT',
      'INVALID_QUERY',
      'PATH_NOT_ALLOWED',
      'VAULT_UNAVAILABLE',
      'EMBEDDER_MISMATCH',
      'INDEX_JOB_FAILED',
    ],
    input: input as z.ZodType<SearchArgs>,
  } as const;
  if (!rerank) return defineTool({ ...tool, needs: NEEDS, run: (args, granted, call) => search(args, granted, call) });
  return defineTool({
    ...tool,
    needs: [...NEEDS, 'rerank'],
    run: (args, granted, call) => search(args, granted, call, args.rerank ? granted.rerank : undefined),
  });
}

/** @param paging of the tool */
function searchWith(paging: ReturnType<typeof createPaging>, multilingual: boolean) {
  return async (args: SearchArgs, granted: Sources, call: CallContext, reranker?: RerankProvider) => {
    const startedAt = performance.now();
    const { store, vault } = granted;
    const window = windowAt(paging.placeOf(args), args.limit, args.sort === 'time' ? MAX_TIMED : reranker?.top);
    const question = parseQuestion(args.query, args.match);
    const filter = await filterWithoutTemplates(args, granted, call);
    const embedding = embedOrSkip(question, args, granted, call);
    const scope = { sources: granted, filter: { ...filter, attachmentTexts: true }, depth: window.depth };
    const lists = await searchLists(question, embedding, scope, call);
    await warnOfFilters(filter, store, call);
    warnOfForeignSyntax(args.query, call);
    warnOfLeftOut(lists.leftOut, args.match, call);
    const isUnmatched = lists.text.length === 0 && window.before === 0;
    if (isUnmatched && !multilingual) await warnOfForeignWords(args.query, store, call);
    const timed = await inTime(args, lists, window, store, call.signal);
    const isReranked = reranker !== undefined && timed === undefined;
    const reordered = isReranked ? await reorder(lists, window, question, reranker, vault, call) : undefined;
    const { hits, next } = pageOf(args, lists, window, timed?.hits ?? reordered);
    const snippets = await snippetsOf(hits.map(withPassage), lists.terms, SNIPPET_CHARS[args.detail], vault, call);
    const dates = await datesOf(hits, filter, store, call.signal);
    const dropped = [...question.ignored, ...question.functionWords, ...lists.dropped];
    const ownMs = performance.now() - startedAt - (lists.embedded?.providerMs ?? 0);
    return {
      hits: hits.map((hit) => ({
        ...hitView(hit, snippets.get(hit.path), args.explain),
        ...timed?.dates.get(hit.path),
        ...dates.get(hit.path),
      })),
      ...timed?.view,
      ...periodView(filter),
      ...leftOutView(filter),
      ...(lists.corrected === undefined ? {} : { corrected: lists.corrected }),
      ...(lists.leftOut === undefined ? {} : { left_out: lists.leftOut }),
      ...(dropped.length === 0 ? {} : { dropped }),
      ...rerankedView(reordered),
      ...(args.explain ? { explain: explanation(question, lists, window, ownMs) } : {}),
      ...paging.nextPlace(args, next),
    };
  };
}

/** So many hits by words, and by meaning, are put in order of time. */
const MAX_TIMED = 200;

/** The hits of the first window by the dates of their notes; undefined where these do not matter. */
async function inTime(
  { sort, prefer }: SearchArgs,
  lists: RankedLists,
  window: FusionWindow,
  store: Store,
  signal: AbortSignal,
) {
  if (window.before > 0 || (sort === undefined && prefer === undefined)) return undefined;
  const hits = fusedList(lists, window);
  const isWhole = asksForAll(lists.searched);
  return sort === 'time'
    ? newestFirst(hits, ({ text }) => isWhole && text !== undefined, store, signal)
    : recentPreferred(hits, store, signal);
}

/** Hits in order of time are one list, which has no further sections. */
function pageOf(
  { sort, limit }: SearchArgs,
  lists: RankedLists,
  window: FusionWindow,
  ordered: readonly Reranked<FusedHit>[] | undefined,
) {
  if (sort === undefined || ordered === undefined) return fusedPage(lists, window, limit, ordered);
  const end = window.offset + limit;
  const next = end < ordered.length ? [end, window.depth, window.before] : undefined;
  return { hits: ordered.slice(window.offset, end), next };
}

/** The hits of the first window in the order of the model; undefined for a page that is beyond the hits it reorders. */
async function reorder(
  lists: RankedLists,
  window: FusionWindow,
  { meaning: query }: Question,
  reranker: RerankProvider,
  vault: Vault,
  call: CallContext,
): Promise<readonly Reranked<FusedHit>[] | undefined> {
  if (window.before > 0 || window.offset >= reranker.top) return undefined;
  // Notes called like the query stay first, and where the query asks for its very words, so do the notes that have them.
  const groupOf = ({ named, text }: FusedHit): number => (named ? 0 : lists.isExact && text === undefined ? 2 : 1);
  const { terms } = lists;
  const hits: readonly Reranked<FusedHit>[] = fusedList(lists, window);
  const ranking = { query, hits, terms, passageOf: withPassage, groupOf };
  return rerankHits<Reranked<FusedHit>>(ranking, reranker, vault, call);
}

/** Undefined if there is nothing to embed, or embedding failed, the caller allows an answer by words alone, and the query has words. */
async function embedOrSkip(question: Question, args: SearchArgs, granted: Sources, call: CallContext) {
  if (!hasMeaning(question)) return undefined;
  const { meaning, query } = question;
  const outcome = await outcomeOf(embedKnownQuery(meaning, granted, call, args.allow_mismatched_query));
  if ('value' in outcome) return outcome.value;
  const { code: reason_code } = outcome.error;
  const allowsTextOnly = args.on_embedding_failure === 'text_only' && TEXT_ONLY_ON.has(reason_code);
  if (!allowsTextOnly || query.terms.length === 0) throw outcome.error;
  call.annotate({ degraded: { from: 'hybrid', to: 'text', reason_code, opted_in_by: 'on_embedding_failure' } });
  return undefined;
}

/** The snippet of a hit found by meaning shows the passage that matched, not the words. */
function withPassage({ path, title, vector }: FusedHit) {
  return vector === undefined ? { path, title } : { path, title, lines: vector.lines };
}

/** @param explain adds the share of each list in the score */
function hitView(
  { path, title, score, named, text, vector, rerank }: Reranked<FusedHit>,
  snippet: Snippet | undefined,
  explain: boolean,
) {
  const share = (part: { readonly share: number }) => (explain ? { share: part.share } : {});
  const scores = {
    ...(text === undefined
      ? {}
      : { text: { rank: text.rank, ...(explain ? wordScores(text.hit) : { bm25: text.hit.bm25 }), ...share(text) } }),
    ...(vector === undefined ? {} : { vector: { rank: vector.rank, cosine: vector.cosine, ...share(vector) } }),
    ...(explain && rerank ? { rerank } : {}),
  };
  return { path, title, ...snippet, score, ...(named ? { named } : {}), scores };
}

/** How the query was parsed, which vectors it was compared with, and how the lists were fused. @param ownMs time without the provider */
function explanation(
  { meaning, ignored, functionWords }: Question,
  lists: RankedLists,
  { depth }: FusionWindow,
  ownMs: number,
) {
  const { embedded } = lists;
  return {
    text: lists.searched.terms.length === 0 ? 'no word to look up: meaning alone decides' : lists.searched,
    dropped: { without_letters: ignored, function_words: functionWords, in_most_notes: lists.dropped },
    ...(embedded === undefined
      ? {}
      : { vector: { meaning, generation: lists.generation?.id, ...modelView(embedded) } }),
    fusion: {
      method: 'sum of scores',
      weights: weightsOf(lists),
      usual_cosine: lists.usual,
      ...(lists.matched === undefined ? {} : { words_matched: lists.matched }),
      depth,
    },
    timing_ms: { provider: Math.round(embedded?.providerMs ?? 0), own: Math.round(ownMs) },
  };
}

function modelView({ identity }: QueryVector) {
  const { provider, model, dims, queryPrefix, documentPrefix } = identity;
  return { provider, model, dims, prefixes: { query: queryPrefix, document: documentPrefix } };
}
