// Finds the lines of the part of a note that a reference names in its current text.
import { EMPTY_NOTE, type NotePath } from '../../base/note.ts';
import { jobs } from '../../compute/jobs.ts';
import type { Vault } from '../../contracts/vault.ts';
import { locatePart } from '../../markdown/links/locate-part.ts';
import type { ReferencePart } from '../../markdown/links/reference.ts';
import type { LineSpan } from '../../markdown/links/section.ts';
import { lineCountOfFile } from '../../markdown/parse/shown-text.ts';
import { type OutlineContext, readContent } from './note-content.ts';

/**
 * The lines of the part; all lines for the whole note.
 * @param argument the tool argument with the reference, named in the choices of an ambiguous part
 * @throws NOTE_PART_NOT_FOUND, NOTE_PART_AMBIGUOUS
 */
export async function partOfText(
  path: NotePath,
  text: string,
  part: ReferencePart,
  argument: string,
  { compute, signal }: OutlineContext,
): Promise<LineSpan> {
  if (part.kind === 'subpath') return compute.run(jobs.locate, { path, text, part, argument }, signal);
  return locatePart({ path, outline: EMPTY_NOTE, lineCount: lineCountOfFile(path, text) }, part, argument);
}

/** The same of the text on disk. @throws also FILE_UNREADABLE, LIMIT_EXCEEDED, VAULT_UNAVAILABLE */
export async function readPart(
  path: NotePath,
  part: ReferencePart,
  argument: string,
  vault: Vault,
  context: OutlineContext,
): Promise<LineSpan> {
  const { text } = await readContent(path, vault, context.signal);
  return partOfText(path, text, part, argument, context);
}
