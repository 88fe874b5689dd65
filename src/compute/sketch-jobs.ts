// Jobs by which notes with nearly the same text are found: hashing texts, and sketching what they hold.
import type { Job } from '../contracts/compute.ts';
import {
  firstLines,
  type HashedText,
  hashText,
  type TextSketch,
  textSketch,
} from '../markdown/excerpt/text-signature.ts';
import { decodeText } from '../markdown/parse/lines.ts';
import { shownAs } from '../markdown/parse/shown-text.ts';
import { type FileToParse, handOver, isSmall } from './file-jobs.ts';
import { job } from './text-jobs.ts';

export interface HashedFile extends HashedText {
  /** The hashes of its first lines. */
  readonly first: Uint32Array;
}

export interface TextToSketch {
  readonly text: HashedText;
  /** Lines that many notes have. */
  readonly common: readonly number[];
  /** Whether its words are compared, and the whole text. */
  readonly isNamedLikeOthers: boolean;
}

/** Of a text without the common lines; `whole` with them, null where it is short, undefined where it is not compared or the same. */
export interface Sketched extends TextSketch {
  readonly whole?: Uint32Array | null;
}

const NO_WORDS = new Uint32Array(0);
const NO_LINES: ReadonlySet<number> = new Set();

function hashFile({ path, bytes }: FileToParse): HashedFile {
  const hashed = hashText(shownAs({ path, text: decodeText(bytes).text, as: 'lines' }));
  return { ...hashed, first: firstLines(hashed) };
}

function sketch({ text, common, isNamedLikeOthers }: TextToSketch): Sketched {
  const own = textSketch(text, new Set(common));
  if (!isNamedLikeOthers) return { ...own, words: NO_WORDS };
  return common.length === 0 ? own : { ...own, whole: textSketch(text, NO_LINES).runs };
}

/** Those of at least so many notes. */
function frequentLines({ lines, min }: { readonly lines: Uint32Array; readonly min: number }): Uint32Array {
  lines.sort();
  return lines.filter((line, at) => line === lines[at + min - 1] && (at === 0 || line !== lines[at - 1]));
}

/** Words up to which sketches take some ten milliseconds. */
const SMALL_WORDS = 10_000;
/** Lines that are sorted in some milliseconds. */
const SMALL_LINES = 20_000;

const bufferOf = ({ buffer }: Uint32Array): ArrayBuffer => buffer as ArrayBuffer;

export const sketchJobs = Object.freeze({
  hash_texts: job({
    run: (files: readonly FileToParse[]): readonly HashedFile[] => files.map(hashFile),
    isSmall,
    handOver,
    buffersOf: (files) => files.flatMap(({ words, lines, first }) => [words, lines, first].map(bufferOf)),
  }) satisfies Job<readonly FileToParse[], readonly HashedFile[]>,
  sketches: job({
    run: (texts: readonly TextToSketch[]): readonly Sketched[] => texts.map(sketch),
    isSmall: (texts) => texts.reduce((sum, { text }) => sum + text.words.length, 0) <= SMALL_WORDS,
    handOver: (texts) => ({
      input: texts,
      transfer: texts.flatMap(({ text }) => [text.words, text.lines].map(bufferOf)),
    }),
    buffersOf: () => [],
  }),
  frequent_lines: job({
    run: frequentLines,
    isSmall: ({ lines }) => lines.length <= SMALL_LINES,
    handOver: (input) => ({ input, transfer: [bufferOf(input.lines)] }),
    buffersOf: (frequent) => [bufferOf(frequent)],
  }),
});
