// Deletes what no longer serves: rows of dropped generations and vectors of no chunk. A few at a time, each slice a transaction of its own.
import type { Rows } from '../database/rows.ts';

/** Rows of one slice: each of the vectors takes a page or more. */
const SLICE = 2_000;

const TABLES_OF_NOTES = ['chunks', 'embedded', 'failed_chunks'];

/** @returns whether there may be more of it */
export function deleteDropped(rows: Rows): boolean {
  const [dropped] = rows.column<number>(`SELECT id FROM generations WHERE state = 'dropped' LIMIT 1`);
  if (dropped === undefined) return false;
  const vectors = rows.column<number>('SELECT id FROM vectors WHERE generation = ? LIMIT ?', dropped, SLICE);
  if (vectors.length > 0) {
    deleteVectors(rows, vectors);
    return true;
  }
  for (const table of TABLES_OF_NOTES) rows.run(`DELETE FROM ${table} WHERE generation = ?`, dropped);
  rows.run('DELETE FROM generations WHERE id = ?', dropped);
  return true;
}

/** @returns whether there may be more of it */
export function deleteUnused(rows: Rows): boolean {
  const sql = `SELECT id FROM vectors
    WHERE id NOT IN (SELECT vector FROM chunks) AND id NOT IN (SELECT centroid FROM embedded WHERE centroid IS NOT NULL) LIMIT ?`;
  const unused = rows.column<number>(sql, SLICE);
  deleteVectors(rows, unused);
  return unused.length === SLICE;
}

function deleteVectors(rows: Rows, ids: readonly number[]): void {
  rows.run('DELETE FROM vectors WHERE id IN (SELECT value FROM json_each(?))', JSON.stringify(ids));
}
