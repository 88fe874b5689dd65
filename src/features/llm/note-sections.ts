// Splits a note into sections that fit one prompt each, at chunk borders.
import type { CallContext } from '../../contracts/tool.ts';
import { type Chunk, chunkNote } from '../../markdown/chunk/chunks.ts';
import { chunkTokensFor, sizeOf } from '../../markdown/chunk/text-size.ts';
import { splitLines } from '../../markdown/parse/lines.ts';
import type { RequestedNote } from '../notes/requested-note.ts';
import { MARK_TOKENS } from './data-marks.ts';

export interface NoteSection {
  readonly text: string;
  /** Offset after the last line that it covers. */
  readonly end: number;
}

/** The rest of a longer note is not read. */
const MAX_SECTIONS = 32;
const BETWEEN_CHUNKS = '\n\n';

/** As few as possible, in order; together they cover the whole requested part. */
export function sectionsFor(note: RequestedNote, room: number): NoteSection[] {
  const maxTokens = room - MARK_TOKENS;
  const groups: Chunk[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const chunk of chunksOf(note, maxTokens)) {
    const { tokens } = sizeOf(chunk.text + BETWEEN_CHUNKS);
    if (size + tokens > maxTokens) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1)?.push(chunk);
    size += tokens;
  }
  const { starts } = splitLines(note.text);
  return groups.map((group, at) => {
    const next = groups[at + 1]?.[0]?.lines[0];
    const end = next === undefined ? note.to : Math.min(starts[next - 1] ?? note.to, note.to);
    return { text: joined(group), end };
  });
}

/** Writes the heading path of consecutive chunks only once. */
function joined(chunks: readonly Chunk[]): string {
  const texts = chunks.map(({ text }, at) => {
    const path = pathOf(text);
    return at > 0 && path === pathOf(chunks[at - 1]?.text ?? '') ? text.slice(path.length).trimStart() : text;
  });
  return texts.join(BETWEEN_CHUNKS);
}

const pathOf = (text: string): string => text.slice(0, Math.max(0, text.indexOf(BETWEEN_CHUNKS)));

/** With their lines in the whole note. A blank line before a part keeps it from being read as front matter. */
function chunksOf({ title, text, from, to, lines }: RequestedNote, maxTokens: number): Chunk[] {
  const cut = chunkNote(title, `\n${text.slice(from, to)}`, chunkTokensFor(maxTokens));
  const before = lines[0] - 2;
  return cut.map((chunk) => ({ ...chunk, lines: [chunk.lines[0] + before, chunk.lines[1] + before] }));
}

/** The sections to read, and how much of the note they cover; adds a warning if that is not all of it. */
export function readableSections(note: RequestedNote, room: number, call: CallContext) {
  const all = sectionsFor(note, room);
  const sections = all.slice(0, MAX_SECTIONS);
  const read = coverage(note, sections.at(-1)?.end ?? note.to);
  warnOfRest(note, read, call);
  return { sections, ...read };
}

/** In characters. */
export interface Coverage {
  readonly covered: number;
  readonly total: number;
}

export function coverage({ from, to }: RequestedNote, end: number): Coverage {
  return { covered: end - from, total: to - from };
}

export function warnOfRest({ path }: RequestedNote, { covered, total }: Coverage, call: CallContext): void {
  if (covered >= total) return;
  const message = `${path} is longer than fits: the model read ${covered} of ${total} characters`;
  call.warn({ code: 'TRUNCATED', message, count: total - covered });
}
