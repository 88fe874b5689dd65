// The reference that ranking by words must not lose to: BM25 over whole notes, with none of the program's own rules for words.
import { basename } from 'node:path';
import { stem } from 'porter2';
import type { Counts } from '../../src/markdown/excerpt/terms.ts';
import { createBm25 } from './bm25.ts';

const STOP_WORDS = new Set(
  `a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will
  with`.split(/\s+/),
);
/** Each word of the file's name counts so many times more. */
const NAME_WEIGHT = 3;
/** Han, kana and Hangul, which are compared as pairs of characters. */
const UNSPACED = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々\u3099\u309A]`;
const RUNS = new RegExp(`${UNSPACED}+|(?:(?!${UNSPACED})[\\p{L}\\p{N}])+`, 'gu');
const IS_UNSPACED = new RegExp(`^${UNSPACED}`, 'u');
/** Voicing marks of kana stay, because they make another letter. */
const MARKS = /(?![\u3099\u309A])\p{M}/gu;

/** Ranks the notes for a query. */
export type Reference = (query: string) => string[];

/** @param notes texts by path @param stemmed whether words are reduced to their stems, by the Snowball rules for English */
export function createReference(notes: ReadonlyMap<string, string>, stemmed: boolean): Reference {
  const termOf = (word: string): string => (stemmed ? stem(word) : word);
  const counted = new Map([...notes].map(([path, text]) => [path, countsOf(path, text, termOf)]));
  const rank = createBm25(counted);
  return (query) => rank(runsOf(query).flatMap((run) => termsOf(run, termOf)));
}

function countsOf(path: string, text: string, termOf: (word: string) => string): Counts {
  const named = runsOf(basename(path, '.md')).filter((run) => !IS_UNSPACED.test(run));
  const names = named.flatMap((run) => termsOf(run, termOf));
  const words = runsOf(text).flatMap((run) => termsOf(run, termOf));
  return countAll([...words, ...Array.from({ length: NAME_WEIGHT }, () => names).flat()]);
}

function runsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replace(MARKS, '').normalize('NFKC').toLowerCase();
  return plain.match(RUNS) ?? [];
}

function termsOf(run: string, termOf: (word: string) => string): string[] {
  if (!IS_UNSPACED.test(run)) return STOP_WORDS.has(run) ? [] : [termOf(run)];
  const characters = [...run];
  return characters.length === 1 ? characters : characters.slice(1).map((next, at) => `${characters[at]}${next}`);
}

function countAll(terms: readonly string[]): Counts {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
