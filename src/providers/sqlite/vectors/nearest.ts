// Finds the notes nearest to a vector, by their chunks or by their means. Every cosine is computed from the stored floats.
import type { NotePath } from '../../../base/note.ts';
import type { NoteFilter } from '../../../contracts/note-filter.ts';
import type { VectorHit } from '../../../contracts/vectors.ts';
import type { Rows } from '../database/rows.ts';
import type { Conditions } from '../read/note-conditions.ts';
import { titled } from '../read/note-names.ts';
import { generationNow } from './generation-rows.ts';
import type { KeptCodes } from './kept-codes.ts';
import { narrowSearch } from './narrow-search.ts';
import { bytesOf, unitVector } from './unit-vector.ts';

export interface Question {
  readonly generation: number;
  readonly vector: Float32Array;
  readonly filter: NoteFilter;
  readonly limit: number;
}

interface NoteRow {
  readonly file: number;
  readonly path: NotePath;
  readonly title: string | null;
  readonly modifiedMs: number;
  readonly distance: number;
}

interface Lines {
  readonly fromLine: number;
  readonly toLine: number;
}

/** Beside `min` stand the lines of the chunk it came from. */
const BEST_CHUNK = `SELECT file, from_line AS fromLine, to_line AS toLine, min(vec_distance_cosine(embedding, ?)) AS distance
  FROM chunks CROSS JOIN vectors ON vectors.id = vector WHERE chunks.generation = ?`;

export function nearestChunks(rows: Rows, kept: KeptCodes, question: Question): VectorHit[] {
  const { generation, limit } = question;
  const open = generationNow(rows, generation);
  if (open === undefined) return [];
  const vector = unitVector(question.vector, open.dims);
  const compare = ({ sql, values }: Conditions) =>
    rows.all<NoteRow & Lines>(
      `SELECT file, path, title, modified AS modifiedMs, fromLine, toLine, distance
       FROM (${BEST_CHUNK} AND ${sql} GROUP BY file) CROSS JOIN files ON files.id = file ORDER BY distance, path LIMIT ?`,
      ...[bytesOf(vector), generation, ...values, limit],
    );
  return narrowSearch({ ...question, rows, kept, open, coded: 'chunks', vector }, compare).map((row) => hit(row, row));
}

/** By their means. The lines are those of the chunk nearest to the vector. */
export function nearestNotes(
  rows: Rows,
  kept: KeptCodes,
  question: Question,
  without: readonly NotePath[],
): VectorHit[] {
  const { generation, limit } = question;
  const open = generationNow(rows, generation);
  if (open === undefined) return [];
  const vector = unitVector(question.vector, open.dims);
  const compare = ({ sql, values }: Conditions) =>
    rows.all<NoteRow>(
      `SELECT file, path, title, modified AS modifiedMs, vec_distance_cosine(embedding, ?) AS distance
       FROM embedded CROSS JOIN vectors ON vectors.id = centroid CROSS JOIN files ON files.id = file
       WHERE embedded.generation = ? AND ${sql} ORDER BY distance, path LIMIT ?`,
      ...[bytesOf(vector), generation, ...values, limit + without.length],
    );
  const unwanted = new Set(without);
  const search = { ...question, rows, kept, open, coded: 'notes', vector, limit: limit + without.length } as const;
  const found = narrowSearch(search, compare).filter(({ path }) => !unwanted.has(path));
  return found.slice(0, limit).map((row) => {
    const chunk = rows.first<Lines>(`${BEST_CHUNK} AND file = ?`, bytesOf(vector), generation, row.file);
    return hit(row, chunk ?? { fromLine: 0, toLine: 0 });
  });
}

function hit({ path, title, modifiedMs, distance }: NoteRow, { fromLine, toLine }: Lines): VectorHit {
  return { ...titled({ path, title }), modifiedMs, lines: [fromLine, toLine], cosine: 1 - distance };
}
