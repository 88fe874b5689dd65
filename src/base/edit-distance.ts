// Counts the edits between one text and many others.
import { distance } from 'fastest-levenshtein';

/** The bits of a number: Myers' algorithm keeps one column of the distances in two of them. */
const MAX_LENGTH = 32;
const LATIN = 0x250;

/**
 * The number of edits between `text` and each other, or any larger number if there are more than `most`. Prepares the text once, which
 * for many others takes a third of the time.
 */
export function editsFrom(text: string): (other: string, most: number) => number {
  if (text.length === 0 || text.length > MAX_LENGTH) return (other) => distance(text, other);
  const latin = new Int32Array(LATIN);
  const beyond = new Map<number, number>();
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < LATIN) latin[code] = (latin[code] as number) | (1 << at);
    else beyond.set(code, (beyond.get(code) ?? 0) | (1 << at));
  }
  const placesOf = (code: number): number => (code < LATIN ? (latin[code] as number) : (beyond.get(code) ?? 0));
  return (other, most) => edits(text.length, placesOf, other, most);
}

/** @param placesOf the places of a character in the text, one bit for each */
function edits(length: number, placesOf: (code: number) => number, other: string, most: number): number {
  const last = 1 << (length - 1);
  let more = -1;
  let fewer = 0;
  let count = length;
  for (let at = 0; at < other.length && count - (other.length - at) <= most; at += 1) {
    const places = placesOf(other.charCodeAt(at));
    const down = places | fewer;
    const across = (((places & more) + more) ^ more) | places;
    const raised = fewer | ~(across | more);
    const lowered = more & across;
    if ((raised & last) !== 0) count += 1;
    if ((lowered & last) !== 0) count -= 1;
    const next = (raised << 1) | 1;
    more = (lowered << 1) | ~(down | next);
    fewer = next & down;
  }
  return count;
}
