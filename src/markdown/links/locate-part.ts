// Finds the lines of the part of a note that a reference names, or says which parts the note has.
import { type Choice, VaultgraphError } from '../../base/errors.ts';
import type { Heading, NotePath } from '../../base/note.ts';
import { nearestParts } from './nearest-parts.ts';
import type { ReferencePart } from './reference.ts';
import { type LineSpan, lineRange, type Outline, resolvePart, type SubpathMatch } from './section.ts';

const MAX_CHOICES = 10;
const MAX_HEADINGS = 40;

interface NoteOutline {
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
  if (part.kind === 'lines') return lineRange(part.from, part.to, note.lineCount) ?? tooFewLines(note, part);
  const section = resolvePart(part.subpath, note.outline, note.lineCount) ?? missing(note, part.subpath);
  if (section.others.length > 0) throw ambiguous(note, part.subpath, section, argument);
  return { line: section.line, endLine: section.endLine };
}

function tooFewLines(
  { path, lineCount }: NoteOutline,
  { from, to }: { readonly from: number; readonly to: number },
): never {
  const part = from === to ? `:${from}` : `:${from}-${to}`;
  throw new VaultgraphError('NOTE_PART_NOT_FOUND', { path, part, outline: [], line_count: lineCount });
}

function missing({ path, outline }: NoteOutline, part: string): never {
  const headings = outline.headings.slice(0, MAX_HEADINGS).map(headingLine);
  throw new VaultgraphError('NOTE_PART_NOT_FOUND', {
    path,
    part,
    outline: headings,
    similar: nearestParts(part, outline),
  });
}

function headingLine({ level, text }: Heading): string {
  return `${'#'.repeat(level)} ${text}`;
}

function ambiguous({ path, outline }: NoteOutline, part: string, match: SubpathMatch, retryWith: string) {
  const spans = [match, ...match.others];
  const items = spans.slice(0, MAX_CHOICES).map(({ line, endLine }): Choice => {
    const heading = outline.headings.find((one) => one.line === line);
    const label = heading === undefined ? {} : { label: headingLine(heading) };
    return { value: `${path}:${line}-${endLine}`, path, line, ...label };
  });
  const choices = { items, total: spans.length, retryWith };
  return new VaultgraphError('NOTE_PART_AMBIGUOUS', { path, part }, { choices });
}
