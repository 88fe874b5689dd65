// Tool: full-text search.
import * as z from 'zod';
import type { Granted } from '../../contracts/capability.ts';
import type { RerankProvider } from '../../contracts/rerank.ts';
import type { Store } from '../../contracts/store.ts';
import type { TextHit, TextHits, TextQuery } from '../../contracts/text-query.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { datesOf, filterShape, periodView } from '../notes/filters.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { filterWithoutTemplates, leftOutView, templatesArgument, warnOfFilters } from '../notes/vault-filter.ts';
import { warnOfForeignWords } from './foreign-words.ts';
import {
  asksForAll,
  type HitsByDate,
  MAX_PREFERRED,
  MAX_SORTED,
  newestFirst,
  recentPreferred,
  timeShape,
} from './hits-by-date.ts';
import { warnOfForeignSyntax, warnOfLeftOut } from './query-warnings.ts';
import { type HitsToRerank, type Reranked, rerankedView, rerankHits, rerankShape } from './rerank-hits.ts';
import { SNIPPET_CHARS, snippetsOf } from './snippets.ts';
import { checkSearched, parseQuestion, parseTextQuery } from './text-query.ts';
import { highlightTerms, searchWords, wordScores } from './word-search.ts';

const shape = {
  query: z.string().describe('words, "a phrase", -not, prefix*'),
  match: z.enum(['any', 'all']).default('any').describe('all: only notes with every word'),
  ...filterShape,
  templates: templatesArgument,
  explain: z.boolean().default(false).describe('show how scores came about'),
  detail: z.enum(['brief', 'full']).default('brief').describe('full: longer snippets'),
  ...timeShape,
  ...pageShape,
};
type Args = z.infer<z.ZodObject<typeof shape>> & { readonly rerank?: boolean };

const tool = {
  name: 'search_text',
  title: 'Search by words',
  summary:
    "Finds the user's Markdown notes (Obsidian vault) by words; corrects typos. Returns hits, best first: path, lines, snippet, score.",
  others: { search: 'a question', get_context: 'a whole topic in one call', list_notes: 'filters without words' },
  example: { query: 'tide "north pier" -lake', where: ['status = open'] },
  words: 'search my notes, keyword, grep, where did I write',
  effect: 'reads',
  across: ['hits'],
  index: 'part',
  fails: ['INVALID_INPUT', 'INVALID_QUERY', 'PATH_NOT_ALLOWED', 'VAULT_UNAVAILABLE'],
} as const;

export interface SearchTextOptions {
  /** Whether the hits are reranked; enables the argument `rerank`. */
  readonly rerank?: boolean;
  /** Whether the config names an embedding model for many languages. */
  readonly multilingual?: boolean;
}

export function createSearchText({ rerank = false, multilingual = false }: SearchTextOptions) {
  const input = z.strictObject({ ...shape, ...(rerank ? rerankShape : {}) });
  const search = searchWith(createPaging(tool.name, input.shape), multilingual);
  const whole = { ...tool, input: input as z.ZodType<Args> };
  if (!rerank)
    return defineTool({
      ...whole,
      needs: ['store', 'vault'],
      run: (args, granted, call) => search(args, granted, call),
    });
  return defineTool({
    ...whole,
    needs: ['store', 'vault', 'rerank'],
    run: (args, granted, call) => search(args, granted, call, args.rerank ? granted.rerank : undefined),
  });
}

/** The tool of a default config. */
export const searchText = createSearchText({});

/** @param paging of the tool */
function searchWith(paging: ReturnType<typeof createPaging>, multilingual: boolean) {
  return async (args: Args, granted: Granted<'store' | 'vault'>, call: CallContext, reranker?: RerankProvider) => {
    const { store, vault } = granted;
    const page = paging.pageOf(args);
    const parsed = parseTextQuery(args.query, args.match);
    const filter = await filterWithoutTemplates(args, { store, vault }, call);
    const isTimed = args.sort !== undefined || args.prefer !== undefined;
    const isReranked = reranker !== undefined && !isTimed && page.offset < reranker.top;
    const first = isReranked ? reranker.top : args.sort === 'time' ? MAX_SORTED : isTimed ? MAX_PREFERRED : undefined;
    const pageRead = first === undefined ? page : { offset: 0, limit: Math.max(first, page.offset + page.limit) };
    const withTexts = { ...filter, attachmentTexts: true };
    const { query, corrected, leftOut, found, texts } = await searchWords(
      parsed.query,
      withTexts,
      pageRead,
      granted,
      call,
    );
    checkSearched(query, found.total, call);
    warnOfForeignSyntax(args.query, call);
    warnOfLeftOut(leftOut, args.match, call);
    await warnOfFilters(filter, store, call);
    if (found.total === 0 && !multilingual) await warnOfForeignWords(args.query, store, call);
    const terms = highlightTerms(query, found);
    const timed = isTimed ? await inTime(args, query, found, store, call.signal) : undefined;
    const all: readonly Reranked<TextHit>[] = isReranked
      ? await reorder(args, { hits: found.hits, terms }, reranker, vault, call)
      : (timed?.hits ?? found.hits);
    const total = args.sort === 'time' ? all.length : found.total;
    const hits = all.slice(page.offset - pageRead.offset, page.offset - pageRead.offset + page.limit);
    const snippets = await snippetsOf(hits, terms, SNIPPET_CHARS[args.detail], vault, call, texts);
    const dates = await datesOf(hits, filter, store, call.signal);
    const dropped = {
      without_letters: parsed.ignored,
      function_words: parsed.functionWords,
      in_most_notes: found.dropped,
    };
    const allDropped = Object.values(dropped).flat();
    return {
      hits: hits.map((hit) => ({
        path: hit.path,
        title: hit.title,
        ...snippets.get(hit.path),
        score: hit.score,
        ...(hit.named ? { named: hit.named } : {}),
        ...(args.explain ? { scores: { ...wordScores(hit), ...(hit.rerank && { rerank: hit.rerank }) } } : {}),
        ...timed?.dates.get(hit.path),
        ...dates.get(hit.path),
      })),
      total,
      ...timed?.view,
      ...periodView(filter),
      ...leftOutView(filter),
      ...(corrected === undefined ? {} : { corrected }),
      ...(leftOut === undefined ? {} : { left_out: leftOut }),
      ...(allDropped.length === 0 ? {} : { dropped: allDropped }),
      ...rerankedView(all),
      ...(args.explain ? { explain: { match: query.match, terms: query.terms, ...datesView(query), dropped } } : {}),
      ...paging.next(args, page, { shown: hits.length, total }),
    };
  };
}

/** @param found from the first hit on */
async function inTime(
  { sort, match }: Args,
  { terms }: TextQuery,
  { hits, total }: TextHits,
  store: Store,
  signal: AbortSignal,
): Promise<HitsByDate<TextHit>> {
  if (sort === undefined) return recentPreferred(hits, store, signal);
  const isWhole = asksForAll({ terms, match });
  const sorted = await newestFirst(hits.slice(0, MAX_SORTED), () => isWhole, store, signal);
  const left = Math.max(0, total - MAX_SORTED);
  return left === 0 ? sorted : { ...sorted, view: { ...sorted.view, unsorted_hits: left } };
}

function datesView({ dated }: TextQuery) {
  return dated === undefined ? {} : { dated: dated.flatMap(({ days }) => days) };
}

/** Notes called like the query stay first. */
function reorder(
  { query, match }: Args,
  { hits, terms }: Pick<HitsToRerank<Reranked<TextHit>>, 'hits' | 'terms'>,
  reranker: RerankProvider,
  vault: Vault,
  call: CallContext,
): Promise<readonly Reranked<TextHit>[]> {
  const groupOf = ({ named }: TextHit): number => (named ? 0 : 1);
  const ranking = {
    query: parseQuestion(query, match).meaning,
    hits,
    terms,
    passageOf: (hit: TextHit) => hit,
    groupOf,
  };
  return rerankHits<Reranked<TextHit>>(ranking, reranker, vault, call);
}
