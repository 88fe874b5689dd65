// Parses the text of a file by the rules of its kind.
import { EMPTY_NOTE, fileKindOf, type NotePath, type ParsedNote } from '../../base/note.ts';
import { parseCanvas } from './canvas.ts';
import { parseNote } from './parse-note.ts';

/** Bases are not Markdown and have no links; attachments are never parsed. */
export function parseContent(path: NotePath, text: string): ParsedNote {
  const kind = fileKindOf(path);
  if (kind === 'note') return parseNote(text);
  return kind === 'canvas' ? parseCanvas(text) : EMPTY_NOTE;
}
