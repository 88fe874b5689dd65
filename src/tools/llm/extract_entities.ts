// Extracts the names in a note by type, with their positions.
import * as z from 'zod';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { noteArgument } from '../notes/note-reference.ts';
import { REQUESTED_NOTE_FAILURES, type RequestedNote, readRequestedNote } from '../notes/requested-note.ts';
import { asData, DATA_RULES, openLlmSession, placesIn, reportInvented, type Task } from './llm-session.ts';
import { askInHalves, readableSections, sectionHalves } from './note-sections.ts';

const MAX_ENTITIES = 100;

const input = z.strictObject({
  note: noteArgument,
  limit: z.int().min(1).max(MAX_ENTITIES).default(MAX_ENTITIES).describe('rows'),
});

export const extractEntities = defineTool({
  name: 'extract_entities',
  title: 'Extract names',
  summary:
    "The user's language model lists people, places, dates, works and other names in a note. Returns each with type, lines and count.",
  words: 'people, places',
  effect: 'reads',
  references: ['note'],
  needs: ['store', 'vault', 'llm'],
  index: 'none',
  fails: [...REQUESTED_NOTE_FAILURES],
  input,
  run: async ({ note: reference, limit }, granted, call) => {
    const request = { tool: 'extract_entities', accepted: Object.keys(input.shape), argument: 'note', reference };
    const note = await readRequestedNote(request, granted, call);
    const model = openLlmSession(granted.llm, call);
    const { sections, covered, total } = await readableSections(note, model.room(EXTRACT_ENTITIES), call);
    const answers: EntityAnswer[] = [];
    for (const [at, { text }] of sections.entries()) {
      call.progress(at, sections.length, `reading section ${at + 1} of ${sections.length}`);
      const ask = (part: string) => model.ask(EXTRACT_ENTITIES, entityPrompt(part));
      answers.push(...(await askInHalves(text, sectionHalves, ask)));
    }
    model.reportProvider();
    const { entities, invented } = await checkedEntities(answers, note, call);
    reportInvented({ kept: entities.length, invented }, 'entities', model, call);
    return {
      path: note.path,
      match: note.match,
      entities: entities.slice(0, limit),
      total: entities.length,
      ...(answers.length === 1 ? {} : { sections: answers.length }),
      ...(covered < total ? { read: { covered, total } } : {}),
    };
  },
});

interface Entity {
  readonly type: EntityAnswer['entities'][number]['type'];
  /** The text as the note has it. */
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
async function checkedEntities(answers: readonly EntityAnswer[], note: RequestedNote, call: CallContext) {
  const listed = answers.flatMap(({ entities }) => entities);
  const places = await placesIn(
    note,
    listed.map(({ text }) => text),
    call,
  );
  const byText = new Map<string, Entity>();
  const invented = new Set<string>();
  for (const [at, { type, text: named }] of listed.entries()) {
    const place = places[at];
    if (place === undefined) {
      invented.add(named);
      continue;
    }
    const { text, lines, column, from: offset, count } = place;
    if (!byText.has(text)) byText.set(text, { type, text, lines, column, offset, count });
  }
  const entities = [...byText.values()].sort((one, other) => one.offset - other.offset);
  return { entities, invented: invented.size };
}

const VERSION = 1;
const ENTITY_TYPES = ['person', 'organization', 'place', 'date', 'work', 'concept', 'other'] as const;

const MAX_IN_A_SECTION = 60;
const entities = z.object({
  entities: z.array(z.object({ type: z.enum(ENTITY_TYPES), text: z.string() })).max(MAX_IN_A_SECTION),
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
