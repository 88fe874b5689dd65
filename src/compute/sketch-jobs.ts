// Jobs by which notes with nearly the same text are found.
import type { Job } from '../contracts/compute.ts';
import type { HashedTexts } from '../contracts/vault.ts';
import { type HashedText, SIGNATURE_LENGTH, type TextSketch, textSketch } from '../markdown/excerpt/text-signature.ts';
import { job } from './text-jobs.ts';

/** The numbers for each text. */
const ENDS = 4;

export interface TextsToSketch {
  readonly texts: HashedTexts;
  /** The lines of each text that many notes have, one text after the other, and where those of each text end. */
  readonly common: Uint32Array;
  readonly commonEnds: Uint32Array;
  /** 1 for a text whose words are compared, and the whole text. */
  readonly isNamedLikeOthers: Uint8Array;
}

/** The sketch of a text without the common lines; `whole` is the one with them, null where it is short, undefined where it is not compared or the same. */
export interface Sketched extends TextSketch {
  readonly whole?: Uint32Array | null;
}

export interface SketchedTexts {
  /** So many numbers for each text as a signature has. */
  readonly runs: Uint32Array;
  /** 0 for a text without a signature. */
  readonly hasRuns: Uint8Array;
  /** By its place, what more is known of a text that is named like others. */
  readonly named: ReadonlyMap<number, Pick<Sketched, 'words' | 'whole'>>;
}

const NO_WORDS = new Uint32Array(0);
const NO_LINES: ReadonlySet<number> = new Set();

/** Lists one after the other, and where each ends. */
export function inOne(lists: readonly Uint32Array[]): { readonly all: Uint32Array; readonly ends: Uint32Array } {
  const all = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  const ends = lists.map((list) => {
    all.set(list, end);
    end += list.length;
    return end;
  });
  return { all, ends: Uint32Array.from(ends) };
}

export function firstLinesAt({ first, ends }: HashedTexts, at: number): Uint32Array {
  return first.subarray(ends[(at - 1) * ENDS + 2] ?? 0, ends[at * ENDS + 2]);
}

function hashedAt({ words, lines, ends }: HashedTexts, at: number): HashedText {
  const [before, own] = [(at - 1) * ENDS, at * ENDS];
  return {
    words: words.subarray(ends[before] ?? 0, ends[own]),
    lines: lines.subarray(ends[before + 1] ?? 0, ends[own + 1]),
    drawing: ends[own + 3] as number,
  };
}

export function sketchAt({ runs, hasRuns, named }: SketchedTexts, at: number): Sketched {
  const signature = hasRuns[at] === 1 ? runs.subarray(at * SIGNATURE_LENGTH, (at + 1) * SIGNATURE_LENGTH) : null;
  return { words: NO_WORDS, ...named.get(at), runs: signature };
}

function sketchTexts({ texts, common, commonEnds, isNamedLikeOthers }: TextsToSketch): SketchedTexts {
  const count = isNamedLikeOthers.length;
  const [runs, hasRuns] = [new Uint32Array(count * SIGNATURE_LENGTH), new Uint8Array(count)];
  const named = new Map<number, Pick<Sketched, 'words' | 'whole'>>();
  for (let at = 0; at < count; at += 1) {
    const text = hashedAt(texts, at);
    const lines = new Set(common.subarray(commonEnds[at - 1] ?? 0, commonEnds[at]));
    const isNamed = isNamedLikeOthers[at] === 1;
    const sketch = textSketch(text, lines, isNamed);
    if (sketch.runs !== null) {
      runs.set(sketch.runs, at * SIGNATURE_LENGTH);
      hasRuns[at] = 1;
    }
    if (isNamed) named.set(at, { words: sketch.words, ...(lines.size > 0 && wholeOf(text)) });
  }
  return { runs, hasRuns, named };
}

const wholeOf = (text: HashedText) => ({ whole: textSketch(text, NO_LINES, false).runs });

/** Those of at least so many notes. */
function frequentLines({ lines, min }: { readonly lines: Uint32Array; readonly min: number }): Uint32Array {
  lines.sort();
  return lines.filter((line, at) => line === lines[at + min - 1] && (at === 0 || line !== lines[at - 1]));
}

/** Words up to which sketches take some ten milliseconds. */
const SMALL_WORDS = 10_000;
/** Lines that are sorted in some milliseconds. */
const SMALL_LINES = 20_000;

const bufferOf = ({ buffer }: Uint32Array | Uint8Array): ArrayBuffer => buffer as ArrayBuffer;

export const sketchJobs = Object.freeze({
  sketches: job({
    run: sketchTexts,
    isSmall: ({ texts }) => texts.words.length <= SMALL_WORDS,
    // The caller keeps the first lines.
    handOver: ({ texts, ...others }) => ({
      input: { ...others, texts: { ...texts, first: NO_WORDS } },
      transfer: [bufferOf(texts.words), bufferOf(texts.lines)],
    }),
    buffersOf: ({ runs, hasRuns }) => [bufferOf(runs), bufferOf(hasRuns)],
  }) satisfies Job<TextsToSketch, SketchedTexts>,
  frequent_lines: job({
    run: frequentLines,
    isSmall: ({ lines }) => lines.length <= SMALL_LINES,
    handOver: (input) => ({ input, transfer: [bufferOf(input.lines)] }),
    buffersOf: (frequent) => [bufferOf(frequent)],
  }),
});
