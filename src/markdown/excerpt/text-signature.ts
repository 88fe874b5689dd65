// Sketches texts, so that nearly equal ones are found without comparing every pair (MinHash).
import { FNV_START, fnvOf, fnvWith } from '../../base/fnv.ts';
import { splitLines } from '../parse/lines.ts';
import { drawingsIn, pluginData, withoutData } from '../parse/plugin-data.ts';
import { bodyStart } from '../properties/front-matter.ts';
import { type FormHashes, formHashes } from './terms.ts';

/** The numbers of a signature; a power of two. */
export const SIGNATURE_LENGTH = 64;
const WORDS_PER_RUN = 3;
/** A text with fewer runs of words is equal to others by chance. */
const MIN_RUNS = 8;
const NO_WORDS = new Uint32Array(0);
/** The golden ratio in 32 bits spreads the seeds of the hash functions. */
const SPREAD = 0x9e3779b9;

/** Lines of one note that are compared with those of others. */
const MAX_LINES = 200;

/** Words of one note that are kept, those of the smallest hashes. */
const MAX_WORDS = 500;
/** Fewer words are equal to others by chance. */
const MIN_WORDS = 12;

/** By what nearly equal texts are found. */
export interface TextSketch {
  /** A signature of the runs of three words, compared number by number; null for a short text. */
  readonly runs: Uint32Array | null;
  /** The smallest hashes of the words, ascending. */
  readonly words: Uint32Array;
}

/** The hashes of a text after its front matter, of which its sketches are made. */
export interface HashedText extends FormHashes {
  /** 0 without a drawing. */
  readonly drawing: number;
}

export function hashText(text: string): HashedText {
  const data = pluginData(text);
  // What its user wrote.
  const prose = withoutData(text, data);
  // A drawing with few words is like another only if both have the same data.
  const drawing = data.length === 0 ? '' : drawingsIn(text);
  const { bodyOffset } = bodyStart(prose, splitLines(prose));
  return { ...formHashes(prose, bodyOffset), drawing: drawing === '' ? 0 : fnvOf(drawing) };
}

/** The hashes of the first lines, each once. */
export function firstLines({ lines }: HashedText): Uint32Array {
  const hashes = new Set<number>();
  for (let at = 0; at < lines.length && hashes.size < MAX_LINES; at += 2) hashes.add(lines[at] as number);
  return Uint32Array.from(hashes);
}

/** The sketch of a text without the lines of these hashes. */
export function textSketch(text: HashedText, common: ReadonlySet<number>, withWords = true): TextSketch {
  const words = common.size === 0 ? text.words : wordsWithout(text, common);
  const runs = runsOf(words);
  const isShort = !hasDistinct(runs, MIN_RUNS);
  const drawing = text.drawing === 0 ? null : signatureOf(Int32Array.of(text.drawing));
  return { runs: isShort ? drawing : signatureOf(runs), words: withWords ? smallestDistinct(words) : NO_WORDS };
}

function wordsWithout({ words, lines }: HashedText, common: ReadonlySet<number>): Uint32Array {
  const left = new Uint32Array(words.length);
  let [count, from] = [0, 0];
  for (let at = 0; at < lines.length; at += 2) {
    const end = lines[at + 1] as number;
    if (!common.has(lines[at] as number)) {
      left.set(words.subarray(from, end), count);
      count += end - from;
    }
    from = end;
  }
  return left.subarray(0, count);
}

/** The hash of each run of words. */
function runsOf(words: Uint32Array): Int32Array {
  const runs = new Int32Array(Math.max(0, words.length - WORDS_PER_RUN + 1));
  for (let at = 0; at < runs.length; at += 1) {
    let hash = FNV_START;
    for (let word = at; word < at + WORDS_PER_RUN; word += 1) hash = fnvWith(hash, words[word] as number);
    runs[at] = hash;
  }
  return runs;
}

function hasDistinct(values: Int32Array, count: number): boolean {
  const distinct = new Set<number>();
  return values.some((value) => distinct.add(value).size === count);
}

/** Ascending. Sorting all is several times faster than a set. */
function smallestDistinct(words: Uint32Array): Uint32Array {
  const sorted = words.map(mixed).sort();
  let count = 0;
  for (const hash of sorted) if (count === 0 || hash !== sorted[count - 1]) sorted[count++] = hash;
  return sorted.slice(0, Math.min(count, MAX_WORDS));
}

/** The share of words that two texts have in common, from the smallest of all their hashes; 0 for texts of few words. */
export function wordOverlap(one: Uint32Array, other: Uint32Array): number {
  if (Math.min(one.length, other.length) < MIN_WORDS) return 0;
  let [all, common, at, place] = [0, 0, 0, 0];
  for (; all < MAX_WORDS && (at < one.length || place < other.length); all += 1) {
    const word = one[at] ?? Number.POSITIVE_INFINITY;
    const another = other[place] ?? Number.POSITIVE_INFINITY;
    if (word === another) common += 1;
    if (word <= another) at += 1;
    if (another <= word) place += 1;
  }
  return common / all;
}

/** Whether both are short texts, which have no signature, of the same words. */
export function areSameShort(one: TextSketch, other: TextSketch): boolean {
  if (one.runs !== null || other.runs !== null || one.words.length === 0) return false;
  return one.words.length === other.words.length && one.words.every((word, at) => word === other.words[at]);
}

/**
 * A signature that agrees with another in as large a share of its numbers as the runs that both texts have are of all their runs (fast
 * similarity sketching). Each round throws every run into one of the places, of which only those that are empty before it take the smallest.
 * After as many rounds as places, each further one fills one place. Most texts need a round or two.
 */
function signatureOf(runs: Int32Array): Uint32Array {
  const signature = new Int32Array(SIGNATURE_LENGTH);
  const filledIn = new Int32Array(SIGNATURE_LENGTH).fill(-1);
  for (let [round, empty] = [0, SIGNATURE_LENGTH]; empty > 0; round += 1) {
    const seed = Math.imul(round + 1, SPREAD);
    const onlyPlace = round - SIGNATURE_LENGTH;
    for (let at = 0; at < runs.length; at += 1) {
      const hash = mixedBits((runs[at] as number) ^ seed);
      const place = onlyPlace < 0 ? hash & (SIGNATURE_LENGTH - 1) : onlyPlace;
      if (filledIn[place] === -1) {
        filledIn[place] = round;
        signature[place] = hash;
        empty -= 1;
      } else if (filledIn[place] === round && hash < (signature[place] as number)) signature[place] = hash;
    }
  }
  return new Uint32Array(signature.buffer);
}

/** Between 0 and 1. */
export function estimatedOverlap(one: Uint32Array, other: Uint32Array): number {
  let equal = 0;
  for (let at = 0; at < SIGNATURE_LENGTH; at += 1) if (one[at] === other[at]) equal += 1;
  return equal / SIGNATURE_LENGTH;
}

/** The finalizer of MurmurHash3. */
function mixedBits(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

const mixed = (value: number): number => mixedBits(value) >>> 0;
