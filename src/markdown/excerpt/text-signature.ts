// Sketches texts, so that nearly equal ones are found without comparing every pair (MinHash).
import { FNV_START, fnvOf } from '../../base/fnv.ts';
import { drawingsIn, pluginData, withoutData } from '../parse/plugin-data.ts';
import { textAfterProperties } from '../properties/front-matter.ts';
import { eachFormHash } from './terms.ts';

/** Hash functions, and so the numbers of a signature. */
const SIGNATURE_LENGTH = 64;
const WORDS_PER_RUN = 3;
/** A text with fewer runs of words is equal to others by chance. */
const MIN_RUNS = 8;
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

/** The hashes of the first lines of a text after its front matter. */
export function lineHashes(text: string): Uint32Array {
  const hashes = new Set<number>();
  for (const line of writtenIn(text).split('\n')) {
    if (hashes.size === MAX_LINES) break;
    if (line.trim() !== '') hashes.add(lineHash(line));
  }
  return Uint32Array.from(hashes);
}

/** The sketch of a text after its front matter, without the lines of these hashes. */
export function textSketch(text: string, common: ReadonlySet<number>): TextSketch {
  const words: number[] = [];
  const runs: number[] = [];
  let [beforeLast, last] = [0, 0];
  eachFormHash(withoutLines(writtenIn(text), common), (word) => {
    words.push(mixed(word) | 0);
    if (words.length >= WORDS_PER_RUN) runs.push(mixed(mixed(mixed(FNV_START ^ beforeLast) ^ last) ^ word) | 0);
    [beforeLast, last] = [last, word];
  });
  const isShort = !hasDistinct(runs, MIN_RUNS);
  return { runs: isShort ? drawingSignature(text) : smallestHashes(runs), words: smallestDistinct(words) };
}

function withoutLines(text: string, common: ReadonlySet<number>): string {
  if (common.size === 0) return text;
  const left = text.split('\n').filter((line) => !common.has(lineHash(line)));
  return left.join('\n');
}

function hasDistinct(values: readonly number[], count: number): boolean {
  const distinct = new Set<number>();
  return values.some((value) => distinct.add(value).size === count);
}

/** Ascending. Sorting all is several times faster than a set. */
function smallestDistinct(hashes: readonly number[]): Uint32Array {
  return new Uint32Array(hashes)
    .sort()
    .filter((hash, at, all) => at === 0 || hash !== all[at - 1])
    .slice(0, MAX_WORDS);
}

/** The share of words that two texts have in common, from the smallest of all their hashes; 0 for texts of few words. */
export function wordOverlap(one: Uint32Array, other: Uint32Array): number {
  if (Math.min(one.length, other.length) < MIN_WORDS) return 0;
  let [all, common] = [0, 0];
  for (let [at, place] = [0, 0]; all < MAX_WORDS && (at < one.length || place < other.length); all += 1) {
    const [word, another] = [one[at] ?? Number.POSITIVE_INFINITY, other[place] ?? Number.POSITIVE_INFINITY];
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

/** A drawing with few words is like another only if both have the same data. */
function drawingSignature(text: string): Uint32Array | null {
  const data = drawingsIn(text);
  return data === '' ? null : smallestHashes([fnvOf(data)]);
}

const lineHash = (line: string): number => fnvOf(line.trim()) >>> 0;

/** For each hash function the smallest hash of the runs of three words. */
function smallestHashes(runs: Iterable<number>): Uint32Array {
  const signature = new Uint32Array(SIGNATURE_LENGTH).fill(0xffffffff);
  for (const run of runs) {
    for (let at = 0; at < SIGNATURE_LENGTH; at += 1) {
      const hash = mixed(run ^ Math.imul(at + 1, SPREAD));
      if (hash < (signature[at] as number)) signature[at] = hash;
    }
  }
  return signature;
}

/** Between 0 and 1. */
export function estimatedOverlap(one: Uint32Array, other: Uint32Array): number {
  let equal = 0;
  for (let at = 0; at < SIGNATURE_LENGTH; at += 1) if (one[at] === other[at]) equal += 1;
  return equal / SIGNATURE_LENGTH;
}

/** The finalizer of MurmurHash3. */
function mixed(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** What its user wrote after its front matter. */
const writtenIn = (text: string): string => textAfterProperties(withoutData(text, pluginData(text)));
