// The whole reading of one note's text, put together from its front matter and its body.
import type { ParsedNote } from '../../base/note.ts';
import { readFrontMatter } from '../frontmatter/front-matter.ts';
import { splitLines } from './lines.ts';
import { readBody } from './note-body.ts';

/** Reads a decoded text; any text is a note, so nothing is refused. Linear in the text's length. */
export function parseNote(text: string): ParsedNote {
  const lines = splitLines(text);
  const front = readFrontMatter(text, lines);
  const body = readBody(text, lines, front.bodyLine);
  return {
    properties: front.properties,
    ...(front.fault && { propertiesFault: front.fault }),
    notices: front.notices,
    aliases: front.aliases,
    tags: [...front.tags, ...body.tags],
    headings: body.headings,
    blocks: body.blocks,
    links: [...front.links, ...body.links],
    tasks: body.tasks,
    bodyOffset: front.bodyOffset,
  };
}
