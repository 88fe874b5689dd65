// Parses the text of a file by the rules of its kind; positions in a canvas are those of its outline.
import { EMPTY_NOTE, fileKindOf, type NotePath, type ParsedNote } from '../../base/note.ts';
import { canvasOutline } from './canvas-outline.ts';
import { parseNote } from './parse-note.ts';

/** Bases are not Markdown and have no links; attachments are never parsed. */
export function parseContent(path: NotePath, text: string): ParsedNote {
  const kind = fileKindOf(path);
  if (kind === 'note') return parseNote(text);
  return kind === 'canvas' ? canvasOutline(text).parsed : EMPTY_NOTE;
}
