// Splits a note into chunks for embedding: a few paragraphs each, below the path of their headings.
import { scanBlocks } from '../parse/blocks.ts';
import { skipWhiteSpace, trimWhiteSpace } from '../parse/characters.ts';
import { lineIndexAt, splitLines } from '../parse/lines.ts';
import { bodyStart } from '../properties/front-matter.ts';
import { LINE_END, type OutlinedText, PATH_SEPARATOR, type Piece, type Section, sectionsOf } from './sections.ts';
import { addSizes, chunkTokensFor, fitsIn, LineSizes, NO_SIZE, type Size } from './text-size.ts';
import { type TokenRates, USUAL_RATES } from './token-rates.ts';

export interface Chunk {
  /** First and last line of the chunk in the file, 1-based. Two chunks share a line only if that line had to be cut. */
  readonly lines: readonly [number, number];
  /** `Title > H1 > H2`, a blank line, the content. */
  readonly text: string;
}

/** A chunk with the path of its headings apart from its content; either may be empty. */
interface ChunkParts extends Pick<Chunk, 'lines'> {
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
function asChunk({ lines, path, content }: ChunkParts): Chunk {
  return { lines, text: [path, content].filter((part) => part !== '').join(PATH_SEPARATOR) };
}

/** Does what `chunkNote` does with parts. */
function chunkParts(title: string, text: string, maxTokens: number, rates = USUAL_RATES): readonly ChunkParts[] {
  const { outline, sections, limit } = outlined(title, text, maxTokens, rates);
  const all = [...sections];
  const chunks = Array.from(draftChunks(all, limit), (draft) => chunkOf(draft, outline));
  const chunksWithText = chunks.filter(({ path, content }) => path !== '' || content !== '');
  return chunksWithText.length > 0 ? chunksWithText : titleChunk(all, outline.lines.starts.length);
}

/**
 * Where the same chunks start and end in the text. A long line is in several chunks, so their lines do not say it. Who needs only the
 * first of them does not wait for the others.
 */
export function* chunkSpans(title: string, text: string, maxTokens: number): Generator<readonly [number, number]> {
  const { outline, sections, limit } = outlined(title, text, maxTokens, USUAL_RATES);
  const { starts } = outline.lines;
  const textLines = outline.text === text ? outline.lines : splitLines(text);
  const offsetOf = (at: number): number => {
    const line = lineIndexAt(outline.lines, at);
    return (textLines.starts[line] ?? 0) + at - (starts[line] ?? 0);
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
  const parts = draft.flatMap(({ section, pieces, opens }) =>
    opens && section.heading !== undefined ? [section.heading, ...pieces] : pieces,
  );
  const from = skipWhiteSpace(text, parts[0]?.from ?? 0, text.length);
  return { from, to: trimWhiteSpace(text, from, parts[parts.length - 1]?.to ?? 0) };
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
  let output = '';
  let end = pieces[0]?.from ?? 0;
  for (const { from, to } of pieces) {
    if (from > end && !output.endsWith(LINE_END)) output += LINE_END;
    output += text.slice(from, to);
    end = to;
  }
  return output;
}

/** The part of a section that is in one chunk. */
interface Part {
  readonly section: Section;
  readonly pieces: readonly Piece[];
  /** Whether the section starts in this chunk. */
  readonly opens: boolean;
}

/** The parts of one chunk, in the order of the note. */
type Draft = readonly Part[];

const TINY_WORDS = 40;
/** A tiny draft takes less than this share of a chunk's tokens. */
const TINY_SHARE = 1 / 4;

/** The chunks in the order of the note; reads no more sections than the chunks that are asked for need. */
function* draftChunks(sections: Iterable<Section>, limit: Size): Generator<Draft> {
  let open: Draft = [];
  for (const section of sections) {
    if (section.parent === undefined && section.pieces.length === 0) continue;
    const whole: Part = { section, pieces: section.pieces, opens: true };
    if (open.length > 0 && !canJoin(open, whole, limit)) {
      yield open;
      open = [];
    }
    if (section.pieces.length === 0 || fits([...open, whole], limit)) open = [...open, whole];
    else {
      yield* splitSection(open, section, limit);
      open = [];
    }
  }
  if (open.length > 0) yield open;
}

function canJoin(open: Draft, next: Part, limit: Size): boolean {
  if (!isRelated(open, next.section) || !isTiny(open, limit)) return false;
  return fits([...open, next], limit) || !fits([next], limit);
}

/** Whether it is below the first section of the draft, or a sibling of it. */
function isRelated([first]: Draft, next: Section): boolean {
  return first !== undefined && (next.level > first.section.level || next.parent === first.section.parent);
}

function isTiny(draft: Draft, limit: Size): boolean {
  const { words, tokens } = contentSize(draft);
  return words < TINY_WORDS && tokens < limit.tokens * TINY_SHARE;
}

function fits(draft: Draft, limit: Size): boolean {
  return fitsIn(draftSize(draft), limit);
}

function draftSize(draft: Draft): Size {
  return addSizes(contentSize(draft), { words: 0, tokens: commonSection(draft)?.pathTokens ?? 0 });
}

function contentSize(draft: Draft): Size {
  return piecesOf(draft).reduce(addSizes, NO_SIZE);
}

/** The chunk's content below its path: its pieces, and the headings that are not part of the path. */
function piecesOf(draft: Draft): Piece[] {
  const named = new Set<Section>();
  for (let section = commonSection(draft); section !== undefined; section = section.parent) named.add(section);
  return draft.flatMap(({ section, pieces, opens }) => {
    const { heading } = section;
    return opens && heading !== undefined && !named.has(section) ? [heading, ...pieces] : pieces;
  });
}

/**
 * The section whose path heads the chunk: the closest one that contains all parts. Empty sections that only lead to
 * a subsection are ignored.
 */
function commonSection(draft: Draft): Section | undefined {
  const leadsOn = ({ section, pieces }: Part, index: number): boolean =>
    pieces.length === 0 && draft[index + 1]?.section.parent === section;
  const [first, ...others] = draft.filter((part, index) => !leadsOn(part, index)).map(({ section }) => section);
  return others.reduce<Section | undefined>(sharedSection, first);
}

function sharedSection(one: Section | undefined, other: Section): Section | undefined {
  let [left, right]: (Section | undefined)[] = [one, other];
  while (left !== right && left !== undefined && right !== undefined) {
    if (left.level >= right.level) left = left.parent;
    else right = right.parent;
  }
  return left;
}

/** Splits a section over several chunks; `open` joins the first of them if there is room. */
function splitSection(open: Draft, section: Section, limit: Size): Draft[] {
  const room = { words: limit.words, tokens: limit.tokens - section.pathTokens };
  const beginning: Draft = [...open, { section, pieces: section.pieces.slice(0, 1), opens: true }];
  const joins = fitsIn(contentSize(beginning), room);
  const reserved = joins ? contentSize(beginning.with(-1, { section, pieces: [], opens: true })) : NO_SIZE;
  const [first = [], ...others] = groupEvenly(section.pieces, reserved, room);
  const opening: Part = { section, pieces: first, opens: true };
  return [
    ...(joins || open.length === 0 ? [[...open, opening]] : [open, [opening]]),
    ...others.map((pieces) => [{ section, pieces, opens: false }]),
  ];
}

/**
 * Groups the pieces so that each group fits and all are about the same size. `reserved` is already in the first
 * group.
 */
function groupEvenly(pieces: readonly Piece[], reserved: Size, room: Size): Piece[][] {
  const weigh = limitingMeasure(pieces.reduce(addSizes, reserved), room);
  const all = pieces.reduce((sum, piece) => sum + weigh(piece), weigh(reserved));
  const share = all / Math.ceil(all);
  let group: Piece[] = [];
  const groups = [group];
  let size = reserved;
  let placed = weigh(reserved);
  for (const piece of pieces) {
    const isDue = placed + weigh(piece) / 2 > share * groups.length;
    size = addSizes(size, piece);
    if (group.length > 0 && (isDue || !fitsIn(size, room))) {
      group = [];
      groups.push(group);
      size = piece;
    }
    group.push(piece);
    placed += weigh(piece);
  }
  return groups;
}

/** Measures sizes as shares of the room, by words or by tokens, whichever `total` needs more of. */
function limitingMeasure(total: Size, room: Size): (size: Size) => number {
  return total.words / room.words > total.tokens / room.tokens
    ? ({ words }) => words / room.words
    : ({ tokens }) => tokens / room.tokens;
}

/** In this order. The texts are chunks of a limited size, so that no expression reads far. */
const MARKS: readonly (readonly [RegExp, string])[] = [
  [/<!--[\s\S]*?-->|%%[\s\S]*?%%/g, ''],
  // Lines without text: fences, rules, rows of dashes in tables.
  [/^[ \t]*(?:`{3,}|~{3,}).*$/gm, ''],
  [/^[ \t]*(?:[-*_][ \t]*){3,}$/gm, ''],
  [/^[ \t]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/gm, ''],
  // Beginnings of lines: quotes with the kind of a callout, headings, list items with a checkbox.
  [/^(?:[ \t]*>[ \t]?)+(?:\[![\w-]+\][+-]?)?/gm, ''],
  [/^[ \t]{0,3}#{1,6}[ \t]+/gm, ''],
  [/^([ \t]*)(?:[-*+]|\d+[.)])[ \t]+(?:\[.\][ \t]+)?/gm, '$1'],
  // Links show their text; an address shows its host.
  [/!?\[\[[^[\]\r\n|]{1,500}\|([^[\]\r\n]{1,500})\]\]/g, '$1'],
  [/!?\[\[#*([^[\]\r\n#]{0,500})(?:#+\^?([^[\]\r\n]{0,500}))?\]\]/g, '$1 $2'],
  [/!?\[([^[\]\r\n]{0,500})\]\([^()\r\n]{0,1000}\)/g, '$1'],
  [/\bhttps?:\/\/([^\s<>)\]/]{1,200})[^\s<>)\]]{0,2000}/g, '$1'],
  [/\[\^[^\]\s]{1,100}\]:?/g, ''],
  [/[ \t]+\^[A-Za-z0-9-]+[ \t]*$/gm, ''],
  [/<\/?[A-Za-z][^<>\r\n]{0,300}>/g, ' '],
  [/\\(?=[!-/:-@[-`{-~])/g, ''],
  [/\*{1,3}|_{2,3}|~~|==|`+/g, ''],
  [/(?<![\p{L}\p{N}_])_|_(?![\p{L}\p{N}_])/gu, ''],
  [/(^|\s)#(?=\p{L})/gu, '$1'],
  [/\|/g, ' '],
  [/[ \t]+$/gm, ''],
  [/[ \t]{2,}/g, ' '],
  [/\n{3,}/g, '\n\n'],
];

/** Some servers split words at these signs otherwise than the model was trained. */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/[‘’‚‛]/g, "'"],
  [/[“”„‟«»「」『』]/g, '"'],
  [/[‐‑‒–—―−]/g, '-'],
  [/…/g, '...'],
];

/** Without marks, addresses of links and lines that only structure the text. @param markdown at most a chunk */
export function plainText(markdown: string): string {
  return queryText(replaceAll(markdown, MARKS)).trim();
}

function replaceAll(text: string, replacements: readonly (readonly [RegExp, string])[]): string {
  return replacements.reduce((sum, [sign, by]) => sum.replace(sign, by), text);
}

/** Vectors of texts made by different rules are not comparable: a change of the rules or of how notes are cut is a new version. */
const RULES = 'plain-1';
/** Smaller passages are found better, most of all in long notes, and larger ones need fewer vectors; see test/eval/README.md. */
const MAX_TOKENS = 192;

/** The rules and the size of chunks, `plain-1/192`; part of a generation's fingerprint. */
export const chunkerName = (contextTokens: number): string =>
  `${RULES}/${Math.min(MAX_TOKENS, chunkTokensFor(contextTokens))}`;

/** The text to embed for a query: with straight quotes, hyphens and dots instead of typographic ones. */
export const queryText = (markdown: string): string => replaceAll(markdown, SIGNS);

/** The chunks of a note of the size that the name of the chunker says. */
export const chunksFor = (chunker: string, title: string, text: string, rates?: TokenRates): readonly Chunk[] =>
  plainChunks(title, text, Number(chunker.slice(chunker.indexOf('/') + 1)), rates);

/** Chunks without Markdown marks; one of nothing but marks is left out. */
function plainChunks(title: string, text: string, maxTokens: number, rates?: TokenRates): readonly Chunk[] {
  const plain = chunkParts(title, text, maxTokens, rates).map(({ lines, path, content }) => {
    return { lines, path: plainText(path), content: plainText(content) };
  });
  const sections = plain.filter(({ content }) => content !== '');
  const [first] = plain;
  const chosen = sections.length > 0 || first === undefined || first.path === '' ? sections : [first];
  return chosen.map(asChunk);
}
