// Raises the best notes of a search whose names are in the query, and those that one of the first notes names.
import { type NotePath, noteName } from '../../../base/note.ts';
import { idf } from '../../../postings/rank.ts';
import type { TextIndex } from '../../../postings/text-index.ts';
import { type SoughtWords, soughtWords, wordsOf } from '../../../postings/words.ts';
import type { Rows } from '../database/rows.ts';

/** The notes that can be raised: so many of the best. */
export const MAX_RAISED = 20;
/** Those that are looked through for the names of others. */
const MAX_NAMING = 3;
/** A name in the query adds so much of what its words weigh. */
const NAME_SHARE = 0.5;
/** A name in one of the first notes adds up to so much of a note's own score. */
const NAMED_SHARE = 0.3;

export interface RankedNote {
  /** In the index. */
  readonly note: number;
  /** The id of its file. */
  readonly id: number;
  readonly bm25: number;
  readonly score: number;
  /** The share of the score because the query has its name. */
  readonly inQuery?: number;
  /** The share of the score because the note `by` has its name. */
  readonly named?: { readonly by: number; readonly share: number };
}

/**
 * @param best the best notes, first to last
 * @param asked the whole query
 * @param wanted the words that were looked for
 * @returns the same notes with other scores, in the same order
 */
export function raiseNamed(
  rows: Rows,
  index: TextIndex,
  best: readonly RankedNote[],
  { asked, wanted }: { readonly asked: string; readonly wanted: readonly SoughtWords[] },
): RankedNote[] {
  const names = namesOf(rows, best);
  const text = spaced(wordsOf(asked));
  const weigh = weightOfWords(index, wanted);
  const raised = best.map((one) => {
    const shares = (names.get(one.id) ?? []).filter((name) => text.includes(spaced(name))).map(weigh);
    const inQuery = NAME_SHARE * Math.max(0, ...shares);
    return inQuery === 0 ? one : { ...one, score: one.score + inQuery, inQuery };
  });
  const naming = raised.toSorted((one, other) => other.score - one.score).slice(0, MAX_NAMING);
  const namedBy = createNamedBy(index, naming);
  return raised.map((one) => {
    const others = (names.get(one.id) ?? []).filter((name) => !text.includes(spaced(name)));
    const named = namedBy(one, others);
    return named === undefined ? one : { ...one, score: one.score + named.share, named };
  });
}

const spaced = (words: readonly string[]): string => ` ${words.join(' ')} `;

/** What a name says beside itself: `Mercury (planet)`. */
const ASIDE = /[\s_]*[([（].*$/u;

/** The words of each name of each note, with and without an aside. */
function namesOf(rows: Rows, notes: readonly RankedNote[]): ReadonlyMap<number, readonly (readonly string[])[]> {
  const ids = JSON.stringify(notes.map(({ id }) => id));
  const among = '(SELECT value FROM json_each(?))';
  const files = rows.all<{ file: number; name: string }>(
    `SELECT id AS file, path AS name FROM files WHERE id IN ${among}`,
    ids,
  );
  const others = rows.all<{ file: number; name: string }>(
    `SELECT file, name FROM names WHERE file IN ${among} AND kind <> 'address'`,
    ids,
  );
  const all = [...files.map(({ file, name }) => ({ file, name: noteName(name as NotePath) })), ...others];
  const byFile = Map.groupBy(all, ({ file }) => file);
  return new Map([...byFile].map(([file, names]) => [file, distinctNames(names.map(({ name }) => name))]));
}

function distinctNames(names: readonly string[]): (readonly string[])[] {
  const forms = names.flatMap((name) => [name, name.replace(ASIDE, '')]).map((name) => wordsOf(name));
  return [...new Map(forms.map((words) => [words.join(' '), words])).values()].filter(({ length }) => length > 0);
}

/** The sum of the weights of the words of a name that the query looks for. */
function weightOfWords(index: TextIndex, wanted: readonly SoughtWords[]): (name: readonly string[]) => number {
  const sought = new Set(wanted.flatMap(({ words }) => words.map((word) => Buffer.from(word).toString())));
  const weightOf = (text: string): number => {
    const word = soughtWords({ text, kind: 'word' });
    return word === undefined ? 0 : idf(index.live, index.count(word, index.live));
  };
  return (name) => name.reduce((sum, word) => (sought.has(word) ? sum + weightOf(word) : sum), 0);
}

/** Finds which of the naming notes has a name of another note; the rarer the name, the larger the share. */
function createNamedBy(index: TextIndex, naming: readonly RankedNote[]) {
  const named = new Map<string, readonly RankedNote[]>();
  const notesWith = index.among(naming.map(({ note }) => note));
  /** The naming notes with the words. */
  const holding = (sought: SoughtWords): readonly RankedNote[] => {
    const notes = notesWith(sought);
    return naming.filter(({ note }) => notes.has(note));
  };
  const holdingWord = (text: string): readonly RankedNote[] => {
    const sought = named.has(text) ? undefined : soughtWords({ text, kind: 'word' });
    if (sought !== undefined) named.set(text, holding(sought));
    return named.get(text) ?? [];
  };
  return ({ note, score }: RankedNote, names: readonly (readonly string[])[]): RankedNote['named'] => {
    let best: RankedNote['named'];
    for (const words of names) {
      // Most names have a word that none of the naming notes has.
      if (!naming.some((one) => one.note !== note && words.every((word) => holdingWord(word).includes(one)))) continue;
      const sought = soughtWords({ text: words.join(' '), kind: 'phrase' });
      const by = sought && holding(sought).find((one) => one.note !== note);
      if (sought === undefined || by === undefined) continue;
      const rarity = Math.min(1, idf(index.live, index.tally(sought).count) / Math.log(1 + index.live));
      const share = NAMED_SHARE * score * rarity;
      if (share > (best?.share ?? 0)) best = { by: by.id, share };
    }
    return best;
  };
}
