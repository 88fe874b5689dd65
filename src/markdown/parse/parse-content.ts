// Parses the text of a file by the rules of its kind; positions in a canvas are those of its outline.
import { EMPTY_NOTE, fileKindOf, type NotePath, type ParsedNote } from '../../base/note.ts';
import { pageName } from '../links/page-names.ts';
import { canvasOutline } from './canvas-outline.ts';
import { parseNote } from './parse-note.ts';

/** A page of Logseq is found by its name, too. */
function withPageName(path: NotePath, parsed: ParsedNote): ParsedNote {
  const page = pageName(path);
  return page === undefined ? parsed : { ...parsed, aliases: [...parsed.aliases, page] };
}

/** Bases are not Markdown and have no links; attachments are never parsed. */
export function parseContent(path: NotePath, text: string): ParsedNote {
  const kind = fileKindOf(path);
  if (kind === 'note') return withPageName(path, parseNote(text));
  return kind === 'canvas' ? canvasOutline(text).parsed : EMPTY_NOTE;
}
