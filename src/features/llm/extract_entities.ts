// Extracts the names in a note by type, with their positions.
import * as z from 'zod';
import { defineTool } from '../../contracts/tool.ts';
import { REQUESTED_NOTE_FAILURES, type RequestedNote, readRequestedNote } from '../notes/requested-note.ts';
import { asData, DATA_RULES, type Task } from './data-marks.ts';
import { placesIn, reportInvented } from './evidence.ts';
import { openLlmSession } from './llm-session.ts';
import { readableSections } from './note-sections.ts';

const MAX_ENTITIES = 100;

const input = z.strictObject({
  note: z.string().min(1),
  limit: z.int().min(1).max(MAX_ENTITIES).default(MAX_ENTITIES),
});

export const extractEntities = defineTool({
  name: 'extract_entities',
  summary: 'People, places, dates, works and other names in a note, with their positions.',
  effect: 'reads',
  needs: ['store', 'vault', 'llm'],
  index: 'none',
  fails: [...REQUESTED_NOTE_FAILURES],
  input,
  run: async ({ note: reference, limit }, granted, call) => {
    const request = { tool: 'extract_entities', accepted: Object.keys(input.shape), argument: 'note', reference };
    const note = await readRequestedNote(request, granted, call);
    const model = openLlmSession(granted.llm, call);
    const { sections, covered, total } = readableSections(note, model.room(EXTRACT_ENTITIES), call);
    const answers: EntityAnswer[] = [];
    for (const [at, { text }] of sections.entries()) {
      call.progress(at, sections.length, `reading section ${at + 1} of ${sections.length}`);
      answers.push(await model.ask(EXTRACT_ENTITIES, entityPrompt(text)));
    }
    model.reportProvider();
    const { entities, invented } = checkedEntities(answers, note);
    reportInvented({ kept: entities.length, invented }, 'entities', model, call);
    return {
      ...{ path: note.path, match: note.match, entities: entities.slice(0, limit), total: entities.length },
      ...(sections.length === 1 ? {} : { sections: sections.length }),
      ...(covered < total ? { read: { covered, total } } : {}),
    };
  },
});

interface Entity {
  readonly type: EntityAnswer['entities'][number]['type'];
  /** As written in the note. */
  readonly text: string;
  /** The lines of the first occurrence. */
  readonly lines: readonly [number, number];
  readonly column: number;
  readonly offset: number;
  /** The number of occurrences in the requested part of the note. */
  readonly count: number;
}

/**
 * In the order of their first occurrences; a text that the model lists with several types keeps the first one.
 * `invented` counts the texts that the note does not contain.
 */
function checkedEntities(
  answers: readonly EntityAnswer[],
  note: RequestedNote,
): { readonly entities: readonly Entity[]; readonly invented: number } {
  const byText = new Map<string, Entity>();
  const invented = new Set<string>();
  for (const { type, text: named } of answers.flatMap(({ entities }) => entities)) {
    const [first, ...others] = placesIn(note, named);
    if (first === undefined) {
      invented.add(named);
      continue;
    }
    const text = note.text.slice(first.from, first.to);
    if (byText.has(text)) continue;
    const { lines, column, from: offset } = first;
    byText.set(text, { type, text, lines, column, offset, count: 1 + others.length });
  }
  const entities = [...byText.values()].sort((one, other) => one.offset - other.offset);
  return { entities, invented: invented.size };
}

const VERSION = 1;
const ENTITY_TYPES = ['person', 'organization', 'place', 'date', 'work', 'concept', 'other'] as const;

const MAX_IN_A_SECTION = 60;
const entities = z.strictObject({
  entities: z.array(z.strictObject({ type: z.enum(ENTITY_TYPES), text: z.string() })).max(MAX_IN_A_SECTION),
});
type EntityAnswer = z.infer<typeof entities>;

const EXTRACT_ENTITIES: Task<EntityAnswer> = {
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

const entityPrompt = (text: string): string => asData([text]);
