// Splits a note into sections that fit one prompt each.
import { jobs } from '../../compute/jobs.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { RequestedNote } from '../notes/requested-note.ts';
import { MARK_TOKENS } from './data-marks.ts';

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
  const read = coverage(note, sections.at(-1)?.end ?? note.to);
  warnOfRest(note, read, call);
  return { sections, ...read };
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
