// What a generation holds and lacks of the notes: pending ones, held texts, failed chunks. Compares no vectors.
import type { NotePath } from '../../../base/note.ts';
import type { Page } from '../../../contracts/note-filter.ts';
import type { FailedChunk, UnembeddedNote } from '../../../contracts/vectors.ts';
import type { Rows } from '../database/rows.ts';
import { titled } from '../read/note-names.ts';
import { generationNow } from './generation-rows.ts';
import { vectorIn } from './unit-vector.ts';

const LACKING = `NOT EXISTS (SELECT 1 FROM embedded WHERE generation = ? AND file = files.id AND hash IS NOT NULL)`;
const LACKING_ANY = `NOT EXISTS (SELECT 1 FROM embedded WHERE generation = ? AND file = files.id AND hash IS NOT NULL AND failed = 0)`;

/** A generation that is gone lacks nothing any more. */
export function unembedded(
  rows: Rows,
  generation: number,
  after: string,
  limit: number,
  withFailures: boolean,
): UnembeddedNote[] {
  if (generationNow(rows, generation) === undefined) return [];
  const sql = `SELECT path, title, hash FROM files
    WHERE path > ? AND kind = 'note' AND hash IS NOT NULL AND ${withFailures ? LACKING_ANY : LACKING} ORDER BY path LIMIT ?`;
  type Row = Omit<UnembeddedNote, 'title'> & { readonly title: string | null };
  return rows.all<Row>(sql, after, generation, limit).map(titled);
}

export function heldVectors(rows: Rows, generation: number, hashes: readonly string[]): ReadonlySet<string> {
  if (generationNow(rows, generation) === undefined) return new Set();
  const sql = 'SELECT hash FROM vectors WHERE generation = ? AND hash IN (SELECT value FROM json_each(?))';
  return new Set(rows.column<string>(sql, generation, JSON.stringify(hashes)));
}

type FailedRow = Omit<FailedChunk, 'lines'> & { readonly from_line: number; readonly to_line: number };

export function failedChunks(rows: Rows, generation: number, { limit, offset }: Page): FailedChunk[] {
  if (generationNow(rows, generation) === undefined) return [];
  const sql = `SELECT path, ordinal AS chunk, from_line, to_line, failed_chunks.code, reason, attempts, first, last
    FROM failed_chunks JOIN files ON files.id = failed_chunks.file JOIN embedded USING (generation, file)
    WHERE generation = ? AND embedded.hash IS NOT NULL ORDER BY path, ordinal LIMIT ? OFFSET ?`;
  return rows
    .all<FailedRow>(sql, generation, limit, offset)
    .map(({ from_line, to_line, ...failed }) => ({ ...failed, lines: [from_line, to_line] }));
}

export function noteVector(rows: Rows, generation: number, path: NotePath): Float32Array | null {
  if (generationNow(rows, generation) === undefined) return null;
  const sql = `SELECT embedding FROM files CROSS JOIN embedded ON file = files.id CROSS JOIN vectors ON vectors.id = centroid
    WHERE path = ? AND embedded.generation = ?`;
  const [embedding] = rows.column<Uint8Array>(sql, path, generation);
  return embedding === undefined ? null : vectorIn(embedding);
}
