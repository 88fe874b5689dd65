// Selects the slots that may be nearest to a vector, from their codes alone.
import { dotProduct } from '../../../contracts/fingerprint.ts';
import type { CodeSlots } from './code-cache.ts';
import { projectionOf, signBytes, signsOf } from './vector-codes.ts';

/** 32-bit words of the signs that the first pass compares; more words cost more than they improve the result. */
const MAX_WORDS = 16;

/** The number of slots that the first pass leaves for the second: this share of all slots, and at least this many. */
const SECOND_PASS_SHARE = 1 / 32;
const MIN_SECOND_PASS = 3_000;

/** Both passes rank slots by levels; 0 is the nearest. The last level means that the slot is free or its file is not wanted. */
const UNWANTED = MAX_WORDS * 32 + 1;

export interface CodeQuery {
  /** Of unit length. */
  readonly vector: Float32Array;
  readonly centroid: Float32Array;
  /** 1 at the id of each wanted file; undefined if all files are wanted. */
  readonly wanted: Uint8Array | undefined;
}

/** Returns at least the `count` best wanted slots, or all of them, in no particular order. */
export function selectCandidates(slots: CodeSlots, query: CodeQuery, count: number): number[] {
  const near = leastOf(differences(slots, query), Math.max(count, MIN_SECOND_PASS, slots.end * SECOND_PASS_SHARE));
  if (near.length <= count) return near;
  return leastOf(levelsOf(similarities(slots, near, query)), count).map((at) => near[at] as number);
}

/** The first pass: the number of bits in which each slot differs from the query. */
function differences({ end, files, signs, scratch }: CodeSlots, { vector, centroid, wanted }: CodeQuery): Uint16Array {
  const querySigns = new Int32Array(signsOf(vector, centroid).buffer);
  const words = new Int32Array(signs.buffer);
  const compared = Math.min(querySigns.length, MAX_WORDS);
  for (let slot = 0, word = 0; slot < end; slot++, word += querySigns.length) {
    const file = files[slot] as number;
    const skipped = file === 0 || (wanted !== undefined && wanted[file] !== 1);
    scratch[slot] = skipped ? UNWANTED : differingBits(words, word, querySigns, compared);
  }
  return scratch.subarray(0, end);
}

/** Counts the bits in all four bytes of a word at once. The sums of sixteen words fit into a byte. */
function differingBits(words: Int32Array, from: number, querySigns: Int32Array, compared: number): number {
  let sums = 0;
  for (let at = 0; at < compared; at++) {
    let bits = (words[from + at] as number) ^ (querySigns[at] as number);
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    sums += (bits + (bits >>> 4)) & 0x0f0f0f0f;
  }
  const pairs = (sums & 0x00ff00ff) + ((sums >>> 8) & 0x00ff00ff);
  return (pairs + (pairs >>> 16)) & 0xffff;
}

/** The indexes of the `count` lowest levels, and of all levels equal to the highest of them. */
function leastOf(levels: Uint16Array, count: number): number[] {
  const max = levelOf(levels, count);
  const least: number[] = [];
  for (let at = 0; at < levels.length; at++) if ((levels[at] as number) <= max) least.push(at);
  return least;
}

/** The level up to which there are `count` slots, or all but the unwanted ones. */
function levelOf(levels: Uint16Array, count: number): number {
  const counts = new Uint32Array(UNWANTED + 1);
  for (let at = 0; at < levels.length; at++) {
    const level = levels[at] as number;
    counts[level] = (counts[level] as number) + 1;
  }
  let level = 0;
  for (let found = counts[0] as number; found < count && level < UNWANTED - 1; found += counts[level] as number)
    level++;
  return level;
}

/** Maps the values to levels, the highest value to level 0. */
function levelsOf(values: Float32Array): Uint16Array {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < values.length; at++) {
    low = Math.min(low, values[at] as number);
    high = Math.max(high, values[at] as number);
  }
  const step = (high - low) / (UNWANTED - 1) || 1;
  return Uint16Array.from(values, (value) => (high - value) / step);
}

/**
 * The second pass: the estimated cosine of each slot. A vector is its projection on the centroid plus a rest. The code has the
 * projection, which gives the length of the rest too; the signs give its direction, each weighted by the query's component.
 */
function similarities(
  { signs, projections }: CodeSlots,
  near: readonly number[],
  { vector, centroid }: CodeQuery,
): Float32Array {
  const rest = vector.map((component, at) => component - (centroid[at] as number));
  const sums = sumsOfBytes(rest);
  const bytes = signBytes(rest.length);
  const half = rest.reduce((sum, component) => sum + component, 0) / 2;
  const scales = restScales(rest, centroid);
  const estimates = new Float32Array(near.length);
  for (let at = 0; at < near.length; at++) {
    const slot = near[at] as number;
    const byte = projections[slot] as number;
    estimates[at] = (sumAt(signs, slot * bytes, sums) - half) * (scales[byte] as number) + projectionOf(byte);
  }
  return estimates;
}

/** The weight of one sign for each value of the projection byte, which determines the length of the rest of a unit vector. */
function restScales(rest: Float32Array, centroid: Float32Array): Float32Array {
  const evenness = Math.sqrt(dotProduct(rest, rest)) / rest.reduce((sum, component) => sum + Math.abs(component), 0);
  const apart = 1 + dotProduct(centroid, centroid);
  return Float32Array.from(
    { length: 256 },
    (_, byte) => 2 * evenness * Math.sqrt(Math.max(0, apart - 2 * projectionOf(byte))),
  );
}

function sumAt(signs: Uint8Array, from: number, sums: Float32Array): number {
  let sum = 0;
  for (let first = 0, at = from; first < sums.length; first += 256, at++) {
    sum += sums[first + (signs[at] as number)] as number;
  }
  return sum;
}

/** For each byte of the signs and each of its 256 values: the sum of the components at its set bits. */
function sumsOfBytes(components: Float32Array): Float32Array {
  const bytes = signBytes(components.length);
  const sums = new Float32Array(bytes * 256);
  for (let at = 0; at < bytes; at++) {
    for (let value = 1; value < 256; value++) {
      const lowest = 31 - Math.clz32(value & -value);
      const component = components[at * 8 + lowest] ?? 0;
      sums[at * 256 + value] = (sums[at * 256 + (value & (value - 1))] as number) + component;
    }
  }
  return sums;
}
