// Splits a part of a note into sections that fit one prompt each, at chunk borders.
import { splitLines } from '../parse/lines.ts';
import { type Chunk, chunkNote } from './chunks.ts';
import { chunkTokensFor, sizeOf } from './text-size.ts';

const BETWEEN_CHUNKS = '\n\n';

export interface PartToCut {
  readonly title: string;
  /** The whole note, and the offsets and the first line of the part. */
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly firstLine: number;
  /** The most tokens of each section. */
  readonly maxTokens: number;
  /** The number of sections that are returned. */
  readonly limit: number;
}

/**
 * Returns as few pieces as possible, in order; all of them cover the whole part.
 * `end`: offset after the last line that it covers.
 */
export function promptSections(part: PartToCut) {
  const { text, to, limit } = part;
  const groups = firstGroups(part);
  const { starts } = splitLines(text);
  return groups.slice(0, limit).map((group, at) => {
    const next = groups[at + 1]?.[0]?.lines[0];
    const end = next === undefined ? to : Math.min(starts[next - 1] ?? to, to);
    return { text: joined(group), end };
  });
}

/** More characters than a token has on average. */
const TOKEN_LENGTH = 4;

/** Reads no more of a long part than the groups need: at least one more group than wanted, and one that the end of the text cuts. */
function firstGroups(part: PartToCut): Chunk[][] {
  const { from, to, maxTokens, limit } = part;
  for (let length = Math.max(1, maxTokens) * TOKEN_LENGTH * (limit + 2); from + length < to; length *= 2) {
    const groups = groupsOf({ ...part, to: from + length });
    if (groups.length > limit + 1) return groups;
  }
  return groupsOf(part);
}

/** The chunks of each section. */
function groupsOf(part: PartToCut): Chunk[][] {
  const { maxTokens } = part;
  const groups: Chunk[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const chunk of chunksOf(part)) {
    const { tokens } = sizeOf(chunk.text + BETWEEN_CHUNKS);
    if (size + tokens > maxTokens) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1)?.push(chunk);
    size += tokens;
  }
  return groups;
}

/** Writes the heading path of consecutive chunks only once. */
function joined(chunks: readonly Chunk[]): string {
  const texts = chunks.map(({ text }, at) => {
    const path = pathOf(text);
    return at > 0 && path === pathOf(chunks[at - 1]?.text ?? '') ? text.slice(path.length).trimStart() : text;
  });
  return texts.join(BETWEEN_CHUNKS);
}

const pathOf = (text: string): string => text.slice(0, Math.max(0, text.indexOf(BETWEEN_CHUNKS)));

/** With their lines in the whole note. A blank line before a part keeps it from being read as front matter. */
function chunksOf({ title, text, from, to, firstLine, maxTokens }: PartToCut): Chunk[] {
  const cut = chunkNote(title, `\n${text.slice(from, to)}`, chunkTokensFor(maxTokens));
  const before = firstLine - 2;
  return cut.map((chunk) => ({ ...chunk, lines: [chunk.lines[0] + before, chunk.lines[1] + before] }));
}
