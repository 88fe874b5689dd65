// The words with which a model is asked to answer from passages, and to quote what it answers from.
import * as z from 'zod';
import { asData } from './data-marks.ts';
import { DATA_RULES, type Task } from './task.ts';

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
  const quote = z.strictObject({ passage: z.literal(numbers), text: z.string() });
  const schema = z.strictObject({
    answer: z.string(),
    quotes: z.array(quote).max(MAX_QUOTES),
    unanswerable: z.boolean(),
  });
  return { name: 'answer', version: VERSION, instructions: INSTRUCTIONS, schema, maxAnswerTokens: 1_200 };
}

export function answerPrompt(question: string, passages: readonly string[]): string {
  return [asData(passages), `Question: ${JSON.stringify(question)}`].join('\n\n');
}
