// The lines that a reference's `#Heading`, `#^block` or `:from-to` names in a note's text.
import { type Choice, VaultgraphError } from '../../base/errors.ts';
import type { Heading, NotePath } from '../../base/note.ts';
import type { ReferencePart } from '../../markdown/links/reference.ts';
import { type LineSpan, lineRange } from '../../markdown/links/section.ts';
import { type Outline, resolveSubpath, type SubpathMatch } from '../../markdown/links/subpath.ts';

const MAX_CHOICES = 10;
const MAX_HEADINGS = 40;

export interface PartedNote {
  readonly path: NotePath;
  readonly outline: Outline;
  readonly lineCount: number;
}

/**
 * The lines of the part; all lines for the whole.
 * @param argument the tool's argument that holds the reference, to call again with a choice
 * @throws NOTE_PART_NOT_FOUND, NOTE_PART_AMBIGUOUS
 */
export function locatePart(note: PartedNote, part: ReferencePart, argument: string): LineSpan {
  if (part.kind === 'whole') return { line: 1, endLine: note.lineCount };
  if (part.kind === 'lines') {
    return lineRange(part.from, part.to, note.lineCount) ?? missing(note, `:${part.from}-${part.to}`);
  }
  const found = resolveSubpath(part.subpath, note.outline, note.lineCount) ?? missing(note, part.subpath);
  if (found.others.length > 0) throw ambiguous(note, part.subpath, found, argument);
  return { line: found.line, endLine: found.endLine };
}

function missing({ path, outline }: PartedNote, part: string): never {
  const headings = outline.headings.slice(0, MAX_HEADINGS).map(headingLine);
  throw new VaultgraphError('NOTE_PART_NOT_FOUND', { path, part, outline: headings });
}

function headingLine({ level, text }: Heading): string {
  return `${'#'.repeat(level)} ${text}`;
}

function ambiguous({ path, outline }: PartedNote, part: string, found: SubpathMatch, retryWith: string) {
  const spans = [found, ...found.others];
  const items = spans.slice(0, MAX_CHOICES).map(({ line, endLine }): Choice => {
    const heading = outline.headings.find((one) => one.line === line);
    const label = heading === undefined ? {} : { label: headingLine(heading) };
    return { value: `${path}:${line}-${endLine}`, path, line, ...label };
  });
  const choices = { items, total: spans.length, retryWith };
  return new VaultgraphError('NOTE_PART_AMBIGUOUS', { path, part }, { choices });
}
