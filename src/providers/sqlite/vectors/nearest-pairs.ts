// Finds the passages by which two notes are near each other. Ranks no notes.
import type { NotePath } from '../../../base/note.ts';
import type { ChunkPair } from '../../../contracts/vectors.ts';
import type { Rows } from '../database/rows.ts';
import { generationNow } from './generation-rows.ts';

interface PairRow {
  readonly fromLine: number | null;
  readonly toLine: number;
  readonly otherFrom: number;
  readonly otherTo: number;
}

const CHUNKS = `chunks.file = (SELECT id FROM files WHERE path = ?) AND chunks.generation = ?`;

/** Beside `min` stand the lines of the two chunks it came from; of equals the first. */
const NEAREST = `WITH
  one AS MATERIALIZED (SELECT ordinal, from_line, to_line, embedding FROM chunks CROSS JOIN vectors ON vectors.id = vector WHERE ${CHUNKS}),
  other AS MATERIALIZED (SELECT ordinal, from_line, to_line, embedding FROM chunks CROSS JOIN vectors ON vectors.id = vector WHERE ${CHUNKS})
  SELECT one.from_line AS fromLine, one.to_line AS toLine, other.from_line AS otherFrom, other.to_line AS otherTo,
    min(vec_distance_cosine(one.embedding, other.embedding)) AS distance FROM one CROSS JOIN other`;

export function nearestPairs(
  rows: Rows,
  generation: number,
  path: NotePath,
  others: readonly NotePath[],
): ReadonlyMap<NotePath, ChunkPair> {
  const pairs = new Map<NotePath, ChunkPair>();
  if (generationNow(rows, generation) === undefined) return pairs;
  for (const other of others) {
    const row = rows.first<PairRow>(NEAREST, path, generation, other, generation);
    if (row === undefined || row.fromLine === null) continue;
    pairs.set(other, { lines: [row.fromLine, row.toLine], otherLines: [row.otherFrom, row.otherTo] });
  }
  return pairs;
}
