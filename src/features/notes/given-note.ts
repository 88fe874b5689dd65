// The note, or the part of one, that a tool is to have a model read: its text as it stands in the vault now. Asks no model.
import { contentHash } from '../../base/content-hash.ts';
import type { ErrorCode } from '../../base/errors.ts';
import { fileKindOf, type Match, type NotePath, noteName, type ParsedNote } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import { splitLines } from '../../markdown/parse/lines.ts';
import { inputRefusal } from './input-refusal.ts';
import { parseContent, readContent } from './note-content.ts';
import { locatePart } from './note-part.ts';
import { locateNote, REFERENCE_FAILURES } from './note-reference.ts';

export interface GivenNote {
  readonly path: NotePath;
  readonly match: Match;
  readonly title: string;
  readonly etag: string;
  /** The whole file, without a byte order mark, and what it holds. */
  readonly text: string;
  readonly parsed: ParsedNote;
  /** The offsets in it that are meant: the part named, or everything below the front matter. */
  readonly from: number;
  readonly to: number;
  /** The lines of that. */
  readonly lines: readonly [number, number];
}

/** The codes of `givenNote`. */
export const GIVEN_NOTE_FAILURES = [
  ...REFERENCE_FAILURES,
  'NOTE_PART_NOT_FOUND',
  'NOTE_PART_AMBIGUOUS',
  'FILE_UNREADABLE',
  'LIMIT_EXCEEDED',
  'INVALID_INPUT',
] as const satisfies readonly ErrorCode[];

export interface AskedReference {
  readonly tool: string;
  /** The names of the tool's arguments, and the one that holds the reference. */
  readonly accepted: readonly string[];
  readonly argument: string;
  readonly reference: string;
}

/** @throws GIVEN_NOTE_FAILURES; INVALID_INPUT for what is no note of Markdown, and for one without text */
export async function givenNote(
  asked: AskedReference,
  granted: Granted<'store' | 'vault'>,
  signal: AbortSignal,
): Promise<GivenNote> {
  const { argument } = asked;
  const { path, match, part } = await locateNote(asked.reference, argument, granted, signal);
  if (fileKindOf(path) !== 'note') throw refused(asked, `${path} is no note: there is no prose in it`);
  const { bytes, text } = await readContent(path, granted.vault, signal);
  const parsed = parseContent(path, text);
  const { starts, ends } = splitLines(text);
  const span = locatePart({ path, outline: parsed, lineCount: starts.length }, part, argument);
  const from = Math.max(starts[span.line - 1] ?? 0, parsed.bodyOffset);
  const to = Math.max(from, ends[span.endLine - 1] ?? text.length);
  if (text.slice(from, to).trim() === '') throw refused(asked, `${path} has no text there`);
  const first = starts.findLastIndex((start) => start <= from) + 1;
  const lines = [Math.max(first, 1), Math.max(first, span.endLine)] as const;
  return { path, match, title: noteName(path), etag: contentHash(bytes), text, parsed, from, to, lines };
}

function refused({ tool, accepted, argument }: AskedReference, rule: string) {
  return inputRefusal(tool, accepted, { path: argument, rule });
}
