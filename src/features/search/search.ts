// Notes found by meaning and by words at once, each with the list that found it. Knows no vendor, no engine and no formula.
import * as z from 'zod';
import { type ErrorCode, toVaultgraphError } from '../../base/errors.ts';
import { CAPABILITY_FAILS, type Granted } from '../../contracts/capability.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { datesOf } from '../notes/dated.ts';
import { filterShape, noteFilter, warnOfEmptyFilters } from '../notes/filters.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { type AskedVector, askVector } from './embed-query.ts';
import { type FusedHit, fusedPage, stretchAt } from './fused-page.ts';
import { listsFor } from './hybrid-lists.ts';
import { explained, hitView } from './hybrid-view.ts';
import { parseQuestion, type Question } from './question.ts';
import { SNIPPET_CHARS, snippetsOf } from './snippets.ts';

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
