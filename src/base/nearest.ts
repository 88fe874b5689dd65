// Finds the most similar valid name for a misspelled one.
import { distance } from 'fastest-levenshtein';

/** A name that differs in more than this share of its length is a different word, not a typo. */
const FARTHEST_SHARE = 0.4;

/** The allowed name with the fewest edits from `name`, or undefined when none is near. The first of equals wins. */
export function nearestName(name: string, allowed: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length * FARTHEST_SHARE)) + 1;
  for (const candidate of allowed) {
    if (Math.abs(candidate.length - wanted.length) >= least) continue;
    const edits = distance(wanted, candidate.toLowerCase());
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

/**
 * The names at most `share` of whose letters differ, fewest edits first, at most `most`; equals in the order given. Without
 * `share`, every name that counts as a misspelling.
 */
export type NearestNames = (name: string, most: number, share?: number) => readonly NearName[];

/** Prepares many names for being searched again and again. */
export function createNearestNames(names: Iterable<string>): NearestNames {
  const prepared = Array.from(names, (name) => ({ name, lower: name.toLowerCase(), letters: lettersIn(name) }));
  return (name, most, share = FARTHEST_SHARE) => {
    const wanted = name.toLowerCase();
    const letters = lettersIn(name);
    const farthest = Math.max(1, Math.floor(wanted.length * share));
    const near: NearName[] = [];
    for (const candidate of prepared) {
      if (Math.abs(candidate.lower.length - wanted.length) > farthest) continue;
      if (fewestEdits(letters, candidate.letters) > farthest) continue;
      const edits = distance(wanted, candidate.lower);
      if (edits <= farthest) near.push({ name: candidate.name, edits });
    }
    return near.sort((one, other) => one.edits - other.edits).slice(0, most);
  };
}

/** Which of 32 classes of letters occur, one bit for each. */
function lettersIn(name: string): number {
  let letters = 0;
  const lower = name.toLowerCase();
  for (let at = 0; at < lower.length; at += 1) letters |= 1 << (lower.charCodeAt(at) & 31);
  return letters;
}

/** Each class that only one of the words has takes an edit; one edit can take away one and bring one. */
function fewestEdits(one: number, other: number): number {
  return Math.max(bitsIn(one & ~other), bitsIn(other & ~one));
}

function bitsIn(word: number): number {
  let count = 0;
  for (let left = word; left !== 0; left &= left - 1) count += 1;
  return count;
}

/** One typo is allowed per this many letters, and always fewer than the maximum. */
const LETTERS_PER_TYPO = 4;
const MAX_TYPOS_EXCLUSIVE = 4;

/** The number of typos between two words, a swap of two letters counting as one; undefined if they are different words. */
export function countTypos(one: string, other: string): number | undefined {
  const length = Math.min(one.length, other.length);
  const most = Math.min(Math.floor(length / LETTERS_PER_TYPO), MAX_TYPOS_EXCLUSIVE - 1);
  if (Math.abs(one.length - other.length) > most) return undefined;
  const edits = distance(one, other);
  const slips = edits === 2 && isSwap(one, other) ? 1 : edits;
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
