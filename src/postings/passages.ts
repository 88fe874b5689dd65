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
  /** Whether these are all places of the word; others are of one form only. */
  readonly isWhole: boolean;
}

/** The weighted number of occurrences of each word of the query, and of each pair of words. */
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
  const pairs = pairsOf(words);
  const weights = [...words, ...pairs].map(({ weight }) => weight);
  const none = (): Counts => new Array<number>(weights.length).fill(0);
  return Float64Array.from(notes, (note) => {
    const outside = none();
    const halves = new Map<number, Counts>();
    const count = (at: number, position: number): void => {
      const half = Math.floor(position / HALF);
      const counts = halves.get(half) ?? none();
      counts[at] = (counts[at] as number) + (WEIGHTS[BODY] as number);
      halves.set(half, counts);
    };
    const places = words.map(({ keys }, word) => {
      const inBody: number[] = [];
      next[word] = eachPlace(keys, next[word] as number, note, (place) => {
        const field = place >> FIELD_SHIFT;
        if (field === BODY) inBody.push(place & MAX_POSITION);
        else outside[word] = (outside[word] as number) + (WEIGHTS[field] as number);
      });
      for (const position of inBody) count(word, position);
      return inBody;
    });
    for (const [at, { first, second }] of pairs.entries())
      eachPair(places[first] ?? [], places[second] ?? [], (position) => count(words.length + at, position));
    return bestScore(weights, outside, halves, lengthOf(note));
  });
}

/** Two words of the query, one after the other. */
interface Pair {
  readonly first: number;
  readonly second: number;
  readonly weight: number;
}

/** A pair of words counts so much of their mean weight. */
const PAIR_SHARE = 0.4;
/** One short word may be between them. */
const MAX_DISTANCE = 2;

function pairsOf(words: readonly PlacedWord[]): Pair[] {
  const whole = words.flatMap(({ isWhole }, at) => (isWhole ? [at] : []));
  const weightOf = (at: number): number => words[at]?.weight ?? 0;
  return whole.slice(1).map((second, at) => {
    const first = whole[at] as number;
    return { first, second, weight: PAIR_SHARE * Math.sqrt(weightOf(first) * weightOf(second)) };
  });
}

/** Calls `visit` with each place of the first word that the second follows. Both are ascending. */
function eachPair(firsts: readonly number[], seconds: readonly number[], visit: (place: number) => void): void {
  let at = 0;
  for (const place of firsts) {
    while (at < seconds.length && (seconds[at] as number) <= place) at += 1;
    if ((seconds[at] ?? Number.POSITIVE_INFINITY) - place <= MAX_DISTANCE) visit(place);
  }
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
  weights: readonly number[],
  outside: Counts,
  halves: ReadonlyMap<number, Counts>,
  length: number,
): number {
  const none: Counts = [];
  const scoreOf = (one: Counts, other: Counts): number => {
    let score = 0;
    for (let at = 0; at < weights.length; at++) {
      const frequency = (outside[at] as number) + (one[at] ?? 0) + (other[at] ?? 0);
      if (frequency > 0) score += (weights[at] as number) * saturated(frequency, length);
    }
    return score;
  };
  let best = scoreOf(none, none);
  for (const [half, counts] of halves) best = Math.max(best, scoreOf(counts, halves.get(half + 1) ?? none));
  return best;
}
