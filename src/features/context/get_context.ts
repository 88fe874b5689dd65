// Tool: passages about a topic or about notes, with sources, within a token budget.
import * as z from 'zod';
import type { NotePath } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { tokenBound } from '../../markdown/chunk/text-size.ts';
import { narrowingShape, periodView } from '../notes/filters.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { REQUESTED_NOTE_FAILURES } from '../notes/requested-note.ts';
import { filterWithoutTemplates, leftOutView, templatesArgument, warnOfFilters } from '../notes/vault-filter.ts';
import { type BudgetResult, fillBudget, minTokens, sectionTokens } from './budget.ts';
import { type Neighborhood, neighborhoodOf } from './context-links.ts';
import { linesOf, type Piece } from './passages.ts';
import { noteSeeds, type Seeds, topicSeeds } from './seeds.ts';

const input = z.strictObject({
  topic: z.string().optional().describe('words or a question; required without notes'),
  notes: z.array(z.string().min(1)).min(1).max(20).optional().describe('names of notes, also with a topic'),
  budget_tokens: z.int().default(2_000).describe('of the answer'),
  ...narrowingShape,
  templates: templatesArgument,
});
type ContextArgs = z.infer<typeof input>;
const accepted = Object.keys(input.shape);

/** Maximum tokens around the data: the index state with all possible warnings. */
const ENVELOPE_TOKENS = 180;
/** By budget: the tokens of a passage, so that several fit, and how many left-out passages are named. */
const BUDGET_STEPS = [
  { below: 800, passage: 60, named: 1 },
  { below: 2_000, passage: 150, named: 2 },
  { below: Number.POSITIVE_INFINITY, passage: 320, named: 3 },
] as const;

const stepFor = ({ budget_tokens }: ContextArgs) =>
  BUDGET_STEPS.find(({ below }) => budget_tokens < below) ?? BUDGET_STEPS[2];

export const getContext = defineTool({
  name: 'get_context',
  title: 'Collect context',
  summary:
    "First call for a question about the user's notes: collects what they say about a topic, or given notes and their links. Returns passages and linking sentences with path and lines, within a budget of tokens.",
  others: { search_text: 'a list of hits', read_notes: 'a whole note' },
  example: { topic: 'spring tides', folder: 'Log', since: 'last month' },
  words: 'what do my notes say, what do I know, recall, brief me, second brain',
  long: true,
  effect: 'reads',
  references: ['notes'],
  needs: ['store', 'vault'],
  index: 'part',
  fails: [...REQUESTED_NOTE_FAILURES, 'INVALID_QUERY'],
  input,
  run: async (args, granted, call) => {
    const filter = await filterWithoutTemplates(args, granted, call);
    const seeds = await seedsOf(args, filter, stepFor(args).passage, granted, call);
    await warnOfFilters(filter, granted.store, call);
    const around = await neighborhoodOf(seeds.notes, filter.exceptFolder, granted, call);
    await letOthersRun();
    return fitToBudget(args, seeds, around, { ...periodView(filter), ...leftOutView(filter) });
  },
});

async function seedsOf(
  { topic, notes }: ContextArgs,
  filter: NoteFilter,
  tokens: number,
  granted: Granted<'store' | 'vault'>,
  call: CallContext,
): Promise<Seeds> {
  if (topic === undefined && notes === undefined) throw invalidArgument('topic', 'is required without notes');
  const [narrowing] = Object.keys(filter).filter((name) => name !== 'exceptFolder');
  if (topic === undefined && narrowing !== undefined)
    throw invalidArgument('notes', 'filters go with a topic, not with notes alone');
  const asker = { tool: 'get_context', accepted };
  const named = notes && (await noteSeeds(notes, tokens, asker, granted, call));
  const found = topic === undefined ? undefined : await topicSeeds(topic, filter, tokens, granted, call);
  return named === undefined || found === undefined ? ((named ?? found) as Seeds) : joined(named, found);
}

/** The named notes first; the passages about the topic come before what else the named notes say. */
function joined(named: Seeds, found: Seeds): Seeds {
  const known = new Set(named.notes.map(({ path }) => path));
  const others = found.notes.filter(({ path }) => !known.has(path));
  const isOther = ({ note }: Piece): boolean => !known.has(note.path);
  const best = found.passages.filter(isOther).slice(0, others.length);
  const more = found.passages.filter((piece) => !best.includes(piece));
  const opening = named.passages.slice(0, named.notes.length);
  const passages = [...opening, ...best, ...more, ...named.passages.slice(named.notes.length)];
  return { ...found, notes: [...named.notes, ...others], passages };
}

function invalidArgument(path: string, rule: string) {
  return inputRefusal('get_context', accepted, { path, rule });
}

/** Notes whose best passage comes first, and links that come before the passages of the other notes. */
const FIRST_NOTES = 5;
const FIRST_LINKS = 3;

/** The best passages and the first links, then the other links, then the other passages. */
function inOrder({ notes, passages }: Seeds, { sentences: links }: Neighborhood): Piece[] {
  const best = passages.slice(0, notes.length);
  return [
    ...best.slice(0, FIRST_NOTES),
    ...links.slice(0, FIRST_LINKS),
    ...best.slice(FIRST_NOTES),
    ...links.slice(FIRST_LINKS),
    ...passages.slice(notes.length),
  ];
}

function fitToBudget(args: ContextArgs, seeds: Seeds, around: Neighborhood, period: object): object {
  const pieces = inOrder(seeds, around);
  const rest = (filled: BudgetResult) => restOf(args, seeds, around, filled);
  // The list of what is left out is longest if nothing is shown and it names the longest paths, so its tokens are reserved first.
  const facts = { ...(seeds.corrected && { corrected: seeds.corrected }), ...period };
  const said = `${restLines(rest({ sections: [], shown: [], left: longestNamed(pieces) }))}${JSON.stringify(facts)}`;
  const frame = ENVELOPE_TOKENS + tokenBound(said);
  const first = pieces[0] ?? firstOpening(around);
  const least = frame + (first === undefined ? 0 : minTokens(first));
  if (least > args.budget_tokens) throw invalidArgument('budget_tokens', `the minimum for this request is ${least}`);
  const filled = fillBudget(pieces, around.openings, args.budget_tokens - frame);
  const left_out = rest(filled);
  const tokens = filled.sections.reduce((sum, section) => sum + sectionTokens(section), frame);
  return { sections: filled.sections, tokens, ...facts, ...(left_out.length === 0 ? {} : { left_out }) };
}

function longestNamed(pieces: readonly Piece[]): Piece[] {
  const tokens = new Map(pieces.map(({ note }) => [note.path, 0]));
  for (const path of tokens.keys()) tokens.set(path, tokenBound(path));
  const tokensOf = ({ note }: Piece): number => tokens.get(note.path) ?? 0;
  return pieces.toSorted((one, other) => tokensOf(other) - tokensOf(one));
}

function firstOpening({ openings }: Neighborhood): Piece | undefined {
  for (const { piece } of openings) {
    const first = piece();
    if (first !== undefined) return first;
  }
  return undefined;
}

function restOf(args: ContextArgs, { more }: Seeds, { links }: Neighborhood, { shown, left }: BudgetResult) {
  const shownLinks = shown.filter(({ kind }) => kind === 'link').length;
  const { topic, folder, tags, since, until, modified_since, templates } = args;
  const narrowed = Object.entries({ folder, tags, since, until, modified_since, templates }).filter(
    ([, value]) => value !== undefined,
  );
  return leftOut({
    topic,
    narrowed: Object.fromEntries(narrowed),
    hits: more,
    left,
    links,
    shownLinks,
    named: stepFor(args).named,
  });
}

/** Something left out, how much, and the tool call that shows it. */
type LeftOut = ReturnType<typeof leftOut>[number];

const MAX_QUERY_LENGTH = 120;

interface Rest {
  readonly topic: string | undefined;
  /** The filters of the call. */
  readonly narrowed: Readonly<Record<string, unknown>>;
  /** Notes that were found but not read. */
  readonly hits: number;
  readonly left: readonly Piece[];
  /** Number of links per note, and how many of all are shown. */
  readonly links: ReadonlyMap<NotePath, number>;
  readonly shownLinks: number;
  /** How many left-out passages to name. */
  readonly named: number;
}

/** The lines as they are rendered in the result; one alone has the names of its values. */
function restLines(rest: readonly LeftOut[]): string {
  const rows = rest.map(({ what, count, tool, arguments: args }) => {
    const values = Object.entries(args).map(([name, value]) => ` · arguments.${name}=${JSON.stringify(value)}`);
    return `- what=${what} · count=${count} · tool=${tool}${values.join('')}`;
  });
  return rest.length === 0 ? '' : ['left_out (3): what · count · tool', ...rows].join('\n');
}

function leftOut({ topic, narrowed, hits, left, links, shownLinks, named }: Rest) {
  const passages = left.filter(({ kind }) => kind === 'passage');
  const notes = passages.slice(0, named).map((piece) => `${piece.note.path}:${linesOf(piece).join('-')}`);
  const linked = [...links.values()].reduce((sum, count) => sum + count, 0) - shownLinks;
  const [most] = [...links].sort((one, other) => other[1] - one[1]);
  const query = topic !== undefined && topic.length <= MAX_QUERY_LENGTH ? { query: topic, ...narrowed } : narrowed;
  return [
    ...(hits > 0 ? [{ what: 'hits', count: hits, tool: 'search_text', arguments: query } as const] : []),
    ...(notes.length > 0
      ? [{ what: 'passages', count: passages.length, tool: 'read_notes', arguments: { notes } } as const]
      : []),
    ...(linked > 0 && most !== undefined
      ? [{ what: 'links', count: linked, tool: 'get_neighbors', arguments: { note: most[0] } } as const]
      : []),
  ];
}
