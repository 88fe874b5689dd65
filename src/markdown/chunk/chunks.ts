// Splits a note into chunks for embedding: a few paragraphs each, below the path of their headings.
import { bodyStart } from '../frontmatter/front-matter.ts';
import { scanBlocks } from '../parse/blocks.ts';
import { skipWhiteSpace, trimWhiteSpace } from '../parse/characters.ts';
import { lineIndexAt, splitLines } from '../parse/lines.ts';
import { commonSection, type Draft, draftChunks, piecesOf } from './drafts.ts';
import { LINE_END, type Piece } from './pieces.ts';
import { type OutlinedText, PATH_SEPARATOR, type Section, sectionsOf } from './sections.ts';
import { LineSizes } from './text-size.ts';
import { type TokenRates, USUAL_RATES } from './token-rates.ts';

export interface Chunk {
  /** First and last line of the chunk in the file, 1-based. Two chunks share a line only if that line had to be cut. */
  readonly lines: readonly [number, number];
  /** `Title > H1 > H2`, a blank line, the content. */
  readonly text: string;
}

/** A chunk with the path of its headings apart from its content; either may be empty. */
export interface ChunkParts extends Pick<Chunk, 'lines'> {
  readonly path: string;
  readonly content: string;
}

/** The size with the best search results; a chunk has fewer words if it reaches `maxTokens` first. */
const MAX_WORDS = 300;

/**
 * The chunks in the order of the note, without front matter and `%%` comments. A note without text gets one chunk
 * with its title; a note without a title either gets none. Runs in time linear in the length of the text.
 * @param text decoded, without a byte order mark
 * @param maxTokens per chunk, including its path, by a conservative estimate; at least 16
 * @param rates of the model's tokenizer, if it was measured
 */
export function chunkNote(title: string, text: string, maxTokens: number, rates = USUAL_RATES): readonly Chunk[] {
  return chunkParts(title, text, maxTokens, rates).map(asChunk);
}

/** With the title and the headings before the text. */
export function asChunk({ lines, path, content }: ChunkParts): Chunk {
  return { lines, text: [path, content].filter((part) => part !== '').join(PATH_SEPARATOR) };
}

/** As `chunkNote`. */
export function chunkParts(title: string, text: string, maxTokens: number, rates = USUAL_RATES): readonly ChunkParts[] {
  const { outline, sections, limit } = outlined(title, text, maxTokens, rates);
  const all = [...sections];
  const chunks = Array.from(draftChunks(all, limit), (draft) => chunkOf(draft, outline));
  const written = chunks.filter(({ path, content }) => path !== '' || content !== '');
  return written.length > 0 ? written : titleChunk(all, outline.lines.starts.length);
}

/**
 * Where the same chunks start and end in the text. A long line is in several chunks, so their lines do not say it. Who needs only the
 * first of them does not wait for the others.
 */
export function* chunkSpans(title: string, text: string, maxTokens: number): Generator<readonly [number, number]> {
  const { outline, sections, limit } = outlined(title, text, maxTokens, USUAL_RATES);
  const { starts } = outline.lines;
  const written = outline.text === text ? outline.lines : splitLines(text);
  const offsetOf = (at: number): number => {
    const line = lineIndexAt(outline.lines, at);
    return (written.starts[line] ?? 0) + at - (starts[line] ?? 0);
  };
  for (const draft of draftChunks(sections, limit)) {
    const { from, to } = spanOf(draft, outline);
    yield [offsetOf(from), offsetOf(to)];
  }
}

function outlined(title: string, text: string, maxTokens: number, rates: TokenRates) {
  const outline = outlineOf(text.includes('\r') ? text.replace(/\r\n?/g, LINE_END) : text, rates);
  const limit = { words: MAX_WORDS, tokens: maxTokens };
  return { outline, sections: sectionsOf(title, outline, limit), limit };
}

function outlineOf(text: string, rates: TokenRates): OutlinedText {
  const lines = splitLines(text);
  const { bodyLine } = bodyStart(text, lines);
  const { headings, comments, breakCosts } = scanBlocks(text, lines, bodyLine);
  const hidden = new Uint8Array(lines.starts.length);
  for (const { line, endLine } of comments) hidden.fill(1, line - 1, endLine);
  const sizes = new LineSizes(text, lines, bodyLine, rates);
  return { text, lines, bodyLine, breakCosts, headings, hidden, sizes, rates };
}

function titleChunk([root]: readonly Section[], lineCount: number): ChunkParts[] {
  const path = root?.path ?? '';
  return path === '' ? [] : [{ lines: [1, Math.max(1, lineCount)], path, content: '' }];
}

function spanOf(draft: Draft, { text }: OutlinedText): { from: number; to: number } {
  const written = draft.flatMap(({ section, pieces, opens }) =>
    opens && section.heading !== undefined ? [section.heading, ...pieces] : pieces,
  );
  const from = skipWhiteSpace(text, written[0]?.from ?? 0, text.length);
  return { from, to: trimWhiteSpace(text, from, written[written.length - 1]?.to ?? 0) };
}

function chunkOf(draft: Draft, outline: OutlinedText): ChunkParts {
  const { text, lines } = outline;
  const { from, to } = spanOf(draft, outline);
  return {
    lines: [lineIndexAt(lines, from) + 1, lineIndexAt(lines, to - 1) + 1],
    path: commonSection(draft)?.path ?? '',
    content: textOf(piecesOf(draft), text).trim(),
  };
}

/** The text as written, with a line end wherever something between two pieces is left out. */
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
