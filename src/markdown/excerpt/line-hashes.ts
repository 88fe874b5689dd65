// Hashes each line of a text, by which two versions of a note are compared without keeping their texts.
import { FNV_PRIME, FNV_START } from '../../base/fnv.ts';

export interface LineHashes {
  /** One per line, without the blanks at its end. */
  readonly hashes: Int32Array;
  /** The line, from 1, at which the text after the properties begins. */
  readonly bodyLine: number;
}

/** A note with more lines is a log or a data file: only that it changed is recorded. */
const MAX_LINES = 20_000;
const SPACE = 32;

/** Grows up to the limit, and is used again for each text. */
let room = new Int32Array(128);

/** Undefined for a text with too many lines. A return alone ends no line. */
export function lineHashes(text: string, bodyOffset: number): LineHashes | undefined {
  let [count, bodyLine] = [0, 1];
  for (let start = 0; start < text.length; ) {
    if (count === MAX_LINES) return undefined;
    const lineFeed = text.indexOf('\n', start);
    const end = lineFeed === -1 ? text.length : lineFeed;
    if (count === room.length) room = grown(room);
    room[count++] = hashOf(text, start, end);
    if (start < bodyOffset && end < bodyOffset) bodyLine = count + 1;
    start = end + 1;
  }
  return { hashes: room.slice(0, count), bodyLine };
}

function hashOf(text: string, start: number, end: number): number {
  let last = end;
  // Spaces, tabs and a return.
  while (last > start && text.charCodeAt(last - 1) <= SPACE) last -= 1;
  let hash = FNV_START;
  for (let at = start; at < last; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  return hash;
}

function grown(hashes: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(hashes.length * 2);
  larger.set(hashes);
  return larger;
}

/** The hash of a line with nothing but blanks. */
export const EMPTY_LINE = hashOf('', 0, 0);
