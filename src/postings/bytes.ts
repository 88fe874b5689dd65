// Writes and reads bytes and numbers of variable length: seven bits per byte, the lowest first.

const FIRST_CAPACITY = 1_024;

/** A buffer that grows; the same one is used again after `clear`. */
export class ByteWriter {
  bytes = new Uint8Array(FIRST_CAPACITY);
  length = 0;

  clear(): void {
    this.length = 0;
  }

  /** What was written so far, valid until the next write. */
  view(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  /** @param value a whole number from 0 to 2^32 - 1 */
  number(value: number): void {
    if (this.length + 5 > this.bytes.length) this.#reserve(5);
    let rest = value;
    while (rest > 127) {
      this.bytes[this.length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.bytes[this.length++] = rest;
  }

  copy(from: Uint8Array, start: number, end: number): void {
    const count = end - start;
    this.#reserve(count);
    // A call of `set` costs more than a few single bytes.
    if (count > 32) this.bytes.set(from.subarray(start, end), this.length);
    else for (let at = 0; at < count; at++) this.bytes[this.length + at] = from[start + at] as number;
    this.length += count;
  }

  #reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.length + count));
    larger.set(this.view());
    this.bytes = larger;
  }
}

export class ByteReader {
  data: Uint8Array;
  at: number;

  constructor(data: Uint8Array, at = 0) {
    this.data = data;
    this.at = at;
  }

  /** Past the end of the data it is 0. */
  number(): number {
    let byte = this.data[this.at++] as number;
    if (byte < 128) return byte;
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      value |= (byte & 127) << shift;
      if (!(byte > 127)) return value >>> 0;
      byte = this.data[this.at++] as number;
    }
  }

  /** Reads past `count` numbers. */
  skip(count: number): void {
    const { data } = this;
    let left = count;
    let at = this.at;
    while (left > 0 && at < data.length) if ((data[at++] as number) < 128) left -= 1;
    this.at = at;
  }
}

/** Negative, 0 or positive, as `one` sorts before, equal to or after the part of `other`. */
export function compareBytes(one: Uint8Array, length: number, other: Uint8Array, from: number, to: number): number {
  const count = Math.min(length, to - from);
  for (let at = 0; at < count; at++) {
    const difference = (one[at] as number) - (other[from + at] as number);
    if (difference !== 0) return difference;
  }
  return length - (to - from);
}
