// Splits a note into sections that fit one prompt each.

import { outcomeOf } from '../../base/outcome.ts';
import { jobs } from '../../compute/jobs.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { halvesOf } from '../../markdown/chunk/halves.ts';
import type { RequestedNote } from '../notes/requested-note.ts';
import { MARK_TOKENS } from './llm-session.ts';

/** The rest of a longer note is not read. */
const MAX_SECTIONS = 32;

/** The first `limit` sections of the requested part. */
export function sectionsFor(note: RequestedNote, room: number, limit: number, { compute, signal }: CallContext) {
  const { title, text, from, to, lines } = note;
  const part = { title, text, from, to, firstLine: lines[0], maxTokens: room - MARK_TOKENS, limit };
  return compute.run(jobs.sections, part, signal);
}

/** The sections to read, and how much of the note they cover; adds a warning if that is not all of it. */
export async function readableSections(note: RequestedNote, room: number, call: CallContext) {
  const sections = await sectionsFor(note, room, MAX_SECTIONS, call);
  const share = coverage(note, sections.at(-1)?.end ?? note.to);
  warnOfRest(note, share, call);
  return { sections, ...share };
}

/** In characters. */
export type Coverage = ReturnType<typeof coverage>;

export function coverage({ from, to }: RequestedNote, end: number) {
  return { covered: end - from, total: to - from };
}

export function warnOfRest({ path }: RequestedNote, { covered, total }: Coverage, call: CallContext): void {
  if (covered >= total) return;
  const message = `${path} is longer than fits: the model read ${covered} of ${total} characters`;
  call.warn({ code: 'TRUNCATED', message, count: total - covered });
}

/** Without a second half the material cannot be cut. */
export type Halves<M> = (material: M) => readonly M[];

/**
 * The answers about all parts of the material, in order; one if it was read whole.
 * @throws PROVIDER_INPUT_TOO_LONG if a part is refused that cannot be cut; any other failure of a part
 */
export async function askInHalves<M, T>(
  material: M,
  halves: Halves<M>,
  ask: (part: M) => Promise<T>,
): Promise<readonly T[]> {
  const whole = await outcomeOf(ask(material));
  if ('value' in whole) return [whole.value];
  const parts = whole.error.code === 'PROVIDER_INPUT_TOO_LONG' ? halves(material) : [];
  if (parts.length < 2) throw whole.error;
  const answers: T[] = [];
  for (const part of parts) answers.push(...(await askInHalves(part, halves, ask)));
  return answers;
}

const NO_LINES = [1, 1] as const;

/** Halves a section, with its heading path. */
export const sectionHalves: Halves<string> = (text) =>
  (halvesOf({ text, lines: NO_LINES }) ?? []).map((half) => half.text);
