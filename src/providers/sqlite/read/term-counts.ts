// Counts the notes that contain a term or a word, and finds the fields of a note that contain a term.
import type { NotePath } from '../../../base/note.ts';
import type { Store } from '../../../contracts/store.ts';
import type { TermPlace, TextTerm } from '../../../contracts/text-query.ts';
import { fieldsOf } from '../../../postings/fields.ts';
import type { TextIndex } from '../../../postings/text-index.ts';
import { soughtWords } from '../../../postings/words.ts';
import { createRevisionCache, memoize } from '../database/cache.ts';
import type { Rows } from '../database/rows.ts';
import type { TextIndexes } from '../texts/read-index.ts';
import type { KnownFiles } from './known-files.ts';

const MAX_CACHED_WORDS = 30_000;

type WordCounts = Awaited<ReturnType<Store['wordCounts']>>;

export function createWordCounts(rows: Rows, index: () => TextIndex): (words: readonly string[]) => WordCounts {
  const counts = createRevisionCache<string, number>(rows, MAX_CACHED_WORDS);
  return (words) => {
    const current = index();
    const count = (text: string): number => {
      const sought = soughtWords({ text, kind: 'phrase' });
      return sought === undefined ? 0 : current.count(sought, Number.POSITIVE_INFINITY);
    };
    return { indexed: current.live, docFrequencies: words.map(memoize(count, counts())) };
  };
}

/** Undamaged, of those of the notes that have any. */
export function termVectors({ rows, at }: KnownFiles, paths: readonly NotePath[]): Map<NotePath, Uint8Array> {
  const vectors = new Map<NotePath, Uint8Array>();
  for (const path of paths) {
    const file = at(path)?.id ?? null;
    const [row] = rows.checked<{ terms: Uint8Array }>('SELECT * FROM term_vectors WHERE file = ?', file);
    if (row !== undefined) vectors.set(path, row.terms);
  }
  return vectors;
}

/** In the order of `terms`. */
export function termPlaces(rows: Rows, texts: TextIndexes, path: NotePath, terms: readonly TextTerm[]): TermPlace[] {
  const index = texts.whole();
  const file = rows.value<number>('SELECT id FROM files WHERE path = ?', path);
  // A note that was indexed again is there several times, at last as it is now.
  const note = file === undefined ? -1 : index.files.lastIndexOf(file);
  return terms.map((term) => {
    const sought = soughtWords(term);
    if (sought === undefined) return { fields: [], notes: 0 };
    const { fields } = index.tally(sought);
    const ofNote = note === -1 ? [] : fieldsOf(fields[note] as number);
    return { fields: ofNote, notes: texts.listed().count(sought, Number.POSITIVE_INFINITY) };
  });
}
