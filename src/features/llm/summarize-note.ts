// Summarizes one note: its text at once, or its sections and then their summaries.
import * as z from 'zod';
import { contentHash } from '../../base/content-hash.ts';
import { toVaultgraphError } from '../../base/errors.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { AnswerCache } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { sizeOf } from '../../markdown/chunk/text-size.ts';
import type { RequestedNote } from '../notes/requested-note.ts';
import { asData, DATA_RULES, MARK_TOKENS, type Task } from './data-marks.ts';
import { foreignUrl } from './evidence.ts';
import type { LlmSession } from './llm-session.ts';
import { type Coverage, readableSections } from './note-sections.ts';

export interface SummarizedNote extends Summary, Coverage {
  /** How many prompts it took to read the note. */
  readonly sections: number;
  /** Whether nothing of it had to be asked. */
  readonly cached: boolean;
}

export interface SummaryWish {
  readonly style: string | undefined;
  readonly refresh: boolean;
  /** Tells how far it is. */
  readonly onSection: (section: number, sections: number) => void;
}

type Ask = (task: Task<Summary>, texts: readonly string[]) => Promise<Summary>;

/** @throws PROVIDER_*, EGRESS_BLOCKED; what was answered before a failure is kept for the next call */
export async function summarizeNote(
  note: RequestedNote,
  wish: SummaryWish,
  model: LlmSession,
  { store }: Granted<'store'>,
  call: CallContext,
): Promise<SummarizedNote> {
  const wished = sizeOf(summaryPrompt([], wish.style)).tokens;
  const room = Math.min(...[SUMMARIZE_NOTE, SUMMARIZE_SECTION, JOIN_SUMMARIES].map(model.room)) - wished;
  const { sections, covered, total } = readableSections(note, room, call);
  let cached = true;
  const ask: Ask = async (task, texts) => {
    const given = { answers: store, refresh: wish.refresh };
    const answered = await keptOrAsked(task, summaryPrompt(texts, wish.style), model, given, call);
    cached &&= answered.cached;
    return sound(answered.value, note, model);
  };
  const summary = await summaryOf(
    sections.map(({ text }) => text),
    room,
    wish.onSection,
    ask,
  );
  return { ...summary, covered, total, sections: sections.length, cached };
}

async function summaryOf(
  texts: readonly string[],
  room: number,
  onSection: SummaryWish['onSection'],
  ask: Ask,
): Promise<Summary> {
  if (texts.length === 1) return ask(SUMMARIZE_NOTE, texts);
  const parts: Summary[] = [];
  for (const [at, text] of texts.entries()) {
    onSection(at + 1, texts.length);
    parts.push(await ask(SUMMARIZE_SECTION, [text]));
  }
  return joined(parts, room, ask);
}

/** In several rounds where all of them do not fit into one prompt. */
async function joined(parts: readonly Summary[], room: number, ask: Ask): Promise<Summary> {
  const round: Summary[] = [];
  for (const group of groupsOf(parts, room)) {
    const [alone, another] = group;
    if (alone !== undefined && another === undefined) round.push(alone);
    else round.push(await ask(JOIN_SUMMARIES, group.map(summaryAsText)));
  }
  const [whole, further] = round;
  return whole !== undefined && further === undefined ? whole : joined(round, room, ask);
}

/** Two at least in all but the last, so that each round has fewer. */
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

/** @throws PROVIDER_BAD_RESPONSE for a summary that says nothing, or sends its reader to an address that the note does not hold */
function sound(summary: Summary, { text }: RequestedNote, model: LlmSession): Summary {
  if (summary.summary.trim() === '') throw model.unusable('a summary', 'an empty text');
  const address = foreignUrl([summary.summary, ...summary.key_points], [text]);
  if (address !== undefined) throw model.unusable('a summary of the note', 'an address that the note does not hold');
  return summary;
}

interface Answered<T> {
  readonly value: T;
  /** Whether it was given earlier. */
  readonly cached: boolean;
}

/**
 * Kept by everything the answer depends on: the task and its version, the prompt with the note's text in it, and the model by its
 * digest, or by its name where the server tells none.
 * @param refresh asks anew, and keeps that answer
 */
async function keptOrAsked<T>(
  task: Task<T>,
  prompt: string,
  model: LlmSession,
  { answers, refresh }: { readonly answers: AnswerCache; readonly refresh: boolean },
  call: CallContext,
): Promise<Answered<T>> {
  const { provider, model: name, digest } = await model.identity();
  const made = [task.name, task.version, provider, name, digest, task.instructions, prompt];
  const key = contentHash(Buffer.from(JSON.stringify(made)));
  const kept = refresh ? undefined : await answers.keptAnswer(key, call.signal);
  const known = kept === undefined ? undefined : task.schema.safeParse(JSON.parse(kept)).data;
  if (known !== undefined) return { value: known, cached: true };
  const value = await model.ask(task, prompt);
  await keep(answers, key, value, call);
  return { value, cached: false };
}

/** A failure to cache the answer is only a warning. */
async function keep(answers: AnswerCache, key: string, value: unknown, call: CallContext): Promise<void> {
  const [kept] = await Promise.allSettled([answers.keepAnswer(key, JSON.stringify(value), call.signal)]);
  call.signal.throwIfAborted();
  if (kept.status === 'fulfilled') return;
  const { code } = toVaultgraphError(kept.reason);
  call.warn({ code: 'EXTRA_MISSING', message: `an answer of the model could not be cached: ${code}` });
}

const VERSION = 1;
const MAX_POINTS = 12;

const summary = z.strictObject({ summary: z.string().min(1), key_points: z.array(z.string().min(1)).max(MAX_POINTS) });
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

/** @param style what the caller wishes of how it is written */
function summaryPrompt(texts: readonly string[], style: string | undefined): string {
  const wish = style === undefined ? [] : [`Style wished for: ${JSON.stringify(style)}`];
  return [...wish, asData(texts)].join('\n\n');
}

function summaryAsText({ summary, key_points }: Summary): string {
  return [summary, ...key_points.map((point) => `- ${point}`)].join('\n');
}
