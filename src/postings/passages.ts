// Scores the best passage of each of some notes: a long note answers a question in one place.
import { BODY, WEIGHTS } from './fields.ts';
import { NOTE_KEY } from './matches.ts';
import { FIELD_SHIFT, MAX_POSITION } from './posting-list.ts';
import { saturated } from './rank.ts';

/** Words of half a passage: the next passage begins in the middle of one. */
const HALF = 75;
export const PASSAGE_WORDS = 2 * HALF;
export const LONG_NOTE_WORDS = 500;

/** What counts as one word of the query, and where it is: notes with their places, ascending. */
export interface PlacedWord {
  readonly keys: readonly number[];
  readonly weight: number;
}

/** The weighted number of occurrences of each word of the query. */
type Counts = number[];

/**
 * @param notes ascending
 * @param lengthOf the length of a passage of a note, as a share of the average
 * @returns the score of the best passage of each note; what is outside of the body belongs to each passage
 */
export function passageScores(
  words: readonly PlacedWord[],
  notes: Int32Array,
  lengthOf: (note: number) => number,
): Float64Array {
  const next = words.map(() => 0);
  return Float64Array.from(notes, (note) => {
    const outside: Counts = words.map(() => 0);
    const halves = new Map<number, Counts>();
    for (const [word, { keys }] of words.entries()) {
      next[word] = eachPlace(keys, next[word] as number, note, (place) => {
        const field = place >> FIELD_SHIFT;
        const counts = field === BODY ? countsAt(halves, Math.floor((place & MAX_POSITION) / HALF), words) : outside;
        counts[word] = (counts[word] as number) + (WEIGHTS[field] as number);
      });
    }
    return bestScore(words, outside, halves, lengthOf(note));
  });
}

function countsAt(halves: Map<number, Counts>, half: number, words: readonly PlacedWord[]): Counts {
  const counts = halves.get(half) ?? words.map(() => 0);
  halves.set(half, counts);
  return counts;
}

/** Calls `visit` with each place in the note. @returns the index of the first key of a later note */
function eachPlace(keys: readonly number[], from: number, note: number, visit: (place: number) => void): number {
  const first = note * NOTE_KEY;
  let at = from;
  while (at < keys.length && (keys[at] as number) < first) at += 1;
  for (; at < keys.length && (keys[at] as number) < first + NOTE_KEY; at++) visit((keys[at] as number) - first);
  return at;
}

function bestScore(
  words: readonly PlacedWord[],
  outside: Counts,
  halves: ReadonlyMap<number, Counts>,
  length: number,
): number {
  const none: Counts = [];
  const scoreOf = (one: Counts, other: Counts): number => {
    let score = 0;
    for (const [at, { weight }] of words.entries()) {
      const frequency = (outside[at] as number) + (one[at] ?? 0) + (other[at] ?? 0);
      score += weight * saturated(frequency, length);
    }
    return score;
  };
  let best = scoreOf(none, none);
  for (const [half, counts] of halves) best = Math.max(best, scoreOf(counts, halves.get(half + 1) ?? none));
  return best;
}
