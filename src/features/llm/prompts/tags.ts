// The words with which a model is asked for tags of a note: a closed choice from the vault's own, and new ones apart.
import * as z from 'zod';
import { asData } from './data-marks.ts';
import { DATA_RULES, type Task } from './task.ts';

const VERSION = 1;

interface Tagged {
  readonly tag: string;
  readonly evidence: string;
}
export interface TagAnswer {
  /** Absent where none were offered. */
  readonly known?: readonly Tagged[] | undefined;
  readonly fresh: readonly Tagged[];
}

const INSTRUCTIONS = [
  'Choose tags for the note. `known`: tags of the list given, those that fit best first. `fresh`: new tags, only where no known one says it; letters, digits, `-`, `_` and `/`, without `#`.',
  '`evidence`: words copied letter by letter from the note, a phrase or one sentence, that show why the tag fits. A tag without such words is left out.',
  'Few good tags are better than many.',
  DATA_RULES,
].join('\n');

/** @param offered the only tags that `known` can hold */
export function tagTask(offered: readonly string[], limit: number): Task<TagAnswer> {
  const tagged = (tag: z.ZodType<string>) => z.array(z.strictObject({ tag, evidence: z.string() })).max(limit);
  const fresh = tagged(z.string());
  const [first, ...others] = offered;
  const schema: z.ZodType<TagAnswer> =
    first === undefined
      ? z.strictObject({ fresh })
      : z.strictObject({ known: tagged(z.enum([first, ...others])), fresh });
  return { name: 'suggest tags', version: VERSION, instructions: INSTRUCTIONS, schema, maxAnswerTokens: 1_200 };
}

/** Tags are text of notes, too. */
export function tagPrompt(offered: readonly string[], own: readonly string[], text: string): string {
  const which =
    'Text 1: the tags to choose from. Text 2: tags the note has already, not to be given again. Text 3: the note.';
  return `${which}\n\n${asData([offered.join(' '), own.join(' '), text])}`;
}
