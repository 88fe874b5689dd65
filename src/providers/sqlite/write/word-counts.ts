// In how many notes words stand, remembered for as long as the index does not change.

import type { Rows } from '../database/rows.ts';
import { matchTerm } from '../read/match-expression.ts';
import { spacedText } from './spaced-text.ts';

const KEPT_WORDS = 30_000;

/** The words of the index as the engine tells of them; it belongs to this connection alone. */
const VOCABULARY = `CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5vocab (main, texts, 'row')`;

interface WordCounts {
  readonly indexed: number;
  readonly holding: readonly number[];
}

export function createWordCounts(): (rows: Rows, words: readonly string[]) => WordCounts {
  const kept = new Map<string, number>();
  let revision: number | undefined;
  return (rows, words) => {
    const [now] = rows.column<number>('SELECT revision FROM state');
    if (now !== revision || kept.size >= KEPT_WORDS) kept.clear();
    revision = now;
    rows.run(VOCABULARY);
    const holding = words.map((word) => {
      const count = kept.get(word) ?? countNotes(rows, word);
      kept.set(word, count);
      return count;
    });
    const [indexed = 0] = rows.column<number>('SELECT count(*) FROM contents');
    return { indexed, holding };
  };
}

/** Ascending as the engine sorts them. */
export function wordsFrom(
  rows: Rows,
  start: string,
  limit: number,
): { readonly word: string; readonly holding: number }[] {
  rows.run(VOCABULARY);
  const sql = 'SELECT term AS word, doc AS holding FROM temp.words WHERE term >= ? AND term < ? LIMIT ?';
  return rows.all(sql, start, `${start}\u{10ffff}`, limit);
}

function countNotes(rows: Rows, text: string): number {
  const quoted = matchTerm({ text, kind: 'phrase' });
  if (quoted === undefined) return 0;
  // One word is looked up as the index spells it; what it has as several has to stand together.
  if (spacedText(text) === text) {
    const [count = 0] = rows.column<number>('SELECT doc FROM temp.words WHERE term = ?', text);
    if (count > 0) return count;
  }
  return rows.column<number>('SELECT count(*) FROM texts WHERE texts MATCH ?', quoted)[0] ?? 0;
}
