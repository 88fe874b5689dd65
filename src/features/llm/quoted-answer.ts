// Asks the model a question about passages, and checks the quotes of its answer.
import * as z from 'zod';
import type { NotePath } from '../../base/note.ts';
import { verbatimPlaces } from '../../markdown/excerpt/quote-places.ts';
import { asData, DATA_RULES, type Task } from './data-marks.ts';
import { askInHalves } from './in-halves.ts';
import type { LlmSession } from './llm-session.ts';
import { type Passage, passageHalves, shownPassage } from './question-passages.ts';

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
export async function readPassages(
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

export interface CheckedQuote {
  readonly path: NotePath;
  /** The lines of the quote; those of the whole passage if it does not contain the quote. */
  readonly lines: readonly [number, number];
  /** As written in the note; as the model wrote it if the passage does not contain it. */
  readonly text: string;
  readonly verified: boolean;
}

/** In the model's order, without duplicates. */
export function checkedQuotes(quotes: QuotedAnswer['quotes'], passages: readonly Passage[]): readonly CheckedQuote[] {
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

export interface QuotedAnswer {
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

export function answerTask(passages: number): Task<QuotedAnswer> {
  const numbers = Array.from({ length: passages }, (_, at) => at + 1);
  const quote = z.object({ passage: z.literal(numbers), text: z.string() });
  const schema = z.object({
    answer: z.string(),
    quotes: z.array(quote).max(MAX_QUOTES),
    unanswerable: z.boolean(),
  });
  return { name: 'answer', version: VERSION, instructions: INSTRUCTIONS, schema, maxAnswerTokens: 1_200 };
}

export function answerPrompt(question: string, passages: readonly string[]): string {
  return [asData(passages), `Question: ${JSON.stringify(question)}`].join('\n\n');
}
