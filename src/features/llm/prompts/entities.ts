// The words with which a model is asked for the names in a text.
import * as z from 'zod';
import { asData } from './data-marks.ts';
import { DATA_RULES, type Task } from './task.ts';

const VERSION = 1;
export const ENTITY_TYPES = ['person', 'organization', 'place', 'date', 'work', 'concept', 'other'] as const;

const MAX_IN_A_SECTION = 60;
const entities = z.strictObject({
  entities: z.array(z.strictObject({ type: z.enum(ENTITY_TYPES), text: z.string() })).max(MAX_IN_A_SECTION),
});
export type EntityAnswer = z.infer<typeof entities>;

export const EXTRACT_ENTITIES: Task<EntityAnswer> = {
  name: 'extract entities',
  version: VERSION,
  instructions: [
    'List the entities that the text names: persons, organizations, places, dates, works (books, films, pieces of music, programs), concepts that have a name, and other named things.',
    '`text`: the name copied letter by letter as it stands in the text, the longest form that stands there. Each entity once, in the order of the text.',
    'Names that do not stand in the text are wrong, however well known.',
    DATA_RULES,
  ].join('\n'),
  schema: entities,
  maxAnswerTokens: 1_600,
};

export const entityPrompt = (text: string): string => asData([text]);
