// Generates the words of the notes: a few very frequent ones and many rare ones, as in natural language.
import { createSeededRandom, type Random } from './random.ts';

export const STOP_WORDS = (
  'the of and to in a is that it for was on are as with they at be this from have or by one had not but what all were ' +
  'when we there can an your which their said if do will each about how up out them then she many some so these would'
).split(' ');

const RARE_WORDS = 24_000;
const SLOTS = 2 ** 20;
const OPENINGS = [
  'b',
  'br',
  'd',
  'f',
  'g',
  'gl',
  'h',
  'k',
  'l',
  'm',
  'n',
  'p',
  'r',
  's',
  'st',
  't',
  'tr',
  'v',
] as const;
const VOWELS = ['a', 'e', 'i', 'o', 'u', 'a', 'e', 'i', 'o', 'a', 'e', 'i', 'o', 'u', 'ea', 'ou', 'ü', 'é'] as const;
const CLOSINGS = ['', '', 'n', 'r', 's', 'l', 'nd', 'st', 'm'] as const;

export interface Vocabulary {
  /** By falling frequency; the stop words come first. */
  readonly words: readonly string[];
  /** A word with its natural frequency: the word at rank r is about 1/r as frequent as the first. */
  draw(random: Random): string;
  /** A word that is not a stop word; all are equally likely. */
  drawRare(random: Random): string;
}

/** The same words for the same seed. */
export function createVocabulary(seed: number): Vocabulary {
  const words = [...STOP_WORDS, ...inventWords(createSeededRandom(seed))];
  const ranks = rankSlots(words.length);
  const wordAt = (rank: number): string => words[rank] ?? 'the';
  return {
    words,
    draw: (random) => wordAt(ranks[random.below(SLOTS)] ?? 0),
    drawRare: (random) => wordAt(STOP_WORDS.length + random.below(RARE_WORDS)),
  };
}

function inventWords(random: Random): Set<string> {
  const words = new Set<string>();
  while (words.size < RARE_WORDS) {
    let word = '';
    for (let left = 2 + random.below(2); left > 0; left--) {
      word += random.pick(OPENINGS) + random.pick(VOWELS) + random.pick(CLOSINGS);
    }
    words.add(word);
  }
  return words;
}

/** Each rank fills as many slots as its share of all words, so a uniform slot gives a word with its natural frequency. */
function rankSlots(ranks: number): Int32Array {
  let whole = 0;
  for (let rank = 1; rank <= ranks; rank++) whole += 1 / rank;
  const slots = new Int32Array(SLOTS);
  let filled = 0;
  let share = 0;
  for (let rank = 1; rank <= ranks; rank++) {
    share += 1 / rank;
    const end = Math.floor((share / whole) * SLOTS);
    slots.fill(rank - 1, filled, end);
    filled = end;
  }
  return slots;
}
