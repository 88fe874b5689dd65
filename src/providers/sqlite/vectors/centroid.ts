// Settles, once a generation holds many vectors, what their codes are taken around, and gives those already there their codes.
import type { Rows } from '../database/rows.ts';
import { codeOf, FEW_FLOATS, middleOf } from './sign-codes.ts';
import { bytesOf, vectorIn } from './unit-vector.ts';

/** From then on it stays: a middle of the first few thousand vectors serves as well as one of all. @returns null while there are few */
export function settleMiddle(rows: Rows, generation: number, dims: number): Float32Array | null {
  const [held = 0] = rows.column<number>('SELECT count(*) FROM vectors WHERE generation = ?', generation);
  if (held * dims <= FEW_FLOATS) return null;
  const sql = 'SELECT id, embedding FROM vectors WHERE generation = ?';
  const vectors = new Map(
    rows.tuples<[number, Uint8Array]>(sql, generation).map(([id, embedding]) => [id, vectorIn(embedding)]),
  );
  const middle = middleOf([...vectors.values()], dims);
  rows.run('UPDATE generations SET middle = ? WHERE id = ?', bytesOf(middle), generation);
  const codes = new Map([...vectors].map(([id, vector]) => [id, codeOf(vector, middle)]));
  writeCodes(rows, generation, codes);
  return middle;
}

function writeCodes(rows: Rows, generation: number, codes: ReadonlyMap<number, Uint8Array>): void {
  const chunks = 'SELECT file, ordinal, vector FROM chunks WHERE generation = ?';
  for (const [file, ordinal, vector] of rows.tuples<[number, number, number]>(chunks, generation)) {
    const sql = 'UPDATE chunks SET code = ? WHERE generation = ? AND file = ? AND ordinal = ?';
    rows.run(sql, codes.get(vector) ?? null, generation, file, ordinal);
  }
  const means = 'SELECT file, centroid FROM embedded WHERE generation = ? AND centroid IS NOT NULL';
  for (const [file, centroid] of rows.tuples<[number, number]>(means, generation)) {
    const sql = 'UPDATE embedded SET code = ? WHERE generation = ? AND file = ?';
    rows.run(sql, codes.get(centroid) ?? null, generation, file);
  }
}
