// Reads the vectors of a generation back, with the notes and chunks that they are of.
import type { ErrorCode } from '../../../base/errors.ts';
import type { NotePath } from '../../../base/note.ts';
import type { EmbeddedChunk, EmbeddedNote, VectorChanges } from '../../../contracts/vectors.ts';
import type { Rows } from '../database/rows.ts';
import { vectorFrom } from '../vectors/vector-codes.ts';

const SLICE = 100;

interface Embedded {
  readonly file: number;
  readonly path: NotePath;
  readonly hash: string;
}

interface Failed {
  readonly ordinal: number;
  readonly from_line: number;
  readonly to_line: number;
  readonly hash: string;
  readonly code: ErrorCode;
  readonly reason: string;
}

type Vector = VectorChanges['vectors'][number];

export function* storedVectors(rows: Rows, generation: number): Iterable<VectorChanges> {
  const sql = `SELECT file, path, files.hash FROM embedded JOIN files ON files.id = file
    WHERE generation = ? AND embedded.hash = files.hash ORDER BY path`;
  const notes = rows.all<Embedded>(sql, generation);
  for (let from = 0; from < notes.length; from += SLICE) {
    const vectors: Vector[] = [];
    const part = notes.slice(from, from + SLICE).map((note) => embeddedNote(rows, generation, note, vectors));
    yield { vectors, notes: part };
  }
}

/** @param vectors gets those of the note */
function embeddedNote(rows: Rows, generation: number, { file, path, hash }: Embedded, vectors: Vector[]): EmbeddedNote {
  const chunks: EmbeddedChunk[] = [];
  const sql = 'SELECT ordinal, from_line, to_line, vector FROM chunks WHERE generation = ? AND file = ?';
  for (const [ordinal, from, to, id] of rows.tuples<[number, number, number, number]>(sql, generation, file)) {
    const [found] = rows.checked<{ hash: string; embedding: Uint8Array }>('SELECT * FROM vectors WHERE id = ?', id);
    if (found === undefined) continue;
    vectors.push({ hash: found.hash, vector: vectorFrom(found.embedding) });
    chunks[ordinal] = { hash: found.hash, lines: [from, to] };
  }
  const failed = 'SELECT * FROM failed_chunks WHERE generation = ? AND file = ?';
  for (const row of rows.checked<Failed>(failed, generation, file)) {
    const { ordinal, from_line: from, to_line: to, code, reason } = row;
    chunks[ordinal] ??= { hash: row.hash, lines: [from, to], failure: { code, reason } };
  }
  return { path, hash, chunks: chunks.filter((chunk) => chunk !== undefined) };
}
