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
