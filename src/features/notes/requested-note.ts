// Reads the note or the part of a note that a reference names.
import { contentHash } from '../../base/content-hash.ts';
import { type Choice, type ErrorCode, VaultgraphError } from '../../base/errors.ts';
import { fileKindOf, type Heading, type Match, type NotePath, noteName, type ParsedNote } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { ReadContext } from '../../contracts/tool.ts';
import type { ReferencePart } from '../../markdown/links/reference.ts';
import {
  type LineSpan,
  lineRange,
  type Outline,
  resolveSubpath,
  type SubpathMatch,
} from '../../markdown/links/section.ts';
import { splitLines } from '../../markdown/parse/lines.ts';
import { inputRefusal } from './input-refusal.ts';
import { parseContent, readContent } from './note-content.ts';
import { locateNote, REFERENCE_FAILURES } from './note-reference.ts';

const MAX_CHOICES = 10;
const MAX_HEADINGS = 40;

export interface NoteOutline {
  readonly path: NotePath;
  readonly outline: Outline;
  readonly lineCount: number;
}

/**
 * The lines of the part; all lines for the whole note.
 * @param argument the tool argument with the reference, named in the choices of an ambiguous part
 * @throws NOTE_PART_NOT_FOUND, NOTE_PART_AMBIGUOUS
 */
export function locatePart(note: NoteOutline, part: ReferencePart, argument: string): LineSpan {
  if (part.kind === 'whole') return { line: 1, endLine: note.lineCount };
  if (part.kind === 'lines') {
    return lineRange(part.from, part.to, note.lineCount) ?? missing(note, `:${part.from}-${part.to}`);
  }
  const found = resolveSubpath(part.subpath, note.outline, note.lineCount) ?? missing(note, part.subpath);
  if (found.others.length > 0) throw ambiguous(note, part.subpath, found, argument);
  return { line: found.line, endLine: found.endLine };
}

function missing({ path, outline }: NoteOutline, part: string): never {
  const headings = outline.headings.slice(0, MAX_HEADINGS).map(headingLine);
  throw new VaultgraphError('NOTE_PART_NOT_FOUND', { path, part, outline: headings });
}

function headingLine({ level, text }: Heading): string {
  return `${'#'.repeat(level)} ${text}`;
}

function ambiguous({ path, outline }: NoteOutline, part: string, found: SubpathMatch, retryWith: string) {
  const spans = [found, ...found.others];
  const items = spans.slice(0, MAX_CHOICES).map(({ line, endLine }): Choice => {
    const heading = outline.headings.find((one) => one.line === line);
    const label = heading === undefined ? {} : { label: headingLine(heading) };
    return { value: `${path}:${line}-${endLine}`, path, line, ...label };
  });
  const choices = { items, total: spans.length, retryWith };
  return new VaultgraphError('NOTE_PART_AMBIGUOUS', { path, part }, { choices });
}

export interface RequestedNote {
  readonly path: NotePath;
  readonly match: Match;
  readonly title: string;
  readonly etag: string;
  /** The whole file without a byte order mark, and the parsed note. */
  readonly text: string;
  readonly parsed: ParsedNote;
  /** Offsets of the requested part in the text; of everything below the front matter for the whole note. */
  readonly from: number;
  readonly to: number;
  /** First and last line of that part. */
  readonly lines: readonly [number, number];
}

/** The codes of `readRequestedNote`. */
export const REQUESTED_NOTE_FAILURES = [
  ...REFERENCE_FAILURES,
  'NOTE_PART_NOT_FOUND',
  'NOTE_PART_AMBIGUOUS',
  'FILE_UNREADABLE',
  'LIMIT_EXCEEDED',
  'INVALID_INPUT',
] as const satisfies readonly ErrorCode[];

interface NoteRequest {
  readonly tool: string;
  /** The names of the tool's arguments, and the one with the reference. */
  readonly accepted: readonly string[];
  readonly argument: string;
  readonly reference: string;
}

/** @throws REQUESTED_NOTE_FAILURES; INVALID_INPUT for a file that is not a Markdown note, and for a part without text */
export async function readRequestedNote(
  request: NoteRequest,
  granted: Granted<'store' | 'vault'>,
  context: ReadContext,
): Promise<RequestedNote> {
  const { argument } = request;
  const { path, match, part } = await locateNote(request.reference, argument, granted, context);
  if (fileKindOf(path) !== 'note') throw refused(request, `${path} is not a Markdown note`);
  const { bytes, text } = await readContent(path, granted.vault, context.signal);
  const parsed = parseContent(path, text);
  const { starts, ends } = splitLines(text);
  const span = locatePart({ path, outline: parsed, lineCount: starts.length }, part, argument);
  const from = Math.max(starts[span.line - 1] ?? 0, parsed.bodyOffset);
  const to = Math.max(from, ends[span.endLine - 1] ?? text.length);
  if (text.slice(from, to).trim() === '') throw refused(request, `${path} has no text there`);
  const first = starts.findLastIndex((start) => start <= from) + 1;
  const lines = [Math.max(first, 1), Math.max(first, span.endLine)] as const;
  return { path, match, title: noteName(path), etag: contentHash(bytes), text, parsed, from, to, lines };
}

function refused({ tool, accepted, argument }: NoteRequest, rule: string) {
  return inputRefusal(tool, accepted, { path: argument, rule });
}
