// The distinctive words of each group of notes, from titles and tags.
import type { PicturedNote } from '../../contracts/graph-picture.ts';
import { functionWordsIn } from '../search/function-words.ts';

const MAX_WORDS = 2;
/** Notes of the group with the word. */
const LEAST_NOTES = 2;
/** Of all notes with a distinctive word, at least this share is in the group. */
const LEAST_SHARE = 0.5;

type Counts = Map<string, number>;

/** One list per group, best word first. @param hubs the title of each group, whose words are not repeated */
export function groupWords(notes: readonly PicturedNote[], hubs: readonly string[]): readonly (readonly string[])[] {
  const [all, groups] = [new Map<string, number>(), hubs.map((): Counts => new Map())];
  for (const note of notes)
    for (const word of wordsOf(note)) {
      add(all, word);
      const own = groups[note.group];
      if (own !== undefined) add(own, word);
    }
  return groups.map((counts, group) => distinctive(counts, all, new Set(split(hubs[group] ?? ''))));
}

function distinctive(counts: Counts, all: Counts, known: ReadonlySet<string>): string[] {
  const scored = [...counts].flatMap(([word, count]) => {
    const share = count / (all.get(word) ?? count);
    return count < LEAST_NOTES || share < LEAST_SHARE || known.has(word) ? [] : [{ word, score: count * share }];
  });
  scored.sort((a, b) => b.score - a.score || (a.word < b.word ? -1 : 1));
  return scored.slice(0, MAX_WORDS).map(({ word }) => word);
}

/** Each once: a word counts for the notes that have it. */
function wordsOf({ title, tags }: PicturedNote): ReadonlySet<string> {
  const words = split(`${title} ${tags.join(' ')}`);
  const { words: without } = functionWordsIn(words);
  return new Set(words.filter((word) => !without.has(word)));
}

/** Words of at least two ideographs or three letters; no numbers. */
function split(text: string): string[] {
  const words =
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/\p{L}[\p{L}\p{M}\p{N}]*/gu) ?? [];
  return words.filter(
    (word) => word.length >= (/[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}]/u.test(word) ? 2 : 3),
  );
}

const add = (counts: Counts, word: string): void => void counts.set(word, (counts.get(word) ?? 0) + 1);
