// Proposes the slots that may be nearest to a vector, from their codes alone. The floats decide, elsewhere.
import type { CodeSlots } from './code-slots.ts';
import { codeBytes, codeOf } from './sign-codes.ts';

/** Words of a code that the first look at every slot compares: more cost more than they tell. */
const MOST_WORDS = 16;

/** What the first look leaves for the second: this share of all slots, and so many at least. */
const LOOKED_AT_TWICE = 1 / 50;
const FEWEST_TWICE = 3_000;

/** No slot differs in so many bits: it is free, or its file is not wanted. */
const UNWANTED = 0xffff;

export interface Asked {
  readonly vector: Float32Array;
  readonly middle: Float32Array;
  /** 1 at each wanted file; undefined where all are. */
  readonly wanted: Uint8Array | undefined;
}

/** At least the best `count` slots that are wanted, or all of them. Their order means nothing. */
export function propose(slots: CodeSlots, asked: Asked, count: number): number[] {
  measure(slots, asked);
  const near = leastOf(slots, Math.max(count, FEWEST_TWICE, slots.end * LOOKED_AT_TWICE));
  return near.length <= count ? near : bestOf(slots, near, asked, count);
}

/** The first look: writes into the scratch in how many bits each slot differs. */
function measure({ end, files, codes, scratch }: CodeSlots, { vector, middle, wanted }: Asked): void {
  const code = codeOf(vector, middle);
  const asked = new Int32Array(code.buffer);
  const words = new Int32Array(codes.buffer);
  const compared = Math.min(asked.length, MOST_WORDS);
  for (let slot = 0, word = 0; slot < end; slot++, word += asked.length) {
    const file = files[slot] as number;
    const skipped = file === 0 || (wanted !== undefined && wanted[file] !== 1);
    scratch[slot] = skipped ? UNWANTED : differingBits(words, word, asked, compared);
  }
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

/** The `count` slots that differ least, and every one that differs as much as the last of them. */
function leastOf(slots: CodeSlots, count: number): number[] {
  const { end, scratch } = slots;
  const most = mostBits(slots, count);
  const least: number[] = [];
  for (let slot = 0; slot < end; slot++) if ((scratch[slot] as number) <= most) least.push(slot);
  return least;
}

/** In so many bits at most differ `count` slots; more than any where there are not so many. */
function mostBits({ end, scratch }: CodeSlots, count: number): number {
  const slotsBy = new Uint32Array(UNWANTED + 1);
  for (let slot = 0; slot < end; slot++)
    slotsBy[scratch[slot] as number] = (slotsBy[scratch[slot] as number] as number) + 1;
  let found = 0;
  for (let bits = 0; bits <= MOST_WORDS * 32; bits++) {
    found += slotsBy[bits] as number;
    if (found >= count) return bits;
  }
  return UNWANTED - 1;
}

/** The second look: all bits, each weighed by what the vector itself says in its dimension. */
function bestOf({ codes }: CodeSlots, near: readonly number[], { vector, middle }: Asked, count: number): number[] {
  const sums = sumsOfBytes(vector.map((component, at) => component - (middle[at] as number)));
  const bytes = sums.length / 256;
  const scores = new Float32Array(near.length);
  for (let at = 0; at < near.length; at++) scores[at] = scoreAt(codes, (near[at] as number) * bytes, sums);
  const last = scores.toSorted()[near.length - count] as number;
  return near.filter((_, at) => (scores[at] as number) >= last);
}

function scoreAt(codes: Uint8Array, from: number, sums: Float32Array): number {
  let score = 0;
  for (let first = 0, at = from; first < sums.length; first += 256, at++) {
    score += sums[first + (codes[at] as number)] as number;
  }
  return score;
}

/** For each byte of a code and each of its 256 values: the sum of the components at its set bits. */
function sumsOfBytes(components: Float32Array): Float32Array {
  const bytes = codeBytes(components.length);
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
