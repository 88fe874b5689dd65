// Answers a question from the notes, with verbatim quotes.
import * as z from 'zod';
import type { ErrorCode } from '../../base/errors.ts';
import type { NotePath } from '../../base/note.ts';
import { jobs } from '../../compute/jobs.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { TextTerm } from '../../contracts/text-query.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { halvesOfLines } from '../../markdown/chunk/halves.ts';
import { fittingEnd, sizeOf } from '../../markdown/chunk/text-size.ts';
import { cutToLines } from '../../markdown/excerpt/cut-to-lines.ts';
import { verbatimPlaces } from '../../markdown/excerpt/quote-places.ts';
import { textOfLines } from '../../markdown/links/section.ts';
import { lineCountOf } from '../../markdown/parse/lines.ts';
import { briefFilterShape, periodView } from '../notes/filters.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { readTexts } from '../notes/note-content.ts';
import { filterWithoutTemplates, leftOutView, templatesArgument, warnOfFilters } from '../notes/vault-filter.ts';
import { embedKnownQuery, type QueryVector } from '../search/embed-query.ts';
import { type FusedHit, fusedPage, windowAt } from '../search/fused-page.ts';
import { searchLists } from '../search/hybrid-search.ts';
import { parseQuestion } from '../search/text-query.ts';
import {
  asData,
  DATA_RULES,
  foreignUrl,
  type LlmSession,
  MARK_TOKENS,
  openLlmSession,
  type Task,
} from './llm-session.ts';
import { askInHalves, type Halves } from './note-sections.ts';

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
  const { passages, ...counts } = await retrieve(args, granted, byMeaning, call);
  if (passages.length === 0) {
    return { answer: NOTHING_FOUND, unanswerable: true, quotes: [], retrieval: { ...counts, passages: 0 } };
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
    ...counts,
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
  const replies = await askInHalves(passages, passageHalves, ask);
  const parts = replies.length;
  const answered = replies.filter(({ reply }) => !reply.unanswerable);
  const [first = replies[0] as Read, another] = answered;
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

// Selects the passages of found notes from which a question is answered.

interface Passage {
  readonly path: NotePath;
  readonly lines: readonly [number, number];
  /** The lines as written in the note. */
  readonly text: string;
}

/** The maximum length of one passage. */
const MAX_LENGTH = 4_000;

/**
 * For each hit, in order: the passage closest in meaning and, if it is another one, the passage with the most words of the question.
 * Notes that cannot be read are counted in a warning.
 */
async function passagesFor(
  hits: readonly FusedHit[],
  terms: readonly TextTerm[],
  vault: Vault,
  call: CallContext,
): Promise<readonly Passage[]> {
  const paths = hits.map(({ path }) => path);
  const texts = await readTexts(paths, vault, call, 'words');
  const unread = paths.length - texts.size;
  if (unread > 0) {
    call.warn({ code: 'EXTRA_MISSING', message: `${unread} found notes could not be read`, count: unread });
  }
  const texted = hits.map((hit) => ({ hit, text: texts.get(hit.path) ?? '', near: nearLines(hit, texts) }));
  const worded = await wordedLines(texted, terms, call);
  const passages = texted.flatMap(({ hit, text, near }) => passagesIn(hit.path, text, near, worded.get(hit.path)));
  return passages.map((passage) => shortened(passage, MAX_LENGTH, call));
}

/** The lines of the passage closest in meaning, if the note still has them. */
function nearLines({ path, vector }: FusedHit, texts: ReadonlyMap<string, string>): Lines | undefined {
  return vector !== undefined && vector.lines[1] <= lineCountOf(texts.get(path) ?? '') ? vector.lines : undefined;
}

interface FoundNote {
  readonly hit: FusedHit;
  readonly text: string;
  readonly near: Lines | undefined;
}

/** By path, the lines with the most words of the question; for notes that were found only by meaning, none. */
async function wordedLines(
  candidates: readonly FoundNote[],
  terms: readonly TextTerm[],
  { compute, signal }: CallContext,
) {
  const readable = candidates.filter(({ hit, near }) => hit.text !== undefined || near === undefined);
  const notes = readable.map(({ hit: { title }, text }) => ({ title, text }));
  const best = await compute.run(jobs.chunks, { notes, terms: terms.filter(({ negated }) => !negated) }, signal);
  return new Map(readable.map(({ hit }, at) => [hit.path, best[at]]));
}

function passagesIn(path: NotePath, text: string, near: Lines | undefined, worded: Lines | undefined): Passage[] {
  const isOther = near === undefined || (worded !== undefined && !overlap(near, worded));
  const spans = [near, isOther ? worded : undefined].filter((span) => span !== undefined);
  return spans.flatMap((lines): Passage[] => {
    const passage = textOfLines(text, { line: lines[0], endLine: lines[1] });
    return passage.trim() === '' ? [] : [{ path, lines, text: passage }];
  });
}

type Lines = Passage['lines'];

const overlap = (one: Lines, other: Lines): boolean => one[0] <= other[1] && other[0] <= one[1];

function shortened(passage: Passage, longest: number, call: CallContext): Passage {
  const { text } = cutToLines(passage.text, longest);
  if (text.length === passage.text.length) return passage;
  const message = `a passage of ${passage.path} is cut to ${text.length} of ${passage.text.length} characters`;
  call.warn({ code: 'TRUNCATED', message });
  const lines = [passage.lines[0], passage.lines[0] + lineCountOf(text) - 1] as const;
  return { path: passage.path, lines, text };
}

/** The length of the beginning that fits the room. */
function fittingLength({ path, text }: Passage, room: number): number {
  const tokens = room - MARK_TOKENS - sizeOf(`${path}\n\n`).tokens;
  return fittingEnd(text, 0, text.length, { words: Number.POSITIVE_INFINITY, tokens });
}

/** The passage as the prompt shows it. */
const shownPassage = ({ path, text }: Passage): string => `${path}\n\n${text}`;

/** The first and the second half of the passages, or of the only one. */
const passageHalves: Halves<readonly Passage[]> = (passages) => {
  const [only, another] = passages;
  if (only !== undefined && another === undefined)
    return (halvesOfLines(only) ?? []).map((half) => [{ path: only.path, ...half }]);
  const half = Math.ceil(passages.length / 2);
  return [passages.slice(0, half), passages.slice(half)];
};

/** The passages that fit the room together, in order, and the others; the best one is shortened if necessary. */
function fittingPassages([best, ...others]: readonly Passage[], room: number, call: CallContext) {
  const passages = best === undefined ? [] : [shortened(best, fittingLength(best, room), call), ...others];
  const taken: Passage[] = [];
  const leftOut: Passage[] = [];
  let left = room;
  for (const passage of passages) {
    const size = sizeOf(shownPassage(passage)).tokens + MARK_TOKENS;
    if (size > left) {
      leftOut.push(passage);
      continue;
    }
    left -= size;
    taken.push(passage);
  }
  return { taken, leftOut };
}
