// Cuts a note into chunks to be embedded: each a few paragraphs below the path of their headings.
import { bodyStart } from '../frontmatter/front-matter.ts';
import { scanBlocks } from '../parse/blocks.ts';
import { skipWhiteSpace, trimWhiteSpace } from '../parse/characters.ts';
import { lineIndexAt, splitLines } from '../parse/lines.ts';
import { commonSection, type Draft, draftChunks, piecesOf } from './drafts.ts';
import { LINE_END, type Piece } from './pieces.ts';
import { type OutlinedText, PATH_SEPARATOR, type Section, sectionsOf } from './sections.ts';
import { LineSizes } from './text-size.ts';

export interface Chunk {
  /** First and last line of what it holds, from 1 in the file. Two chunks meet on a line only where that line had to be cut. */
  readonly lines: readonly [number, number];
  /** `Title > H1 > H2`, a blank line, the content. */
  readonly text: string;
}

/** Vectors of chunks cut by other rules are not compared: raise it with every change that cuts or words a chunk otherwise. */
export const CHUNKER_VERSION = 'headings-1';

/** The rules and the size of chunks, `headings-1/450`: part of a generation's fingerprint. */
export const chunkerName = (maxTokens: number): string => `${CHUNKER_VERSION}/${maxTokens}`;

/** Where chunks find their notes best; fewer where `maxTokens` is reached before. */
const MAX_WORDS = 300;

/**
 * In the order of the note; front matter and `%%` comments are left out. A note without text is one chunk with its title, and
 * one without either is none. Linear in the text's length.
 * @param text decoded, without a byte order mark
 * @param maxTokens of a chunk, its path included, by an estimate on the safe side; from 16 on
 */
export function chunkNote(title: string, text: string, maxTokens: number): readonly Chunk[] {
  const outline = outlineOf(text.includes('\r') ? text.replace(/\r\n?/g, LINE_END) : text);
  const limit = { words: MAX_WORDS, tokens: maxTokens };
  const sections = sectionsOf(title, outline, limit);
  const chunks = draftChunks(sections, limit)
    .map((draft) => chunkOf(draft, outline))
    .filter((chunk) => chunk.text !== '');
  return chunks.length > 0 ? chunks : titleChunk(sections, outline.lines.starts.length);
}

function outlineOf(text: string): OutlinedText {
  const lines = splitLines(text);
  const { bodyLine } = bodyStart(text, lines);
  const { headings, comments, breakCosts } = scanBlocks(text, lines, bodyLine);
  const hidden = new Uint8Array(lines.starts.length);
  for (const { line, endLine } of comments) hidden.fill(1, line - 1, endLine);
  return { text, lines, bodyLine, breakCosts, headings, hidden, sizes: new LineSizes(text, lines, bodyLine) };
}

function titleChunk([root]: readonly Section[], lineCount: number): Chunk[] {
  const path = root?.path ?? '';
  return path === '' ? [] : [{ lines: [1, Math.max(1, lineCount)], text: path }];
}

function chunkOf(draft: Draft, { text, lines }: OutlinedText): Chunk {
  const written = draft.flatMap(({ section, pieces, opens }) =>
    opens && section.heading !== undefined ? [section.heading, ...pieces] : pieces,
  );
  const from = skipWhiteSpace(text, written[0]?.from ?? 0, text.length);
  const to = trimWhiteSpace(text, from, written[written.length - 1]?.to ?? 0);
  const content = textOf(piecesOf(draft), text).trim();
  return {
    lines: [lineIndexAt(lines, from) + 1, lineIndexAt(lines, to - 1) + 1],
    text: [commonSection(draft)?.path ?? '', content].filter((part) => part !== '').join(PATH_SEPARATOR),
  };
}

/** As written; where something between two pieces is left out, the line ends. */
function textOf(pieces: readonly Piece[], text: string): string {
  let written = '';
  let end = pieces[0]?.from ?? 0;
  for (const { from, to } of pieces) {
    if (from > end && !written.endsWith(LINE_END)) written += LINE_END;
    written += text.slice(from, to);
    end = to;
  }
  return written;
}
