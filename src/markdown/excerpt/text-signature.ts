// Sketches texts, so that nearly equal ones are found without comparing every pair (MinHash).
import { FNV_START, fnvOf } from '../../base/fnv.ts';
import { textAfterProperties } from '../frontmatter/front-matter.ts';
import { eachForm } from './terms.ts';

/** Hash functions, and so the numbers of a signature. */
const SIGNATURE_LENGTH = 64;
const WORDS_PER_RUN = 3;
/** A text with fewer runs of words is equal to others by chance. */
const MIN_RUNS = 8;
/** The golden ratio in 32 bits spreads the seeds of the hash functions. */
const SPREAD = 0x9e3779b9;

/**
 * For each hash function the smallest hash of the runs of three words of the text after its front matter. The share of equal numbers
 * in two signatures estimates the share of runs that the texts have in common. Null for a short text.
 */
export function textSignature(text: string): Uint32Array | null {
  const hashes: number[] = [];
  const words: number[] = [];
  eachForm(textAfterProperties(text), (form) => {
    words.push(fnvOf(form));
    if (words.length < WORDS_PER_RUN) return;
    hashes.push(words.slice(-WORDS_PER_RUN).reduce((hash, word) => mixed(hash ^ word), FNV_START));
  });
  const runs = new Set(hashes);
  return runs.size < MIN_RUNS ? null : smallestHashes(runs);
}

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
