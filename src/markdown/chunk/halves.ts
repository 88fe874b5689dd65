// Cuts a chunk in two for a model that refuses it as too long.
import { endsSentence } from '../excerpt/sentence.ts';
import { findTerms, type Term } from '../excerpt/term-matches.ts';
import { isWhiteSpace } from '../parse/characters.ts';
import { type Chunk, chunkNote } from './chunks.ts';
import { LINE_END, PATH_SEPARATOR } from './sections.ts';
import { chunkTokensFor } from './text-size.ts';

/** A shorter text says too little to be found by. */
const MAX_WHOLE_LENGTH = 64;
/** A longer path is not repeated in the second half. */
const MAX_PATH_SHARE = 1 / 4;
/** Each half has at least this share of the content. */
const MIN_SHARE = 1 / 4;

/**
 * Both halves, always the same ones for the same chunk; undefined if it is too short to be cut. Their lines together are those of the
 * chunk, and overlap where the chunk leaves lines out.
 */
export function halvesOf(chunk: Chunk): readonly [Chunk, Chunk] | undefined {
  return halvesFrom(contentStart(chunk.text), chunk);
}

/** Does what `halvesOf` does with lines of a note as they are, which do not begin with a heading path. */
export const halvesOfLines = (lines: Chunk): readonly [Chunk, Chunk] | undefined => halvesFrom(0, lines);

/** @param from where the content begins, after the path */
function halvesFrom(from: number, { text, lines: [first, last] }: Chunk): readonly [Chunk, Chunk] | undefined {
  if (text.length <= MAX_WHOLE_LENGTH) return undefined;
  const path = text.slice(0, from);
  const content = text.slice(from);
  const at = cutOf(content);
  const [left, right] = [content.slice(0, at).trimEnd(), content.slice(at).trimStart()];
  const linesAfter = lineEndsIn(content.slice(left.length));
  const linesBefore = lineEndsIn(content.slice(0, content.length - right.length));
  return [
    { text: path + left, lines: [first, Math.max(first, last - linesAfter)] },
    { text: path + right, lines: [Math.min(last, first + linesBefore), last] },
  ];
}

function contentStart(text: string): number {
  const from = text.indexOf(PATH_SEPARATOR) + PATH_SEPARATOR.length;
  return from > PATH_SEPARATOR.length && from <= text.length * MAX_PATH_SHARE ? from : 0;
}

const lineEndsIn = (text: string): number => text.split(LINE_END).length - 1;

type Break = (text: string, at: number) => boolean;

const isBlankAt: Break = (text, at) => isWhiteSpace(text.charCodeAt(at));
const isCharacterEnd: Break = (text, at) => (text.codePointAt(at - 1) ?? 0) <= 0xffff;
/** The best first. */
const BREAKS: readonly Break[] = [
  (text, at) => text.startsWith(PATH_SEPARATOR, at),
  (text, at) => text.startsWith(LINE_END, at),
  endsSentence,
  isBlankAt,
  isCharacterEnd,
];

/** The break nearest to the middle, of the best kind that there is. */
function cutOf(text: string): number {
  const middle = Math.floor(text.length / 2);
  const reach = middle - Math.ceil(text.length * MIN_SHARE);
  for (const isBreak of BREAKS) {
    for (let away = 0; away <= reach; away += 1) {
      if (isBreak(text, middle - away)) return middle - away;
      if (isBreak(text, middle + away)) return middle + away;
    }
  }
  return middle;
}

// Finds the chunk of a note with the most words of a question.

export interface ChunksToRate {
  readonly notes: readonly { readonly title: string; readonly text: string }[];
  readonly terms: readonly Term[];
}

/** For each note the first and last line of its best chunk, the first one of several; undefined for a note without text. */
export function bestChunks({ notes, terms }: ChunksToRate) {
  return notes.map(({ title, text }) => {
    const rated = chunkNote(title, text, chunkTokensFor(Number.POSITIVE_INFINITY)).map(({ lines, text: chunk }) => {
      const matches = findTerms(chunk.normalize('NFC'), terms);
      return { lines, words: new Set(matches.map(({ term }) => term)).size };
    });
    const [best] = rated.toSorted((one, other) => other.words - one.words);
    return best?.lines;
  });
}
