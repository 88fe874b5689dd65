// Splits a text into runs of characters that may be words, and identifies each by a hash, without making a string of it.

const SEED = 0x811c9dc5;
const PRIME = 0x01000193;
const FIRST_BEYOND_ASCII = 0x80;
/** Set in lower-case letters and digits, and missing in upper-case letters. */
const LOWER = 0x20;

/** ASCII letters, digits and characters beyond ASCII. */
export interface Run {
  readonly text: string;
  /** Of the text, in UTF-16. In an array they are read much faster than in a string. */
  readonly units: Uint16Array;
  readonly from: number;
  readonly to: number;
  /** Of a plain run, whatever its case. */
  readonly hash: number;
  /** Whether it is ASCII only. Any other has to be folded before it is known where a word ends. */
  readonly isPlain: boolean;
}

export function eachRun(text: string, use: (run: Run) => void): void {
  const units = unitsOf(text);
  let from = 0;
  while (from < text.length) {
    let hash = SEED;
    let codes = 0;
    let to = from;
    for (; to < text.length; to++) {
      const code = units[to] as number;
      if (!isInRun(code)) break;
      codes |= code;
      hash = Math.imul(hash ^ (code | LOWER), PRIME);
    }
    if (to > from) use({ text, units, from, to, hash, isPlain: codes < FIRST_BEYOND_ASCII });
    from = to + 1;
  }
}

function isInRun(code: number): boolean {
  const lower = code | LOWER;
  return (lower >= 97 && lower <= 122) || (code >= 48 && code <= 57) || code >= FIRST_BEYOND_ASCII;
}

/** @param written in lower case for a plain run */
export function isWritten({ units, from, to, isPlain }: Run, written: string): boolean {
  if (written.length !== to - from) return false;
  const ignored = isPlain ? LOWER : 0;
  for (let at = from; at < to; at++)
    if (((units[at] as number) | ignored) !== written.charCodeAt(at - from)) return false;
  return true;
}

let room = new Uint16Array(1 << 14);

/** Valid until the next call. */
function unitsOf(text: string): Uint16Array {
  if (text.length > room.length) room = new Uint16Array(text.length * 2);
  Buffer.from(room.buffer).write(text, 'utf16le');
  return room;
}
