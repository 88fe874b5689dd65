// Finds how notes write a long number in groups: a telephone number, an account.
import type { Store } from '../../contracts/store.ts';

/** Shorter ones are written as a whole. */
const MIN_LENGTH = 7;
/** That of the longest account number. */
const MAX_LENGTH = 34;
const MIN_GROUP = 2;
const MAX_GROUP = 8;
/** So many of the ways to divide it, those with the fewest groups, are looked up. */
const MAX_WAYS = 4;
/** Many short groups are known by chance in a large vault. */
const MAX_OPEN = 50;
/** With letters at most in front, as in `DE89`. */
const LONG_NUMBER = /^\p{L}{0,2}\p{N}+$/u;
/** A number from abroad is written without it. */
const TRUNK_ZERO = /^0(?=[1-9])/;

/** The groups that follow each other in notes, of a number that no note has; with blanks. @param word folded */
export async function inDigitGroups(word: string, store: Store, signal: AbortSignal): Promise<readonly string[]> {
  if (word.length < MIN_LENGTH || word.length > MAX_LENGTH || !LONG_NUMBER.test(word)) return [];
  const numbers = [...new Set([word, word.replace(TRUNK_ZERO, '')])];
  const groups = [...new Set(numbers.flatMap(possibleGroups))];
  const { docFrequencies } = await store.wordCounts([word, ...groups], signal);
  if (docFrequencies[0] !== 0) return [];
  const knownGroups = new Set(groups.filter((_, at) => docFrequencies[at + 1] !== 0));
  const ways = numbers.flatMap((number) => waysToDivide(number, knownGroups));
  const counts = await store.wordCounts(ways, signal);
  return ways.filter((_, at) => counts.docFrequencies[at] !== 0);
}

function possibleGroups(number: string): string[] {
  const starts = [...number].keys();
  return [...starts].flatMap((from) => groupsFrom(number, from));
}

function groupsFrom(number: string, from: number): string[] {
  const groups: string[] = [];
  for (let length = MAX_GROUP; length >= MIN_GROUP; length -= 1)
    if (from + length <= number.length) groups.push(number.slice(from, from + length));
  return groups;
}

/** In known groups, those with the fewest first. */
function waysToDivide(number: string, known: ReadonlySet<string>): string[] {
  let open: readonly (readonly string[])[] = [[]];
  const ways: string[] = [];
  while (open.length > 0 && ways.length < MAX_WAYS) {
    const longer = open.flatMap((groups) =>
      groupsFrom(number, groups.join('').length).flatMap((next) => (known.has(next) ? [[...groups, next]] : [])),
    );
    ways.push(...longer.filter((groups) => groups.join('') === number).map((groups) => groups.join(' ')));
    open = longer.slice(0, MAX_OPEN);
  }
  return ways.slice(0, MAX_WAYS);
}
