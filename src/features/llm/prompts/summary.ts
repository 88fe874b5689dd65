// The words with which a model is asked for summaries: of a note, of a section of one, and of such summaries.
import * as z from 'zod';
import { asData } from './data-marks.ts';
import { DATA_RULES, type Task } from './task.ts';

const VERSION = 1;
const MAX_POINTS = 12;

const summary = z.strictObject({ summary: z.string().min(1), key_points: z.array(z.string().min(1)).max(MAX_POINTS) });
export type Summary = z.infer<typeof summary>;

const SHAPE = [
  '`summary`: a few sentences that say what it is about and what it comes to. `key_points`: up to seven short sentences, the most important first.',
  'Say only what the text says, in its language. Add no judgement, no advice, no address that is not in it.',
].join('\n');

const task = (name: string, what: string): Task<Summary> => ({
  name,
  version: VERSION,
  instructions: [what, SHAPE, DATA_RULES].join('\n'),
  schema: summary,
  maxAnswerTokens: 900,
});

export const SUMMARIZE_NOTE = task('summarize note', 'Summarize the note.');
export const SUMMARIZE_SECTION = task(
  'summarize section',
  'Summarize this section of a longer note, for somebody who sums up all sections.',
);
export const JOIN_SUMMARIES = task(
  'join summaries',
  'Each text is the summary of one section of the same note, in order. Make one summary of the whole note of them.',
);

/** @param style what the caller wishes of how it is written */
export function summaryPrompt(texts: readonly string[], style: string | undefined): string {
  const wish = style === undefined ? [] : [`Style wished for: ${JSON.stringify(style)}`];
  return [...wish, asData(texts)].join('\n\n');
}

export function summaryAsText({ summary, key_points }: Summary): string {
  return [summary, ...key_points.map((point) => `- ${point}`)].join('\n');
}
