// Answers a question from the notes, with verbatim quotes.
import * as z from 'zod';
import type { ErrorCode } from '../../base/errors.ts';
import type { Granted } from '../../contracts/capability.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { sizeOf } from '../../markdown/chunk/text-size.ts';
import { filterShape, periodView } from '../notes/filters.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { filterWithoutTemplates, leftOutView, templatesArgument, warnOfFilters } from '../notes/vault-filter.ts';
import { embedKnownQuery, type QueryVector } from '../search/embed-query.ts';
import { fusedPage, windowAt } from '../search/fused-page.ts';
import { searchLists } from '../search/hybrid-search.ts';
import { parseQuestion } from '../search/text-query.ts';
import { foreignUrl } from './evidence.ts';
import { type LlmSession, openLlmSession } from './llm-session.ts';
import { fittingPassages, type Passage, passagesFor } from './question-passages.ts';
import {
  answerPrompt,
  answerTask,
  type CheckedQuote,
  checkedQuotes,
  type QuotedAnswer,
  readPassages,
} from './quoted-answer.ts';

const input = z.strictObject({
  question: z.string().min(1).max(2_000).describe('a sentence'),
  ...filterShape,
  templates: templatesArgument,
});
type Args = z.infer<typeof input>;
type Sources = Granted<'store' | 'vault' | 'llm'>;

/** The maximum number of notes to read. */
const MAX_NOTES = 12;
const NOTHING_FOUND = 'No note matches the question, so the model was not asked.';
const NOT_IN_NOTES = 'The notes found do not answer the question.';

const tool = {
  name: 'ask_vault',
  title: 'Ask the vault',
  summary:
    "The user's own language model answers a question from the notes. Returns the answer, quotes checked word for word, and retrieval (what was read).",
  others: { get_context: 'answering yourself' },
  example: { question: 'When does the ferry run?', folder: 'Log' },
  words: 'ask my notes, cite, RAG',
  effect: 'reads',
  instead: ['search', 'search_text'],
  index: 'part',
  input,
} as const;
const FAILS = [
  'INVALID_INPUT',
  'INVALID_QUERY',
  'PATH_NOT_ALLOWED',
  'VAULT_UNAVAILABLE',
] as const satisfies readonly ErrorCode[];

/** @param embedding whether the config names an embedding provider; notes are then found by meaning, too */
export function createAskVault({ embedding = false }: { readonly embedding?: boolean }) {
  if (!embedding) {
    return defineTool({
      ...tool,
      needs: ['store', 'vault', 'llm'],
      fails: [...FAILS],
      run: (args: Args, granted, call) => answerTo(args, granted, async () => undefined, call),
    });
  }
  return defineTool({
    ...tool,
    needs: ['store', 'vault', 'llm', 'indexer', 'embedding'],
    fails: [...FAILS, 'EMBEDDER_MISMATCH', 'INDEX_JOB_FAILED'],
    run: (args: Args, granted, call) =>
      answerTo(args, granted, (meaning) => embedKnownQuery(meaning, granted, call), call),
  });
}

type ByMeaning = (meaning: string) => Promise<QueryVector | undefined>;

async function answerTo(args: Args, granted: Sources, byMeaning: ByMeaning, call: CallContext) {
  const { passages, ...found } = await retrieve(args, granted, byMeaning, call);
  if (passages.length === 0) {
    return { answer: NOTHING_FOUND, unanswerable: true, quotes: [], retrieval: { ...found, passages: 0 } };
  }
  const model = openLlmSession(granted.llm, call);
  const room = model.room(answerTask(passages.length)) - sizeOf(answerPrompt(args.question, [])).tokens;
  const { taken, leftOut } = fittingPassages(passages, room, call);
  if (taken.length === 0) throw model.tooLong();
  call.progress(0, 1, `asking the model about ${taken.length} passages`);
  const { reply, passages: read, parts } = await readPassages(args.question, taken, model);
  model.reportProvider();
  const left = leftOut.map(({ path, lines }) => ({ path, lines }));
  const retrieval = {
    ...{ ...found, passages: taken.length },
    ...(left.length === 0 ? {} : { left_out: left }),
    ...(parts === 1 ? {} : { parts }),
  };
  if (reply.unanswerable) return { answer: NOT_IN_NOTES, unanswerable: true, quotes: [], retrieval };
  return { answer: reply.answer.trim(), quotes: quotesOf(reply, read, args, model, call), retrieval };
}

/** Finds the notes that match the question and selects the passages to read. */
async function retrieve(args: Args, { store, vault }: Sources, byMeaning: ByMeaning, call: CallContext) {
  const filter = await filterWithoutTemplates(args, { store, vault }, call);
  const question = parseQuestion(plainWords(args.question), 'any');
  const window = windowAt([], MAX_NOTES);
  const scope = { sources: { store, vault }, filter, depth: window.depth };
  const lists = await searchLists(question, byMeaning(question.meaning), scope, call);
  await warnOfFilters(filter, store, call);
  const { hits } = fusedPage(lists, window, MAX_NOTES);
  const passages = await passagesFor(hits, lists.terms, vault, call);
  const method = lists.embedded === undefined ? 'text' : 'hybrid';
  const corrected = lists.corrected === undefined ? {} : { corrected: lists.corrected };
  return { passages, method, notes: hits.length, ...periodView(filter), ...leftOutView(filter), ...corrected };
}

/** Removes quotes, dashes and stars, which are operators in a query but not in a question. @throws INVALID_INPUT */
function plainWords(question: string): string {
  const words = question.replace(/["*\0]/g, ' ').replace(/(^|\s)-+/g, '$1');
  if (/[\p{L}\p{N}]/u.test(words)) return words;
  throw inputRefusal(tool.name, Object.keys(input.shape), { path: 'question', rule: 'must contain a word' });
}

/** @throws PROVIDER_BAD_RESPONSE for an answer without a quote from the notes, or with a URL that is not in them */
function quotesOf(
  { answer, quotes }: QuotedAnswer,
  passages: readonly Passage[],
  { question }: Args,
  model: LlmSession,
  call: CallContext,
): readonly CheckedQuote[] {
  const checked = checkedQuotes(quotes, passages);
  const unverified = checked.filter(({ verified }) => !verified).length;
  const expected = 'an answer with quotes from the notes';
  if (answer.trim() === '') throw model.unusable(expected, 'no answer');
  if (unverified === checked.length)
    throw model.unusable(expected, `${checked.length} quotes, none of them in the notes`);
  const url = foreignUrl([answer], [question, ...passages.map(({ text }) => text)]);
  if (url !== undefined) throw model.unusable(expected, 'a URL that is not in the notes');
  if (unverified > 0) {
    const message = `${unverified} of ${checked.length} quotes are not in the note they name; do not rely on them`;
    call.warn({ code: 'UNVERIFIED', message, count: unverified });
  }
  return checked;
}
