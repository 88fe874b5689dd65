// Counts the notes that contain a term or a word, and finds the fields of a note that contain a term.
import type { NotePath } from '../../../base/note.ts';
import type { TermPlace, TextField, TextTerm } from '../../../contracts/store.ts';
import { createRevisionCache, memoize } from '../database/cache.ts';
import { quoteTerm, splitUnspaced } from '../database/full-text.ts';
import type { Rows } from '../database/rows.ts';

const MAX_CACHED_TERMS = 1_000;
const MAX_CACHED_WORDS = 30_000;

export interface TermCounts {
  /** The number of notes, canvases and bases whose text is indexed. */
  indexed(): number;
  /** How many of them contain a quoted term. Counting stops at `max` + 1. */
  notesWith(quoted: string, max: number): number;
}

export function createTermCounts(rows: Rows): TermCounts {
  const counts = createRevisionCache<string, number>(rows, MAX_CACHED_TERMS);
  const indexed = createRevisionCache<'indexed', number>(rows, Number.POSITIVE_INFINITY);
  return Object.freeze<TermCounts>({
    indexed: () => memoize(() => countIndexed(rows), indexed())('indexed'),
    notesWith: (quoted, max) => {
      const sql = 'SELECT count(*) FROM (SELECT 1 FROM texts WHERE texts MATCH ? LIMIT ?)';
      return memoize(() => rows.value<number>(sql, quoted, max + 1) ?? 0, counts())(quoted);
    },
  });
}

/** The terms of the index, as a table that exists for this connection only. */
const VOCABULARY = `CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5vocab (main, texts, 'row')`;

interface WordCounts {
  readonly indexed: number;
  readonly docFrequencies: readonly number[];
}

export function createWordCounts(rows: Rows): (words: readonly string[]) => WordCounts {
  const counts = createRevisionCache<string, number>(rows, MAX_CACHED_WORDS);
  return (words) => {
    rows.run(VOCABULARY);
    const docFrequencies = words.map(memoize((word) => countNotes(rows, word), counts()));
    return { indexed: countIndexed(rows), docFrequencies };
  };
}

/** Words of the index that begin with `start`, in the index's own order. */
export function wordsFrom(
  rows: Rows,
  start: string,
  limit: number,
): { readonly word: string; readonly docFrequency: number }[] {
  rows.run(VOCABULARY);
  const sql = 'SELECT term AS word, doc AS docFrequency FROM temp.words WHERE term >= ? AND term < ? LIMIT ?';
  return rows.all(sql, start, `${start}\u{10ffff}`, limit);
}

const FIELDS: readonly TextField[] = ['title', 'aliases', 'headings', 'tags', 'body'];

/** In the order of `terms`. */
export function termPlaces(rows: Rows, path: NotePath, terms: readonly TextTerm[]): TermPlace[] {
  const file = rows.value<number>('SELECT id FROM files WHERE path = ?', path);
  // FTS5 ignores a row id that is bound as a floating-point number, as every JavaScript number is.
  const sql = 'SELECT 1 FROM texts WHERE texts MATCH ? AND rowid = CAST(? AS INTEGER)';
  return terms.map((term) => {
    const quoted = quoteTerm(term);
    if (quoted === undefined) return { fields: [], notes: 0 };
    const isIn = (field: TextField): boolean =>
      file !== undefined && rows.value(sql, `{${field}} : ${quoted}`, file) !== undefined;
    return { fields: FIELDS.filter(isIn), notes: countMatches(rows, quoted) };
  });
}

function countNotes(rows: Rows, text: string): number {
  const quoted = quoteTerm({ text, kind: 'phrase' });
  if (quoted === undefined) return 0;
  // The vocabulary answers faster, but only for a text that is a single word in the spelling of the index.
  const sql = 'SELECT doc FROM temp.words WHERE term = ?';
  const count = splitUnspaced(text) === text ? (rows.value<number>(sql, text) ?? 0) : 0;
  return count > 0 ? count : countMatches(rows, quoted);
}

function countMatches(rows: Rows, quoted: string): number {
  return rows.value<number>('SELECT count(*) FROM texts WHERE texts MATCH ?', quoted) ?? 0;
}

function countIndexed(rows: Rows): number {
  return rows.value<number>('SELECT count(*) FROM contents') ?? 0;
}
