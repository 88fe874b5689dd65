// Remembers in how many notes a term stands, for as long as the index does not change.
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
