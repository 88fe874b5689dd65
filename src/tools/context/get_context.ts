// Tool: passages about a topic or about notes, with sources, within a token budget.
import * as z from 'zod';
import type { NotePath } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import type { Store } from '../../contracts/store.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { linkEmbeds } from '../notes/attachments.ts';
import { narrowingShape, periodView } from '../notes/filters.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { REQUESTED_NOTE_FAILURES } from '../notes/requested-note.ts';
import { filterWithoutTemplates, leftOutView, templatesArgument, warnOfFilters } from '../notes/vault-filter.ts';
import { ownDates, timeShape } from '../search/hits-by-date.ts';
import { type BudgetResult, type ContextSection, fillBudget, minTokens, sectionTokens } from './budget.ts';
import { type Neighborhood, neighborhoodOf } from './context-links.ts';
import { loadTokens, modelTokens } from './model-tokens.ts';
import { isOfProperties, linesOf, type Piece, shortProperties } from './passages.ts';
import { noteSeeds, type Seeds, topicSeeds } from './seeds.ts';

const input = z.strictObject({
  topic: z.string().optional().describe('words or a question; required without notes'),
  notes: z.array(z.string().min(1)).min(1).max(20).optional().describe('names of notes, also with a topic'),
  budget_tokens: z.int().default(2_000).describe('of the answer'),
  ...narrowingShape,
  templates: templatesArgument,
  ...timeShape,
});
type ContextArgs = z.infer<typeof input>;
const accepted = Object.keys(input.shape);

/** Around the data. */
const ENVELOPE_TOKENS = 20;
/** Each form of the answer adds some signs between its parts. */
const FILLED_SHARE = 0.98;
/** The list of what is left out is known once the rest is filled, which changes the list again. */
const MAX_ROUNDS = 4;
const SMALL_REST = 12;
/** By budget: the tokens of a passage, so that several fit, and how many left-out passages are named. */
const BUDGET_STEPS = [
  { below: 800, passage: 100, named: 1 },
  { below: 2_000, passage: 200, named: 2 },
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
  example: { topic: 'spring tides', folder: 'Log' },
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
    const around = await neighborhoodOf(seeds.notes, filter.exceptFolders, granted, call);
    await loadTokens();
    await letOthersRun();
    const byTime = args.sort === 'time' ? await notesByTime(seeds, granted.store, call.signal) : undefined;
    const facts = { ...periodView(filter), ...leftOutView(filter), ...seeds.order, ...byTime?.view };
    const filled = fitToBudget(args, seeds, around, facts);
    const answer = byTime === undefined ? filled : { ...filled, sections: byTime.sorted(filled.sections) };
    for (const { path, text } of answer.sections) await linkEmbeds({ path, text }, granted.store, call);
    return answer;
  },
});

/** Puts sections in order of the dates of their notes, newest first; those without a date of their own come last. */
async function notesByTime({ notes }: Seeds, store: Store, signal: AbortSignal) {
  const dates = await ownDates(notes, store, signal);
  const undated = notes.length - dates.size;
  const dateOf = (path: NotePath): string => dates.get(path)?.date ?? '';
  return {
    view: { sorted: 'by note date, newest first', ...(undated > 0 && { undated }) },
    sorted: (sections: readonly ContextSection[]) =>
      sections.toSorted((one, other) =>
        dateOf(one.path) < dateOf(other.path) ? 1 : dateOf(one.path) > dateOf(other.path) ? -1 : 0,
      ),
  };
}

async function seedsOf(
  { topic, notes, budget_tokens: budget, prefer }: ContextArgs,
  filter: NoteFilter,
  tokens: number,
  granted: Granted<'store' | 'vault'>,
  call: CallContext,
): Promise<Seeds> {
  if (topic === undefined && notes === undefined) throw invalidArgument('topic', 'is required without notes');
  const [narrowing] = Object.keys(filter).filter((name) => name !== 'exceptFolders');
  if (topic === undefined && narrowing !== undefined)
    throw invalidArgument('notes', 'filters go with a topic, not with notes alone');
  const asker = { tool: 'get_context', accepted };
  const named = notes && (await noteSeeds(notes, tokens, asker, granted, call));
  const seeds =
    topic === undefined
      ? undefined
      : await topicSeeds(
          topic,
          filter,
          { passage: tokens, budget, isRecentPreferred: prefer === 'recent' },
          granted,
          call,
        );
  return named === undefined || seeds === undefined ? ((named ?? seeds) as Seeds) : joined(named, seeds);
}

/** The named notes first; the passages about the topic come before what else the named notes say. */
function joined(named: Seeds, searched: Seeds): Seeds {
  const paths = new Set(named.notes.map(({ path }) => path));
  const others = searched.notes.filter(({ path }) => !paths.has(path));
  const best = searched.passages.slice(0, searched.best).filter(({ note }) => !paths.has(note.path));
  const opening = named.passages.slice(0, named.best);
  const more = searched.passages.filter((piece) => !best.includes(piece));
  const passages = [...opening, ...best, ...more, ...named.passages.slice(named.best)];
  return { ...searched, notes: [...named.notes, ...others], passages, best: opening.length + best.length };
}

function invalidArgument(path: string, rule: string) {
  return inputRefusal('get_context', accepted, { path, rule });
}

/** Passages that come first, and links that come before the other passages. */
const FIRST_NOTES = 5;
const FIRST_LINKS = 3;

/** The best passages and the first links come first. With a topic, further passages precede further links; otherwise they follow. */
function inOrder(hasTopic: boolean, { passages, best: count }: Seeds, { sentences: links }: Neighborhood): Piece[] {
  const [best, more] = [passages.slice(0, count), passages.slice(count)];
  const [first, others] = [links.slice(0, FIRST_LINKS), links.slice(FIRST_LINKS)];
  const ordered = [...best.slice(0, FIRST_NOTES), ...first, ...best.slice(FIRST_NOTES)];
  return withProperties([...ordered, ...(hasTopic ? [...more, ...others] : [...others, ...more])]);
}

/** The first passage of each note shows its properties. */
function withProperties(pieces: readonly Piece[]): Piece[] {
  const paths = new Set<NotePath>();
  return pieces.map((piece) => {
    const { note, kind } = piece;
    if (kind !== 'passage' || paths.has(note.path) || isOfProperties(piece)) return piece;
    paths.add(note.path);
    const properties = shortProperties(note);
    return properties === undefined ? piece : { ...piece, properties };
  });
}

function fitToBudget(args: ContextArgs, seeds: Seeds, around: Neighborhood, period: object) {
  const pieces = inOrder(args.topic !== undefined, seeds, around);
  const rest = (filled: BudgetResult) => restOf(args, seeds, around, filled);
  const facts = { ...(seeds.corrected && { corrected: seeds.corrected }), ...period };
  const frame = ENVELOPE_TOKENS + jsonTokens(facts);
  const first = pieces[0] ?? firstOpening(around);
  // The list of what is left out is longest if nothing is shown and it names the longest paths.
  const longest = jsonTokens(rest({ sections: [], shown: [], left: longestNamed(pieces) }));
  const least = Math.ceil((frame + longest + (first === undefined ? 0 : minTokens(first))) / FILLED_SHARE);
  if (least > args.budget_tokens) throw invalidArgument('budget_tokens', `the minimum for this request is ${least}`);
  const budget = Math.floor(args.budget_tokens * FILLED_SHARE);
  const { filled, left_out, tokens } = filledBest(budget - frame, longest, pieces, around, rest);
  return { sections: filled.sections, tokens: frame + tokens, ...facts, ...(left_out.length > 0 && { left_out }) };
}

const jsonTokens = (value: object): number => modelTokens(JSON.stringify(value));

/** Fills the room as far as the list of what is left out allows. @param reserved the most tokens of that list */
function filledBest(
  room: number,
  reserved: number,
  pieces: readonly Piece[],
  around: Neighborhood,
  rest: (filled: BudgetResult) => readonly LeftOut[],
) {
  const fill = (free: number) => {
    const filled = fillBudget(pieces, around.openings, free);
    const left_out = rest(filled);
    const shown = filled.sections.reduce((sum, section) => sum + sectionTokens(section), 0);
    return { filled, left_out, tokens: shown + (left_out.length === 0 ? 0 : jsonTokens(left_out)) };
  };
  let free = room - reserved;
  let best = fill(free);
  for (let round = 1; round < MAX_ROUNDS && room - best.tokens > SMALL_REST && best.left_out.length > 0; round += 1) {
    free += room - best.tokens;
    const next = fill(free);
    if (next.tokens > room) break;
    best = next;
  }
  return best;
}

function longestNamed(pieces: readonly Piece[]): Piece[] {
  const tokens = new Map(pieces.map(({ note }) => [note.path, 0]));
  for (const path of tokens.keys()) tokens.set(path, modelTokens(path));
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
