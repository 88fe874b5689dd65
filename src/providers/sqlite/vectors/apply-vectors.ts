// Writes vectors and the notes that they complete, in one transaction.
import { VaultgraphError } from '../../../base/errors.ts';
import type { EmbeddedChunk, EmbeddedNote, VectorChanges } from '../../../contracts/vectors.ts';
import type { Rows } from '../database/rows.ts';
import { existingGeneration } from './generations.ts';
import {
  bytesOf,
  centroidOf,
  codeOf,
  MAX_COMPARED_FLOATS,
  meanDirection,
  unitVector,
  vectorFrom,
} from './vector-codes.ts';

interface WriteContext {
  readonly rows: Rows;
  readonly generation: number;
  readonly revision: number;
  readonly now: string;
  /** Null while the generation needs no codes. */
  readonly centroid: Float32Array | null;
}

interface StoredVector {
  readonly id: number;
  readonly embedding: Float32Array;
}

/** Runs in a transaction of the caller. @param checkCancelled throws once the caller has cancelled; called between notes */
export function applyVectors(
  rows: Rows,
  generation: number,
  { vectors, notes }: VectorChanges,
  now: string,
  checkCancelled: () => void,
): void {
  const { dims, revision: before, centroid } = existingGeneration(rows, generation);
  for (const { hash, vector } of vectors) insertVector(rows, generation, hash, unitVector(vector, dims));
  const context = {
    rows,
    generation,
    revision: before + 1,
    now,
    centroid: centroid ?? computeCentroid(rows, generation, dims),
  };
  for (const note of notes) {
    checkCancelled();
    writeNote(context, note);
  }
  rows.update('generations', ['revision = ?', context.revision], ['id = ?', generation]);
}

/** The same text has the same vector, so an existing row stays. */
function insertVector(rows: Rows, generation: number, hash: string, vector: Float32Array): void {
  const sql = 'INSERT INTO vectors (generation, hash, embedding) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
  rows.run(sql, generation, hash, bytesOf(vector));
}

function writeNote(context: WriteContext, { path, hash, chunks }: EmbeddedNote): void {
  const { rows, generation } = context;
  const stored = chunks.map((chunk) => (chunk.failure === undefined ? storedVector(context, chunk) : undefined));
  const file = rows.value<number>('SELECT id FROM files WHERE path = ? AND hash = ?', path, hash);
  if (file === undefined) return;
  rows.run('DELETE FROM chunks WHERE generation = ? AND file = ?', generation, file);
  for (const [ordinal, vector] of stored.entries()) {
    if (vector !== undefined) writeChunk(context, file, ordinal, chunks[ordinal] as EmbeddedChunk, vector);
  }
  const failed = writeFailures(context, file, chunks);
  const [first, ...others] = stored.filter((vector) => vector !== undefined);
  const mean = first === undefined ? undefined : meanVector(context, [first, ...others]);
  rows.run(
    `INSERT OR REPLACE INTO embedded (generation, file, revision, hash, chunks, failed, centroid, code)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[generation, file, context.revision, hash, chunks.length - failed, failed],
    ...[mean?.id ?? null, mean === undefined ? null : codeFor(context, mean)],
  );
}

function storedVector({ rows, generation }: WriteContext, { hash }: EmbeddedChunk): StoredVector {
  const sql = 'SELECT id, embedding FROM vectors WHERE generation = ? AND hash = ?';
  const row = rows.first<{ id: number; embedding: Uint8Array }>(sql, generation, hash);
  if (row === undefined) throw new VaultgraphError('INTERNAL', { kind: 'chunk_without_vector' });
  return { id: row.id, embedding: vectorFrom(row.embedding) };
}

function writeChunk(
  context: WriteContext,
  file: number,
  ordinal: number,
  { lines }: EmbeddedChunk,
  vector: StoredVector,
): void {
  context.rows.run(
    'INSERT INTO chunks (generation, file, ordinal, from_line, to_line, vector, code) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ...[context.generation, file, ordinal, ...lines, vector.id, codeFor(context, vector)],
  );
}

function codeFor({ centroid }: WriteContext, { embedding }: StoredVector): Uint8Array | null {
  return centroid && codeOf(embedding, centroid);
}

/** If all chunks have the same vector, that vector is the mean and needs no copy. */
function meanVector(
  { rows, generation }: WriteContext,
  vectors: readonly [StoredVector, ...StoredVector[]],
): StoredVector {
  const [first, ...others] = vectors;
  if (others.every(({ id }) => id === first.id)) return first;
  const embedding = meanDirection([first.embedding, ...others.map((other) => other.embedding)]);
  const sql = 'INSERT INTO vectors (generation, hash, embedding) VALUES (?, NULL, ?)';
  return { id: rows.run(sql, generation, bytesOf(embedding)), embedding };
}

/** Keeps counting the attempts of chunks that failed before with the same text. @returns the number of failed chunks */
function writeFailures(
  { rows, generation, now }: WriteContext,
  file: number,
  chunks: readonly EmbeddedChunk[],
): number {
  const condition = 'generation = ? AND file = ?';
  const sql = `SELECT hash, attempts, first FROM failed_chunks WHERE ${condition}`;
  const before = new Map(
    rows.tuples<[string, number, string]>(sql, generation, file).map(([hash, ...earlier]) => [hash, earlier]),
  );
  rows.run(`DELETE FROM failed_chunks WHERE ${condition}`, generation, file);
  const failed = [...chunks.entries()].filter(([, { failure }]) => failure !== undefined);
  for (const [ordinal, { hash, lines, failure }] of failed) {
    const [attempts, first] = before.get(hash) ?? [0, now];
    rows.run(
      `INSERT INTO failed_chunks (generation, file, ordinal, from_line, to_line, hash, code, reason, attempts, first, last)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[generation, file, ordinal, ...lines, hash],
      ...[failure?.code ?? '', failure?.reason ?? '', attempts + 1, first, now],
    );
  }
  return failed.length;
}

/**
 * Computes the centroid once and codes every vector: the centroid of the first few thousand vectors is as good as that of all.
 * @returns null while there are few vectors
 */
function computeCentroid(rows: Rows, generation: number, dims: number): Float32Array | null {
  const count = rows.value<number>('SELECT count(*) FROM vectors WHERE generation = ?', generation) ?? 0;
  if (count * dims <= MAX_COMPARED_FLOATS) return null;
  const vectors = vectorsOf(rows, generation);
  const centroid = centroidOf([...vectors.values()], dims);
  writeCentroid(rows, generation, centroid, vectors);
  return centroid;
}

function vectorsOf(rows: Rows, generation: number): Map<number, Float32Array> {
  const sql = 'SELECT id, embedding FROM vectors WHERE generation = ?';
  return new Map(
    rows.tuples<[number, Uint8Array]>(sql, generation).map(([id, embedding]) => [id, vectorFrom(embedding)]),
  );
}

/** Codes every vector of the generation by this centroid. */
export function writeCentroid(
  rows: Rows,
  generation: number,
  centroid: Float32Array,
  vectors = vectorsOf(rows, generation),
): void {
  rows.update('generations', ['middle = ?', bytesOf(centroid)], ['id = ?', generation]);
  const codes = new Map([...vectors].map(([id, vector]) => [id, codeOf(vector, centroid)]));
  writeCodes(rows, generation, codes);
}

function writeCodes(rows: Rows, generation: number, codes: ReadonlyMap<number, Uint8Array>): void {
  const chunks = 'SELECT file, ordinal, vector FROM chunks WHERE generation = ?';
  for (const [file, ordinal, vector] of rows.tuples<[number, number, number]>(chunks, generation)) {
    const key = ['generation = ? AND file = ? AND ordinal = ?', generation, file, ordinal] as const;
    rows.update('chunks', ['code = ?', codes.get(vector) ?? null], key);
  }
  const embedded = 'SELECT file, centroid FROM embedded WHERE generation = ? AND centroid IS NOT NULL';
  for (const [file, centroid] of rows.tuples<[number, number]>(embedded, generation)) {
    const key = ['generation = ? AND file = ?', generation, file] as const;
    rows.update('embedded', ['code = ?', codes.get(centroid) ?? null], key);
  }
}

// Deletes chunks of changed and removed notes, the rows of dropped generations, and vectors that no chunk uses.

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
