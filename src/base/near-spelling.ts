// Whether one word is another misspelt, and how badly.
import { distance } from 'fastest-levenshtein';

/** Letters for each of which one slip is forgiven, and how many slips no word is forgiven. */
const LETTERS_A_SLIP = 4;
const TOO_MANY = 4;

/** How many slips lead from one to the other, two letters that changed places being one; undefined where they are different words. */
export function slipsBetween(one: string, other: string): number | undefined {
  const length = Math.min(one.length, other.length);
  const most = Math.min(Math.floor(length / LETTERS_A_SLIP), TOO_MANY - 1);
  if (Math.abs(one.length - other.length) > most) return undefined;
  const edits = distance(one, other);
  const slips = edits === 2 && isSwap(one, other) ? 1 : edits;
  // Of so few letters another one in the place of one makes another word.
  const isOther = one.length === LETTERS_A_SLIP && other.length === LETTERS_A_SLIP && edits === 1;
  return slips <= most && !isOther ? slips : undefined;
}

function isSwap(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let at = 0;
  while (one[at] === other[at]) at += 1;
  return one[at] === other[at + 1] && one[at + 1] === other[at];
}
