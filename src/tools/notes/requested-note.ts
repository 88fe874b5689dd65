// Reads the note or the part of a note that a reference names.
import { contentHash } from '../../base/content-hash.ts';
import type { ErrorCode } from '../../base/errors.ts';
import { fileKindOf, type Match, type NotePath, noteName, type ParsedNote } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { ReadContext } from '../../contracts/tool.ts';
import { splitLines } from '../../markdown/parse/lines.ts';
import { bodyStart } from '../../markdown/properties/front-matter.ts';
import { inputRefusal } from './input-refusal.ts';
import { type OutlineContext, outlineOfContent, readContent, shownFile } from './note-content.ts';
import { locateNote, partOfText, RESOLVE_FAILURES } from './note-reference.ts';

const PARTS = ['tags', 'headings', 'links', 'bodyOffset'] as const;

export interface RequestedNote {
  readonly path: NotePath;
  readonly match: Match;
  readonly title: string;
  readonly etag: string;
  /** The whole file as its user sees it, without a byte order mark, and the parsed note. */
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

type Sources = Granted<'store' | 'vault'>;
type Context = ReadContext & OutlineContext;

/** @throws REQUESTED_NOTE_FAILURES; INVALID_INPUT for a file that is not a Markdown note, and for a part without text */
export async function readRequestedNote(
  request: NoteRequest,
  granted: Sources,
  context: Context,
): Promise<RequestedNote> {
  const text = await readRequestedText(request, granted, context);
  return { ...text, parsed: await outlineOfContent(text.path, text.text, PARTS, context) };
}

/** The same of a note that need not be parsed, which takes long where it has very many links. */
export async function readRequestedText(
  request: NoteRequest,
  granted: Sources,
  context: Context,
): Promise<Omit<RequestedNote, 'parsed'>> {
  const { argument } = request;
  const { path, match, part } = await locateNote(request.reference, argument, granted, context);
  if (fileKindOf(path) !== 'note') throw refused(request, `${path} is not a Markdown note`);
  const { bytes, text: written } = await readContent(path, granted.vault, context.signal);
  const etag = contentHash(bytes);
  await letOthersRun(context.signal);
  const span = await partOfText(path, written, part, argument, context);
  await letOthersRun(context.signal);
  const text = await shownFile(path, written, 'text', context);
  const lines = splitLines(text);
  const { starts, ends } = lines;
  const from = Math.max(starts[span.line - 1] ?? 0, bodyStart(text, lines).bodyOffset);
  const to = Math.max(from, ends[span.endLine - 1] ?? text.length);
  if (text.slice(from, to).trim() === '') throw refused(request, `${path} has no text there`);
  const first = starts.findLastIndex((start) => start <= from) + 1;
  const shown = [Math.max(first, 1), Math.max(first, span.endLine)] as const;
  return { path, match, title: noteName(path), etag, text, from, to, lines: shown };
}

function refused({ tool, accepted, argument }: NoteRequest, rule: string) {
  return inputRefusal(tool, accepted, { path: argument, rule });
}
