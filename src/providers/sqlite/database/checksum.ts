// Computes the checksum that every row of the index carries, and compares it when a row is read.
import { crc32 } from 'node:zlib';
import { FNV_PRIME as PRIME, FNV_START as SEED } from '../../../base/fnv.ts';

export type SqlValue = string | number | null | Uint8Array;

/** A row whose values are not those that were written. */
export class DamagedRow extends Error {}

/** The name of the function in SQL; the tables' generated columns call it. */
export const ROW_CHECKSUM = 'row_checksum';

/** Set apart a null, a number, a text and a blob with the same content. */
const [OF_NULL, OF_NUMBER, OF_TEXT, OF_BLOB] = [0x10001, 0x10002, 0x10003, 0x10004];

/** Longer texts are faster with the native CRC, which also differs if one character differs. */
const MAX_FOLDED = 64;

const float = new Float64Array(1);
const halves = new Int32Array(float.buffer);

/** FNV-1a, with a CRC of long texts and blobs: it always differs if one number, or one character of a text, differs. */
export function rowChecksum(...values: readonly SqlValue[]): number {
  return checksumOf(values, values.length);
}

/** Sums a path and the targets of its links, in any order. */
export function edgesChecksum(path: string, targets: readonly number[]): number {
  // A damaged row may have no path.
  let sum = rowChecksum(path);
  // The sum of each is that of `rowChecksum`, without a list for each.
  for (const target of targets) sum += addNumber(SEED, target) | 0;
  return sum;
}

/** @returns whether the last value is the checksum of those before it */
export function isIntact(row: readonly SqlValue[]): boolean {
  return row.at(-1) === checksumOf(row, row.length - 1);
}

function checksumOf(values: readonly SqlValue[], count: number): number {
  let sum = SEED;
  for (let at = 0; at < count; at++) {
    const value = values[at] as SqlValue;
    if (typeof value === 'string') sum = addText(sum, value);
    else if (typeof value === 'number') sum = addNumber(sum, value);
    else if (value === null) sum = Math.imul(sum ^ OF_NULL, PRIME);
    else sum = Math.imul(Math.imul(sum ^ OF_BLOB, PRIME) ^ crc32(value), PRIME);
  }
  return sum | 0;
}

function addText(start: number, text: string): number {
  if (text.length > MAX_FOLDED) return Math.imul(Math.imul(start ^ OF_TEXT, PRIME) ^ crc32(text), PRIME);
  let sum = start;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), PRIME);
  return Math.imul(sum ^ OF_TEXT, PRIME);
}

function addNumber(start: number, value: number): number {
  float[0] = value;
  const low = Math.imul(start ^ (halves[0] as number), PRIME);
  return Math.imul(Math.imul(low ^ (halves[1] as number), PRIME) ^ OF_NUMBER, PRIME);
}
