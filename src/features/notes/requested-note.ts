// Reads the note or the part of a note that a reference names.
import { contentHash } from '../../base/content-hash.ts';
import type { ErrorCode } from '../../base/errors.ts';
import { fileKindOf, type Match, type NotePath, noteName, type ParsedNote } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { ReadContext } from '../../contracts/tool.ts';
import { splitLines } from '../../markdown/parse/lines.ts';
import { inputRefusal } from './input-refusal.ts';
import { type OutlineContext, outlineOfContent, readContent } from './note-content.ts';
import { partOfText } from './note-part.ts';
import { locateNote, RESOLVE_FAILURES } from './note-reference.ts';

const PARTS = ['tags', 'headings', 'links', 'bodyOffset'] as const;

export interface RequestedNote {
  readonly path: NotePath;
  readonly match: Match;
  readonly title: string;
  readonly etag: string;
  /** The whole file without a byte order mark, and the parsed note. */
  readonly text: string;
  readonly parsed: Pick<ParsedNote, (typeof PARTS)[number]>;
  /** Offsets of the requested part in the text; of everything below the front matter for the whole note. */
  readonly from: number;
  readonly to: number;
  /** First and last line of that part. */
  readonly lines: readonly [number, number];
}

/** The codes of `readRequestedNote`. */
export const REQUESTED_NOTE_FAILURES = [...RESOLVE_FAILURES, 'INVALID_INPUT'] as const satisfies readonly ErrorCode[];

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
  context: ReadContext & OutlineContext,
): Promise<RequestedNote> {
  const { argument } = request;
  const { path, match, part } = await locateNote(request.reference, argument, granted, context);
  if (fileKindOf(path) !== 'note') throw refused(request, `${path} is not a Markdown note`);
  const read = await readContent(path, granted.vault, context.signal);
  const { bytes, text } = read;
  const parsed = await outlineOfContent(path, text, PARTS, context);
  const { starts, ends } = splitLines(text);
  const span = await partOfText(path, text, part, argument, context);
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
