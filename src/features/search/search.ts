// Notes found by meaning and by words at once, each with the list that found it.
import * as z from 'zod';
import { type ErrorCode, toVaultgraphError } from '../../base/errors.ts';
import { CAPABILITY_FAILS, type Granted } from '../../contracts/capability.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { RRF_K } from '../../graph/fusion.ts';
import { datesOf, filterShape, noteFilter, warnOfEmptyFilters } from '../notes/filters.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { type AskedVector, askVector } from './embed-query.ts';
import { type FusedHit, fusedPage, type Lists, listsFor, type Stretch, stretchAt, WEIGHTS } from './hybrid-search.ts';
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
const steppingShape = { on_embedding_failure: z.enum(['fail', 'text_only']).default('fail') };
const mismatchedShape = { allow_mismatched_query: z.boolean().default(false) };
const wholeInput = z.strictObject({ ...shape, ...steppingShape, ...mismatchedShape });
type Opened = 'on_embedding_failure' | 'allow_mismatched_query';
type Given = Omit<z.infer<typeof wholeInput>, Opened> & Partial<Pick<z.infer<typeof wholeInput>, Opened>>;
type Sources = Granted<'store' | 'vault' | 'indexer' | 'embedding'>;

/** The failures to answer by words alone for: what embedding itself may fail with, and vectors of another model. */
const STEPS_DOWN: ReadonlySet<ErrorCode> = new Set([...CAPABILITY_FAILS.embedding, 'EMBEDDER_MISMATCH']);

/** What the config lets a caller ask for. */
export interface SearchOptions {
  /** An answer by words alone where embedding fails. */
  readonly textOnly: boolean;
  /** One from vectors of another model, as long as they have the same length. */
  readonly mismatched?: boolean;
}

export function createSearch({ textOnly, mismatched = false }: SearchOptions) {
  const input = z.strictObject({
    ...shape,
    ...(textOnly ? steppingShape : {}),
    ...(mismatched ? mismatchedShape : {}),
  });
  const paging = createPaging('search', input.shape);
  return defineTool({
    name: 'search',
    summary:
      'Hybrid search by meaning and by words. Each hit tells which list found it, with its rank and score there.',
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
    input: input as z.ZodType<Given>,
    run: async (given, granted: Sources, call) => {
      const began = performance.now();
      const { store, vault } = granted;
      const stretch = stretchAt(paging.placeOf(given), given.limit);
      const question = parseQuestion(given.query, given.match);
      const filter = noteFilter(given);
      const asked = await askedVector(question, given, granted, call);
      const lists = await listsFor(question, asked, { store, filter, depth: stretch.depth }, call);
      await warnOfEmptyFilters(filter, store, call);
      warnOfWords(question, call);
      const { hits, next } = fusedPage(lists, stretch, given.limit);
      const snippets = await snippetsOf(hits.map(shownHit), lists.terms, SNIPPET_CHARS[given.detail], vault, call);
      const paths = hits.map(({ path }) => path);
      const dates = await datesOf(paths, filter, store, call.signal);
      const dropped = [...question.ignored, ...question.binding, ...lists.dropped];
      const ownMs = performance.now() - began - (asked?.providerMs ?? 0);
      return {
        hits: hits.map((hit) => ({ ...hitView(hit, snippets.get(hit.path), given.explain), ...dates.get(hit.path) })),
        ...(lists.corrected === undefined ? {} : { corrected: lists.corrected }),
        ...(dropped.length === 0 ? {} : { dropped }),
        ...(given.explain ? { explain: explained(question, asked, lists, stretch, ownMs) } : {}),
        ...paging.nextPlace(given, next),
      };
    },
  });
}

/** Undefined where the caller asked for words alone in that case, and there are words. */
async function askedVector(
  { meaning, query }: Question,
  given: Given,
  granted: Sources,
  call: CallContext,
): Promise<AskedVector | undefined> {
  const [outcome] = await Promise.allSettled([askVector(meaning, granted, call, given.allow_mismatched_query)]);
  if (outcome.status === 'fulfilled') return outcome.value;
  const { code: reason_code } = toVaultgraphError(outcome.reason);
  const stepsDown = given.on_embedding_failure === 'text_only' && STEPS_DOWN.has(reason_code);
  if (!stepsDown || query === undefined) throw outcome.reason;
  call.tell({ degraded: { from: 'hybrid', to: 'text', reason_code, opted_in_by: 'on_embedding_failure' } });
  return undefined;
}

function warnOfWords({ beyond }: Question, call: CallContext): void {
  if (beyond === 0) return;
  const message = `${beyond} more words of the query counted for its meaning only and were not looked up`;
  call.warn({ code: 'TRUNCATED', message, count: beyond });
}

/** What a passage is near to says more of why it was found than a place of the words. */
function shownHit({ path, title, vector }: FusedHit) {
  return vector === undefined ? { path, title } : { path, title, lines: vector.lines };
}

/** With the true rank and score in each list that found it. @param explain what each list gave to the score, too */
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

/** How the question was read, which vectors it was compared with, and how two lists became one. @param ownMs without the provider */
function explained(
  { query, meaning, ignored, binding }: Question,
  asked: AskedVector | undefined,
  { dropped, generation }: Lists,
  { depth }: Stretch,
  ownMs: number,
) {
  return {
    text: query ?? 'no word to look up: meaning alone decides',
    dropped: { without_letters: ignored, function_words: binding, in_most_notes: dropped },
    ...(asked === undefined ? {} : { vector: { meaning, generation: generation?.id, ...modelView(asked) } }),
    fusion: { method: 'reciprocal rank fusion', k: RRF_K, weights: WEIGHTS, depth },
    timing_ms: { provider: Math.round(asked?.providerMs ?? 0), own: Math.round(ownMs) },
  };
}

function modelView({ identity }: AskedVector) {
  const { provider, model, dims, queryPrefix, documentPrefix } = identity;
  return { provider, model, dims, prefixes: { query: queryPrefix, document: documentPrefix } };
}
