// Takes chunks out of every generation once their note's content is no longer the one they were cut from.
import type { Rows } from '../database/rows.ts';

/** The note reads otherwise now: a row stays, so that whoever keeps its chunks in memory sees that they are gone. */
export function outdateChunks(rows: Rows, file: number): void {
  for (const generation of generationsOf(rows, file)) {
    rows.run('DELETE FROM chunks WHERE generation = ? AND file = ?', generation, file);
    rows.run('UPDATE generations SET revision = revision + 1 WHERE id = ?', generation);
    rows.run(
      `UPDATE embedded SET hash = NULL, chunks = 0, failed = 0, centroid = NULL, code = NULL,
       revision = (SELECT revision FROM generations WHERE id = generation) WHERE generation = ? AND file = ?`,
      ...[generation, file],
    );
  }
}

/** The file is gone, and all that was known of it. */
export function removeChunks(rows: Rows, file: number): void {
  for (const generation of generationsOf(rows, file)) {
    for (const table of ['chunks', 'embedded', 'failed_chunks']) {
      rows.run(`DELETE FROM ${table} WHERE generation = ? AND file = ?`, generation, file);
    }
    rows.run('UPDATE generations SET revision = revision + 1, removed = removed + 1 WHERE id = ?', generation);
  }
}

function generationsOf(rows: Rows, file: number): number[] {
  const sql = 'SELECT generation FROM embedded WHERE generation IN (SELECT id FROM generations) AND file = ?';
  return rows.column<number>(sql, file);
}

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
