// Decides whether a name is a misspelling of another one, surely enough to change a link.
import { countTypos, editsFrom } from '../../base/nearest.ts';
import { foldText, WORD_CHARACTERS } from '../excerpt/fold-text.ts';
import { hasUnspacedScript } from '../excerpt/term-matches.ts';

const WORDS = new RegExp(`[${WORD_CHARACTERS}]+`, 'gu');
/** What separates words, in the spelling of one program or another. */
const SEPARATORS = /[\s\-_–—.,'’]+/g;
/** A shorter word with another letter is another word, such as the A of `Plan A`. */
const MIN_WORD = 3;
/** A shorter word with two other letters is another word, such as `gone` and `note`. */
const LONG_WORD = 8;

/** The number of typos; undefined if the names may well be different ones: they differ in a number, a short word or the number of words. */
function typosBetween(name: string, other: string): number | undefined {
  const [one, two] = [foldText(name), foldText(other)];
  if (one === two) return 0;
  if (one.replace(SEPARATORS, '') === two.replace(SEPARATORS, '')) return 1;
  const [words, others] = [one.match(WORDS) ?? [], two.match(WORDS) ?? []];
  if (words.length !== others.length) return undefined;
  const mayBeTypos = words.every((word, at) => word === others[at] || isMisspelled(word, others[at] as string));
  return mayBeTypos ? countTypos(one, two) : undefined;
}

function isMisspelled(word: string, other: string): boolean {
  const shorter = Math.min(word.length, other.length);
  if (shorter < MIN_WORD || [word, other].some((one) => /\p{N}/u.test(one) || hasUnspacedScript(one))) return false;
  return (countTypos(word, other) ?? editsFrom(word)(other, 1)) <= (shorter < LONG_WORD ? 1 : 2);
}

/** Those with the fewest typos; none if no name is a misspelling. */
export function leastTypos<Named extends { readonly name: string }>(name: string, all: Iterable<Named>): Named[] {
  let least = Number.POSITIVE_INFINITY;
  let best: Named[] = [];
  for (const one of all) {
    const typos = typosBetween(name, one.name);
    if (typos === undefined || typos > least) continue;
    if (typos < least) [least, best] = [typos, []];
    best.push(one);
  }
  return best;
}
