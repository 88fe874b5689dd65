// Proposes the slots that may be nearest to a vector, from their codes alone. The floats decide, elsewhere.
import { dotProduct } from '../../../contracts/fingerprint.ts';
import type { CodeSlots } from './code-cache.ts';
import { alongIn, signBytes, signsOf } from './vector-codes.ts';

/** Words of the signs that the first look at every slot compares: more cost more than they tell. */
const MAX_WORDS = 16;

/** What the first look leaves for the second: this share of all slots, and so many at least. */
const LOOKED_AT_TWICE = 1 / 32;
const MIN_TWICE = 3_000;

/** Both looks sort by levels from 0 on, the nearest; a slot at the last one is free, or its file is not wanted. */
const UNWANTED = MAX_WORDS * 32 + 1;

export interface Asked {
  /** Of unit length. */
  readonly vector: Float32Array;
  readonly middle: Float32Array;
  /** 1 at each wanted file; undefined where all are. */
  readonly wanted: Uint8Array | undefined;
}

/** At least the best `count` slots that are wanted, or all of them. Their order means nothing. */
export function propose(slots: CodeSlots, asked: Asked, count: number): number[] {
  const near = leastOf(differences(slots, asked), Math.max(count, MIN_TWICE, slots.end * LOOKED_AT_TWICE));
  if (near.length <= count) return near;
  return leastOf(levelsOf(likeness(slots, near, asked)), count).map((at) => near[at] as number);
}

/** The first look: in how many bits each slot differs. */
function differences({ end, files, signs, scratch }: CodeSlots, { vector, middle, wanted }: Asked): Uint16Array {
  const asked = new Int32Array(signsOf(vector, middle).buffer);
  const words = new Int32Array(signs.buffer);
  const compared = Math.min(asked.length, MAX_WORDS);
  for (let slot = 0, word = 0; slot < end; slot++, word += asked.length) {
    const file = files[slot] as number;
    const skipped = file === 0 || (wanted !== undefined && wanted[file] !== 1);
    scratch[slot] = skipped ? UNWANTED : differingBits(words, word, asked, compared);
  }
  return scratch.subarray(0, end);
}

/** Counts bits in all bytes of a word at once; the sums of sixteen words stay below a byte's end. */
function differingBits(words: Int32Array, from: number, asked: Int32Array, compared: number): number {
  let sums = 0;
  for (let at = 0; at < compared; at++) {
    let bits = (words[from + at] as number) ^ (asked[at] as number);
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    sums += (bits + (bits >>> 4)) & 0x0f0f0f0f;
  }
  const pairs = (sums & 0x00ff00ff) + ((sums >>> 8) & 0x00ff00ff);
  return (pairs + (pairs >>> 16)) & 0xffff;
}

/** Where the `count` least levels stand, and every one that is as low as the last of them. */
function leastOf(levels: Uint16Array, count: number): number[] {
  const most = levelOf(levels, count);
  const least: number[] = [];
  for (let at = 0; at < levels.length; at++) if ((levels[at] as number) <= most) least.push(at);
  return least;
}

/** Up to it there are `count`, or all but the unwanted. */
function levelOf(levels: Uint16Array, count: number): number {
  const counts = new Uint32Array(UNWANTED + 1);
  for (let at = 0; at < levels.length; at++) {
    const level = levels[at] as number;
    counts[level] = (counts[level] as number) + 1;
  }
  let most = 0;
  for (let found = counts[0] as number; found < count && most < UNWANTED - 1; found += counts[most] as number) most++;
  return most;
}

/** From the highest value to the lowest. */
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
 * The second look: the likely cosine of each slot. A vector is the middle and a rest. What it has of the middle stands in its
 * code and tells how long the rest is; where the rest points, its signs tell, each weighed by what the asked one has there.
 */
function likeness({ signs, along }: CodeSlots, near: readonly number[], { vector, middle }: Asked): Float32Array {
  const rest = vector.map((component, at) => component - (middle[at] as number));
  const sums = sumsOfBytes(rest);
  const bytes = signBytes(rest.length);
  const half = rest.reduce((sum, component) => sum + component, 0) / 2;
  const scales = restScales(rest, middle);
  const likely = new Float32Array(near.length);
  for (let at = 0; at < near.length; at++) {
    const slot = near[at] as number;
    const byte = along[slot] as number;
    likely[at] = (sumAt(signs, slot * bytes, sums) - half) * (scales[byte] as number) + alongIn(byte);
  }
  return likely;
}

/** How much one sign counts, for each value of the byte that tells how long the rest of a vector of unit length is. */
function restScales(rest: Float32Array, middle: Float32Array): Float32Array {
  const evenness = Math.sqrt(dotProduct(rest, rest)) / rest.reduce((sum, component) => sum + Math.abs(component), 0);
  const apart = 1 + dotProduct(middle, middle);
  return Float32Array.from(
    { length: 256 },
    (_, byte) => 2 * evenness * Math.sqrt(Math.max(0, apart - 2 * alongIn(byte))),
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
