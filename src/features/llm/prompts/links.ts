// The words with which a model judges where a note should link to another: a closed choice among numbers.
import * as z from 'zod';
import { folderOf } from '../../../markdown/links/path-spelling.ts';
import { asData } from './data-marks.ts';
import { DATA_RULES, type Task } from './task.ts';

const VERSION = 1;

export interface LinkAnswer {
  /** Absent where none were offered. */
  readonly mentions?: readonly number[] | undefined;
  readonly related?: readonly { readonly note: number; readonly words: string }[] | undefined;
}

const INSTRUCTIONS = [
  'Decide which links would help a reader of the note given first. The texts behind it are candidates, each with its number.',
  '`mentions`: numbers of places where the note names another note; choose those where that very note is meant, not just the same words.',
  '`related`: notes that the text of the note given first is really about at some place. `note`: the number of the candidate; `words`: the words of the note given first that are to become the link, copied letter by letter, two to five words of one line.',
  'The best first. Leave out what is doubtful; no link at all is a good answer.',
  DATA_RULES,
].join('\n');

/** @param mentions @param related how many of each there are; the numbers of the latter go on behind the former */
export function linkTask(mentions: number, related: number, limit: number): Task<LinkAnswer> {
  const shape = {
    ...(mentions === 0 ? {} : { mentions: z.array(z.literal(numbers(1, mentions))).max(limit) }),
    ...(related === 0 ? {} : { related: relatedShape(numbers(mentions + 1, mentions + related), limit) }),
  };
  return {
    name: 'suggest links',
    version: VERSION,
    instructions: INSTRUCTIONS,
    schema: z.strictObject(shape) as z.ZodType<LinkAnswer>,
    maxAnswerTokens: 1_000,
  };
}

const relatedShape = (choices: number[], limit: number) =>
  z.array(z.strictObject({ note: z.literal(choices), words: z.string() })).max(limit);

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);

export interface OfferedLink {
  /** What the candidate is called, where it lies, and what its text begins with. */
  readonly title: string;
  readonly path: string;
  readonly about: string;
  /** Where the note names it; absent where it is only related. */
  readonly sentence?: string;
}

/** The note is text 1, and each candidate the text behind the one before. */
export function linkPrompt(text: string, offered: readonly OfferedLink[]): string {
  const candidates = offered.map(candidateText);
  return `The note is text 1; candidate n is text n + 1.\n\n${asData([text, ...candidates])}`;
}

export function candidateText({ title, path, about, sentence }: OfferedLink): string {
  const folder = folderOf(path);
  return [
    `Candidate note: ${title}${folder === '' ? '' : `, in the folder ${folder}`}`,
    ...(about === '' ? [] : [`It begins: ${about}`]),
    ...(sentence === undefined ? [] : [`Named in the note: ${sentence}`]),
  ].join('\n');
}
