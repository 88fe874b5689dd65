// Deletes chunks of changed and removed notes, the rows of dropped generations, and vectors that no chunk uses.
import type { Rows } from '../database/rows.ts';

const TABLES_BY_NOTE = ['chunks', 'embedded', 'failed_chunks'];

/** For a note with new content. Its row in `embedded` stays, so that caches in other processes see that the chunks are gone. */
export function deleteOutdatedChunks(rows: Rows, file: number): void {
  for (const generation of generationsOf(rows, file)) deleteOutdatedIn(rows, generation, file);
}

export function deleteOutdatedIn(rows: Rows, generation: number, file: number): void {
  rows.run('DELETE FROM chunks WHERE generation = ? AND file = ?', generation, file);
  rows.update('generations', ['revision = revision + 1'], ['id = ?', generation]);
  const set = `hash = NULL, chunks = 0, failed = 0, centroid = NULL, code = NULL,
    revision = (SELECT revision FROM generations WHERE id = generation)`;
  rows.update('embedded', [set], ['generation = ? AND file = ?', generation, file]);
}

/** For a note that is gone. */
export function deleteChunks(rows: Rows, file: number): void {
  for (const generation of generationsOf(rows, file)) {
    for (const table of TABLES_BY_NOTE)
      rows.run(`DELETE FROM ${table} WHERE generation = ? AND file = ?`, generation, file);
    rows.update('generations', ['revision = revision + 1, removed = removed + 1'], ['id = ?', generation]);
  }
}

function generationsOf(rows: Rows, file: number): number[] {
  const sql = 'SELECT generation FROM embedded WHERE generation IN (SELECT id FROM generations) AND file = ?';
  return rows.column<number>(sql, file);
}

/** Vectors deleted per transaction; each takes a page or more. */
const MAX_VECTORS = 2_000;

/** Deletes one batch. @returns whether there may be more to delete */
export function deleteDropped(rows: Rows): boolean {
  const dropped = rows.value<number>(`SELECT id FROM generations WHERE state = 'dropped' LIMIT 1`);
  if (dropped === undefined) return false;
  const vectors = rows.column<number>('SELECT id FROM vectors WHERE generation = ? LIMIT ?', dropped, MAX_VECTORS);
  if (vectors.length > 0) {
    deleteVectors(rows, vectors);
    return true;
  }
  for (const table of TABLES_BY_NOTE) rows.run(`DELETE FROM ${table} WHERE generation = ?`, dropped);
  rows.run('DELETE FROM generations WHERE id = ?', dropped);
  return true;
}

/** Deletes one batch. @returns whether there may be more to delete */
export function deleteUnused(rows: Rows): boolean {
  const sql = `SELECT id FROM vectors
    WHERE id NOT IN (SELECT vector FROM chunks) AND id NOT IN (SELECT centroid FROM embedded WHERE centroid IS NOT NULL) LIMIT ?`;
  const unused = rows.column<number>(sql, MAX_VECTORS);
  deleteVectors(rows, unused);
  return unused.length === MAX_VECTORS;
}

function deleteVectors(rows: Rows, ids: readonly number[]): void {
  rows.run('DELETE FROM vectors WHERE id IN (SELECT value FROM json_each(?))', JSON.stringify(ids));
}
