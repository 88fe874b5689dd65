// Summarizes notes, as many as the time limit of the call allows.
import * as z from 'zod';
import { type RunEnds, runBatch } from '../../base/batch.ts';
import { contentHash } from '../../base/content-hash.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { packKept, unpackKept } from '../../base/kept-json.ts';
import { errorOf } from '../../base/outcome.ts';
import { CAPABILITY_FAILS, type Granted } from '../../contracts/capability.ts';
import type { AnswerCache } from '../../contracts/store.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { sizeOf } from '../../markdown/chunk/text-size.ts';
import { REQUESTED_NOTE_FAILURES, type RequestedNote, readRequestedNote } from '../notes/requested-note.ts';
import { reservedMs } from '../search/provider-call.ts';
import {
  asData,
  DATA_RULES,
  foreignUrl,
  type LlmSession,
  MARK_TOKENS,
  openLlmSession,
  type Task,
} from './llm-session.ts';
import { askInHalves, type Coverage, readableSections, sectionHalves } from './note-sections.ts';

const input = z.strictObject({
  notes: z.array(z.string().min(1)).min(1).describe('paths or names, also #Heading'),
  style: z.string().trim().min(1).max(200).optional().describe('one sentence, for a child'),
  refresh: z.boolean().default(false).describe('ask the model again'),
});
type Args = z.infer<typeof input>;
type Sources = Granted<'store' | 'vault' | 'llm'>;

export const summarizeNotes = defineTool({
  name: 'summarize_notes',
  title: 'Summarize notes',
  summary: "The user's language model summarizes notes one by one. Returns summary and key points of each.",
  words: 'tl;dr, key points',
  effect: 'reads',
  references: ['notes'],
  items: 'notes',
  needs: ['store', 'vault', 'llm'],
  index: 'none',
  fails: [...REQUESTED_NOTE_FAILURES],
  input,
  run: async (args, granted, call) => {
    const model = openLlmSession(granted.llm, call);
    const { notes } = args;
    const batch = await runBatch(
      notes,
      call.signal,
      (note, at) => summaryOf(note, at, args, model, granted, call),
      runEnds('summarizing', call),
    );
    model.reportProvider();
    return batch;
  },
});

async function summaryOf(
  reference: string,
  at: number,
  { notes, style, refresh }: Args,
  model: LlmSession,
  granted: Sources,
  call: CallContext,
) {
  call.progress(at, notes.length, `summarizing note ${at + 1} of ${notes.length}`);
  const request = { tool: 'summarize_notes', accepted: Object.keys(input.shape), argument: 'notes', reference };
  const note = await readRequestedNote(request, granted, call);
  const onSection = (section: number, sections: number) =>
    call.progress(at, notes.length, `summarizing note ${at + 1} of ${notes.length}, section ${section} of ${sections}`);
  const summarized = await summarizeNote(note, { style, refresh, onSection }, model, granted, call);
  const { summary, key_points, sections, covered, total, cached } = summarized;
  return {
    path: note.path,
    lines: note.lines,
    summary,
    key_points,
    covered,
    total,
    ...(sections === 1 ? {} : { sections }),
    cached,
    model: model.model,
  };
}

/** The share of the call's time, besides the reserve, that must be left to begin an item. */
const MIN_SHARE = 1 / 30;

/** @param phase what the call was doing, for the DEADLINE_EXCEEDED error */
export function runEnds(phase: string, call: CallContext): RunEnds {
  const budget = call.msLeft();
  const least = budget * MIN_SHARE + reservedMs(budget);
  const late = () =>
    new VaultgraphError('DEADLINE_EXCEEDED', { budget_ms: Math.round(budget), phase, committed: 'none' });
  return {
    tooLate: () => (call.msLeft() < least ? late() : undefined),
    endsAll: isOfProvider,
  };
}

/** Whether the provider itself failed, so that other inputs would fail, too. */
function isOfProvider({ code, details }: VaultgraphError): boolean {
  const { level } = details as { readonly level?: 'item' | 'call' };
  return CAPABILITY_FAILS.llm.includes(code) && level !== 'item';
}

interface SummarizedNote extends Summary, Coverage {
  /** The number of sections that were summarized. */
  readonly sections: number;
  /** Whether every answer came from the cache. */
  readonly cached: boolean;
}

interface SummaryOptions {
  readonly style: string | undefined;
  readonly refresh: boolean;
  /** Called before each section. */
  readonly onSection: (section: number, sections: number) => void;
}

type Ask = (task: Task<Summary>, texts: readonly string[]) => Promise<Summary>;

/** @throws PROVIDER_*, EGRESS_BLOCKED; answers before a failure stay cached for the next call */
async function summarizeNote(
  note: RequestedNote,
  options: SummaryOptions,
  model: LlmSession,
  { store }: Granted<'store'>,
  call: CallContext,
): Promise<SummarizedNote> {
  const styleTokens = sizeOf(summaryPrompt([], options.style)).tokens;
  const room = Math.min(...[SUMMARIZE_NOTE, SUMMARIZE_SECTION, JOIN_SUMMARIES].map(model.room)) - styleTokens;
  const { sections, covered, total } = await readableSections(note, room, call);
  let cached = true;
  const ask: Ask = async (task, texts) => {
    const cache = { answers: store, refresh: options.refresh };
    const answered = await cachedOrAsked(task, summaryPrompt(texts, options.style), model, cache, call);
    cached &&= answered.cached;
    return checkedSummary(answered.value, note, model);
  };
  const texts = sections.map(({ text }) => text);
  const parts = await partsOf(texts, options.onSection, ask);
  return { ...(await join(parts, room, ask)), covered, total, sections: parts.length, cached };
}

/** A summary of each text, or of its halves where the model refuses it as too long. */
async function partsOf(texts: readonly string[], onSection: SummaryOptions['onSection'], ask: Ask): Promise<Summary[]> {
  const parts: Summary[] = [];
  const [whole, another] = texts;
  const askPart = (text: string) =>
    ask(text === whole && another === undefined ? SUMMARIZE_NOTE : SUMMARIZE_SECTION, [text]);
  for (const [at, text] of texts.entries()) {
    if (another !== undefined) onSection(at + 1, texts.length);
    parts.push(...(await askInHalves(text, sectionHalves, askPart)));
  }
  return parts;
}

/** Takes several rounds if the parts do not fit one prompt. */
async function join(parts: readonly Summary[], room: number, ask: Ask): Promise<Summary> {
  const round: Summary[] = [];
  for (const group of groupsOf(parts, room)) {
    round.push(...(await askInHalves(group, halvesOfGroup, (some) => joinGroup(some, ask))));
  }
  const [whole, further] = round;
  return whole !== undefined && further === undefined ? whole : join(round, room, ask);
}

async function joinGroup(group: readonly Summary[], ask: Ask): Promise<Summary> {
  const [alone, another] = group;
  if (alone !== undefined && another === undefined) return alone;
  return ask(JOIN_SUMMARIES, group.map(summaryAsText));
}

/** None of two summaries: they would stay two. */
function halvesOfGroup(group: readonly Summary[]): readonly (readonly Summary[])[] {
  const half = Math.ceil(group.length / 2);
  return group.length <= 2 ? [] : [group.slice(0, half), group.slice(half)];
}

/** All groups but the last have at least two parts, so that each round has fewer. */
function groupsOf(parts: readonly Summary[], room: number): Summary[][] {
  const groups: Summary[][] = [];
  let size = 0;
  for (const part of parts) {
    const tokens = sizeOf(summaryAsText(part)).tokens + MARK_TOKENS;
    const open = groups.at(-1);
    const isFull = open === undefined || (open.length >= 2 && size + tokens > room);
    if (isFull) groups.push([part]);
    else open.push(part);
    size = isFull ? tokens : size + tokens;
  }
  return groups;
}

/** @throws PROVIDER_BAD_RESPONSE for an empty summary, or one with a URL that is not in the note */
function checkedSummary(summary: Summary, { text }: RequestedNote, model: LlmSession): Summary {
  if (summary.summary.trim() === '') throw model.unusable('a summary', 'an empty text');
  const url = foreignUrl([summary.summary, ...summary.key_points], [text]);
  if (url !== undefined) throw model.unusable('a summary of the note', 'a URL that is not in the note');
  return summary;
}

interface Answered<T> {
  readonly value: T;
  /** Whether it came from the cache. */
  readonly cached: boolean;
}

/**
 * The cache key covers everything that the answer depends on: the task and its version, the prompt with the note's text, and the
 * model's name and, if the server reports one, its digest.
 * @param refresh asks the model again and caches the new answer
 */
async function cachedOrAsked<T>(
  task: Task<T>,
  prompt: string,
  model: LlmSession,
  { answers, refresh }: { readonly answers: AnswerCache; readonly refresh: boolean },
  call: CallContext,
): Promise<Answered<T>> {
  const { provider, model: name, digest } = await model.identity();
  const keyParts = [task.name, task.version, provider, name, digest, task.instructions, prompt];
  const key = contentHash(Buffer.from(JSON.stringify(keyParts)));
  const cached = refresh ? undefined : await answers.cachedAnswer(key, call.signal);
  const summary = cached === undefined ? undefined : task.schema.safeParse(unpackKept(cached, key)).data;
  if (summary !== undefined) return { value: summary, cached: true };
  const value = await model.ask(task, prompt);
  await cacheAnswer(answers, key, value, call);
  return { value, cached: false };
}

/** A failure to cache the answer is only a warning. */
async function cacheAnswer(answers: AnswerCache, key: string, value: unknown, call: CallContext): Promise<void> {
  const error = await errorOf(answers.cacheAnswer(key, packKept(value, key), call.signal));
  call.signal.throwIfAborted();
  if (error === undefined) return;
  call.warn({ code: 'EXTRA_MISSING', message: `an answer of the model could not be cached: ${error.code}` });
}

const VERSION = 1;
const MAX_POINTS = 12;

const summary = z.object({ summary: z.string().min(1), key_points: z.array(z.string().min(1)).max(MAX_POINTS) });
type Summary = z.infer<typeof summary>;

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

const SUMMARIZE_NOTE = task('summarize note', 'Summarize the note.');
const SUMMARIZE_SECTION = task(
  'summarize section',
  'Summarize this section of a longer note, for somebody who sums up all sections.',
);
const JOIN_SUMMARIES = task(
  'join summaries',
  'Each text is the summary of one section of the same note, in order. Make one summary of the whole note of them.',
);

/** @param style the style that the caller wants */
function summaryPrompt(texts: readonly string[], style: string | undefined): string {
  const styleLine = style === undefined ? [] : [`Style wished for: ${JSON.stringify(style)}`];
  return [...styleLine, asData(texts)].join('\n\n');
}

function summaryAsText({ summary, key_points }: Summary): string {
  return [summary, ...key_points.map((point) => `- ${point}`)].join('\n');
}
