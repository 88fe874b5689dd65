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

/** The sketch of a text without the common lines; `whole` is the one with them, null where it is short, undefined where it is not compared or the same. */
export interface Sketched extends TextSketch {
  readonly whole?: Uint32Array | null;
}

const NO_RUNS = new Uint32Array(0);
const NO_LINES: ReadonlySet<number> = new Set();

/** To pass a buffer of its own for each list between threads takes longer than to make the lists. */
function hashFiles(files: readonly FileToParse[]): readonly HashedFile[] {
  const texts = files.map(({ path, bytes }) => hashText(shownAs({ path, text: decodeText(bytes).text, as: 'lines' })));
  const first = inOneBuffer(texts.map(firstLines));
  const [words, lines] = [inOneBuffer(texts.map((text) => text.words)), inOneBuffer(texts.map((text) => text.lines))];
  const columnsOf = (at: number) => ({ words: words[at], lines: lines[at], first: first[at] }) as HashedFile;
  return texts.map(({ drawing }, at) => ({ ...columnsOf(at), drawing }));
}

function inOneBuffer(lists: readonly Uint32Array[]): Uint32Array[] {
  const all = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  return lists.map((list) => {
    all.set(list, at);
    at += list.length;
    return all.subarray(at - list.length, at);
  });
}

function sketch({ text, common, isNamedLikeOthers }: TextToSketch): Sketched {
  const own = textSketch(text, new Set(common), isNamedLikeOthers);
  if (!isNamedLikeOthers || common.length === 0) return own;
  return { ...own, whole: textSketch(text, NO_LINES, false).runs };
}

function sketchTexts(texts: readonly TextToSketch[]): readonly Sketched[] {
  const sketches = texts.map(sketch);
  const runs = inOneBuffer(sketches.map((one) => one.runs ?? NO_RUNS));
  return sketches.map((one, at) => (one.runs === null ? one : { ...one, runs: runs[at] as Uint32Array }));
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
const buffersIn = (lists: readonly Uint32Array[]): ArrayBuffer[] => [...new Set(lists.map(bufferOf))];

export const sketchJobs = Object.freeze({
  hash_texts: job({
    run: hashFiles,
    isSmall,
    handOver,
    buffersOf: (files) => buffersIn(files.flatMap(({ words, lines, first }) => [words, lines, first])),
  }) satisfies Job<readonly FileToParse[], readonly HashedFile[]>,
  sketches: job({
    run: sketchTexts,
    isSmall: (texts) => texts.reduce((sum, { text }) => sum + text.words.length, 0) <= SMALL_WORDS,
    handOver: (texts) => ({
      input: texts,
      transfer: buffersIn(texts.flatMap(({ text }) => [text.words, text.lines])),
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
