// Remembers in how many notes a term stands, for as long as the index does not change.
import type { NotePath } from '../../../base/note.ts';
import type { TermPlace, TextField, TextTerm } from '../../../contracts/store.ts';
import { matchTerm, spacedText } from '../database/full-text.ts';
import type { Rows } from '../database/rows.ts';

const KEPT_TERMS = 1_000;

export interface TermCounts {
  /** Notes, canvases and bases whose text is indexed. */
  indexed(rows: Rows): number;
  /** How many of them hold a quoted term, counted no further than one more than `most`. */
  holding(rows: Rows, quoted: string, most: number): number;
}

export function createTermCounts(): TermCounts {
  const kept = new Map<string, number>();
  let indexed: number | undefined;
  let revision: number | undefined;
  const forgetOlder = (rows: Rows): void => {
    const [now] = rows.column<number>('SELECT revision FROM state');
    if (now !== revision) indexed = undefined;
    if (now !== revision || kept.size >= KEPT_TERMS) kept.clear();
    revision = now;
  };
  return Object.freeze({
    indexed: (rows: Rows) => {
      forgetOlder(rows);
      indexed ??= rows.column<number>('SELECT count(*) FROM contents')[0] ?? 0;
      return indexed;
    },
    holding: (rows: Rows, quoted: string, most: number) => {
      forgetOlder(rows);
      const known = kept.get(quoted);
      if (known !== undefined) return known;
      const sql = 'SELECT count(*) FROM (SELECT 1 FROM texts WHERE texts MATCH ? LIMIT ?)';
      const [count = 0] = rows.column<number>(sql, quoted, most + 1);
      kept.set(quoted, count);
      return count;
    },
  });
}

/** The columns of full-text search. */
const FIELDS: readonly TextField[] = ['title', 'aliases', 'headings', 'tags', 'body'];

/** In the order asked; a term without a word stands nowhere. */
export function termPlaces(rows: Rows, path: NotePath, terms: readonly TextTerm[]): TermPlace[] {
  const [file] = rows.column<number>('SELECT id FROM files WHERE path = ?', path);
  return terms.map((term) => {
    const quoted = matchTerm(term);
    if (quoted === undefined) return { fields: [], notes: 0 };
    const [notes = 0] = rows.column<number>('SELECT count(*) FROM texts WHERE texts MATCH ?', quoted);
    const isIn = (field: TextField): boolean => file !== undefined && stands(rows, file, `{${field}} : ${quoted}`);
    return { fields: FIELDS.filter(isIn), notes };
  });
}

/** Beside a match the engine takes no row id for one that is bound as a floating number. */
function stands(rows: Rows, file: number, expression: string): boolean {
  const sql = 'SELECT 1 FROM texts WHERE texts MATCH ? AND rowid = CAST(? AS INTEGER)';
  return rows.column(sql, expression, file).length > 0;
}

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
