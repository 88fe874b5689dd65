// Finds the most similar valid name for a misspelled one.
import { distance } from 'fastest-levenshtein';

/** A name that differs in more than this share of its length is a different word, not a typo. */
const FARTHEST_SHARE = 0.4;

/** The allowed name with the fewest edits from `name`, or undefined when none is near. The first of equals wins. */
export function nearestName(name: string, allowed: Iterable<string>): string | undefined {
  const lower = name.toLowerCase();
  let best: string | undefined;
  let least = Math.max(1, Math.floor(lower.length * FARTHEST_SHARE)) + 1;
  for (const candidate of allowed) {
    if (Math.abs(candidate.length - lower.length) >= least) continue;
    const edits = distance(lower, candidate.toLowerCase());
    if (edits < least) [best, least] = [candidate, edits];
  }
  return best;
}

/** `did_you_mean`, if a similar name exists. */
export function didYouMean(name: string, allowed: readonly string[]): { readonly did_you_mean?: string } {
  const nearest = nearestName(name, allowed);
  return nearest === undefined ? {} : { did_you_mean: nearest };
}

export interface NearName {
  readonly name: string;
  readonly edits: number;
}

/** Many names that are searched again and again: most are ruled out by two numbers each. */
export class NearestNames {
  readonly #places = new Map<string, number>();
  readonly #names: string[] = [];
  readonly #lower: string[] = [];
  readonly #letters: number[] = [];

  constructor(names: Iterable<string> = []) {
    for (const name of names) this.add(name);
  }

  add(name: string): void {
    if (this.#places.has(name)) return;
    const lower = name.toLowerCase();
    this.#places.set(name, this.#names.length);
    this.#names.push(name);
    this.#lower.push(lower);
    this.#letters.push(lettersIn(lower));
  }

  /** The last name takes its place. */
  delete(name: string): void {
    const place = this.#places.get(name);
    if (place === undefined) return;
    this.#places.delete(name);
    const [last, lower] = [this.#names.pop() as string, this.#lower.pop() as string];
    const letters = this.#letters.pop() as number;
    if (last === name) return;
    this.#places.set(last, place);
    this.#names[place] = last;
    this.#lower[place] = lower;
    this.#letters[place] = letters;
  }

  /** The names at most `share` of whose letters differ, fewest edits first, equals by name; at most `most`. */
  near(name: string, most: number, share = FARTHEST_SHARE): readonly NearName[] {
    return this.within(name, most, Math.max(1, Math.floor(name.toLowerCase().length * share)));
  }

  /** The names that `farthest` edits or fewer lead to, in the order of `near`; at most `most`. */
  within(name: string, most: number, farthest: number): readonly NearName[] {
    const lower = name.toLowerCase();
    const wantedLetters = lettersIn(lower);
    const editsTo = editsFrom(lower);
    const near: NearName[] = [];
    for (let at = 0; at < this.#names.length; at += 1) {
      const candidate = this.#lower[at] as string;
      if (Math.abs(candidate.length - lower.length) > farthest) continue;
      if (fewestEdits(wantedLetters, this.#letters[at] as number) > farthest) continue;
      const edits = editsTo(candidate, farthest);
      if (edits <= farthest) near.push({ name: this.#names[at] as string, edits });
    }
    return near.sort(byEdits).slice(0, most);
  }

  /** Up to `most` names that contain a text in lower case, in any order. */
  containing(part: string, most: number): readonly string[] {
    const nearest: string[] = [];
    for (let at = 0; at < this.#names.length && nearest.length < most; at += 1) {
      if (this.#lower[at]?.includes(part)) nearest.push(this.#names[at] as string);
    }
    return nearest;
  }
}

function byEdits(one: NearName, other: NearName): number {
  return one.edits - other.edits || (one.name < other.name ? -1 : 1);
}

/** Which of 32 classes of letters occur, one bit for each. */
function lettersIn(lower: string): number {
  let letters = 0;
  for (let at = 0; at < lower.length; at += 1) letters |= 1 << (lower.charCodeAt(at) & 31);
  return letters;
}

/** Each class that only one of the words has takes an edit; one edit can take away one and bring one. */
function fewestEdits(one: number, other: number): number {
  return Math.max(bitsIn(one & ~other), bitsIn(other & ~one));
}

/** Adds up the bits of every two, four and eight, and then the eights, all at once. */
function bitsIn(word: number): number {
  const twos = word - ((word >>> 1) & 0x55555555);
  const fours = (twos & 0x33333333) + ((twos >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** One typo is allowed per this many letters, and always fewer than the maximum. */
const LETTERS_PER_TYPO = 4;
const MAX_TYPOS_EXCLUSIVE = 4;

/** The swap of two letters. */
const EDITS_OF_SWAP = 2;

function mostTypos(length: number): number {
  return Math.min(Math.floor(length / LETTERS_PER_TYPO), MAX_TYPOS_EXCLUSIVE - 1);
}

/** No word that `countTypos` takes for the same word is more edits away. */
export function mostEdits(word: string): number {
  const typos = mostTypos(word.length);
  return typos === 0 ? 0 : Math.max(typos, EDITS_OF_SWAP);
}

/** The number of typos between two words, a swap of two letters counting as one; undefined if they are different words. */
export function countTypos(one: string, other: string): number | undefined {
  const most = mostTypos(Math.min(one.length, other.length));
  if (Math.abs(one.length - other.length) > most) return undefined;
  const edits = distance(one, other);
  const slips = edits === EDITS_OF_SWAP && isSwap(one, other) ? 1 : edits;
  // In a word this short, one replaced letter makes another word.
  const isOther = one.length === LETTERS_PER_TYPO && other.length === LETTERS_PER_TYPO && edits === 1;
  return slips <= most && !isOther ? slips : undefined;
}

function isSwap(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let at = 0;
  while (one[at] === other[at]) at += 1;
  return one[at] === other[at + 1] && one[at + 1] === other[at];
}

/** The bits of a number: Myers' algorithm keeps one column of the distances in two of them. */
const MAX_COLUMN = 32;
const LATIN = 0x250;

/**
 * The number of edits between `text` and each other, or any larger number if there are more than `most`. Prepares the text once, which
 * for many others takes a third of the time.
 */
export function editsFrom(text: string): (other: string, most: number) => number {
  if (text.length === 0 || text.length > MAX_COLUMN) return (other) => distance(text, other);
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
