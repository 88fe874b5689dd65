// Answers a question from the notes, with verbatim quotes.
import * as z from 'zod';
import type { ErrorCode } from '../../base/errors.ts';
import type { NotePath } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { sizeOf } from '../../markdown/chunk/text-size.ts';
import { verbatimPlaces } from '../../markdown/excerpt/quote-places.ts';
import { briefFilterShape, periodView } from '../notes/filters.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { filterWithoutTemplates, leftOutView, templatesArgument, warnOfFilters } from '../notes/vault-filter.ts';
import { embedKnownQuery, type QueryVector } from '../search/embed-query.ts';
import { fusedPage, windowAt } from '../search/fused-page.ts';
import { searchLists } from '../search/hybrid-search.ts';
import { parseQuestion } from '../search/text-query.ts';
import { asData, DATA_RULES, foreignUrl, type LlmSession, openLlmSession, type Task } from './llm-session.ts';
import { askInHalves } from './note-sections.ts';
import { fittingPassages, type Passage, passageHalves, passagesFor, shownPassage } from './question-passages.ts';

const input = z.strictObject({
  question: z.string().min(1).max(2_000).describe('a sentence'),
  ...briefFilterShape,
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
    "The user's language model answers a question from the notes. Returns the answer, quotes checked word for word, and retrieval (what was read).",
  example: { question: 'When does the ferry run?' },
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
    ...found,
    passages: taken.length,
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

interface Read {
  readonly reply: QuotedAnswer;
  /** Those that its quotes name by number. */
  readonly passages: readonly Passage[];
}

/**
 * The answer to the question. If the passages are too long together, the question is asked about each half of them, and then about
 * the quotes of the answers.
 * @returns also the number of parts that were read
 */
async function readPassages(
  question: string,
  passages: readonly Passage[],
  model: LlmSession,
): Promise<Read & { readonly parts: number }> {
  const ask = async (some: readonly Passage[]): Promise<Read> => {
    const reply = await model.ask(answerTask(some.length), answerPrompt(question, some.map(shownPassage)));
    return { reply, passages: some };
  };
  const read = await askInHalves(passages, passageHalves, ask);
  const parts = read.length;
  const answered = read.filter(({ reply }) => !reply.unanswerable);
  const [first = read[0] as Read, another] = answered;
  const quoted = another === undefined ? [] : answered.flatMap(quotedPassages);
  return { ...(quoted.length === 0 ? first : await ask(quoted)), parts };
}

function quotedPassages({ reply, passages }: Read): readonly Passage[] {
  return checkedQuotes(reply.quotes, passages).filter(({ verified }) => verified);
}

interface CheckedQuote {
  readonly path: NotePath;
  /** The lines of the quote; those of the whole passage if it does not contain the quote. */
  readonly lines: readonly [number, number];
  /** The text as the note has it, or as the model wrote it if the passage does not contain it. */
  readonly text: string;
  readonly verified: boolean;
}

/** In the model's order, without duplicates. */
function checkedQuotes(quotes: QuotedAnswer['quotes'], passages: readonly Passage[]): readonly CheckedQuote[] {
  const checked = quotes.flatMap(({ passage: number, text }) => {
    const passage = passages[number - 1];
    return passage === undefined ? [] : [checkedQuote(text, passage)];
  });
  return [...new Map(checked.map((quote) => [JSON.stringify(quote), quote])).values()];
}

function checkedQuote(quote: string, { path, lines, text }: Passage): CheckedQuote {
  const [place] = verbatimPlaces(text, quote);
  if (place === undefined) return { path, lines, text: quote, verified: false };
  const before = lines[0] - 1;
  const span = [place.lines[0] + before, place.lines[1] + before] as const;
  return { path, lines: span, text: text.slice(place.from, place.to), verified: true };
}

const VERSION = 1;
const MAX_QUOTES = 12;

interface QuotedAnswer {
  readonly answer: string;
  readonly quotes: readonly { readonly passage: number; readonly text: string }[];
  readonly unanswerable: boolean;
}

const INSTRUCTIONS = [
  'Answer the question from the passages alone. Know nothing beside them.',
  '`answer`: as short as the question allows, in its language. `quotes`: for everything the answer says, the words it rests on, copied letter by letter from one passage; `passage` is the number of that text.',
  '`unanswerable`: true where the passages do not answer the question; then `answer` and `quotes` are empty.',
  DATA_RULES,
].join('\n');

function answerTask(passages: number): Task<QuotedAnswer> {
  const numbers = Array.from({ length: passages }, (_, at) => at + 1);
  const quote = z.object({ passage: z.literal(numbers), text: z.string() });
  const schema = z.object({
    answer: z.string(),
    quotes: z.array(quote).max(MAX_QUOTES),
    unanswerable: z.boolean(),
  });
  return { name: 'answer', version: VERSION, instructions: INSTRUCTIONS, schema, maxAnswerTokens: 1_200 };
}

function answerPrompt(question: string, passages: readonly string[]): string {
  return [asData(passages), `Question: ${JSON.stringify(question)}`].join('\n\n');
}
