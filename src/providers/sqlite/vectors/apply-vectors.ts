// Writes vectors, and the notes that are complete with them, inside one transaction.
import { VaultgraphError } from '../../../base/errors.ts';
import type { EmbeddedChunk, EmbeddedNote, VectorChanges } from '../../../contracts/vectors.ts';
import type { Rows } from '../database/rows.ts';
import { writableGeneration } from './generations.ts';
import { bytesOf, codeOf, FEW_FLOATS, meanDirection, middleOf, unitVector, vectorIn } from './vector-codes.ts';

/** What one set of changes is written with. */
interface Writing {
  readonly rows: Rows;
  readonly generation: number;
  readonly revision: number;
  readonly now: string;
  /** What codes are taken around; null while none are needed. */
  readonly middle: Float32Array | null;
}

interface StoredVector {
  readonly id: number;
  readonly embedding: Float32Array;
}

/** Runs inside the transaction that its caller began. `stop` throws when the caller has given up; it is asked between notes. */
export function applyVectors(
  rows: Rows,
  generation: number,
  { vectors, notes }: VectorChanges,
  now: string,
  stop: () => void,
): void {
  const { dims, revision: before, middle } = writableGeneration(rows, generation);
  for (const { hash, vector } of vectors) keepVector(rows, generation, hash, unitVector(vector, dims));
  const writing = {
    rows,
    generation,
    revision: before + 1,
    now,
    middle: middle ?? settleMiddle(rows, generation, dims),
  };
  for (const note of notes) {
    stop();
    writeNote(writing, note);
  }
  rows.run('UPDATE generations SET revision = ? WHERE id = ?', writing.revision, generation);
}

/** The same text has the same vector: one that is held stays. */
function keepVector(rows: Rows, generation: number, hash: string, vector: Float32Array): void {
  const sql = 'INSERT INTO vectors (generation, hash, embedding) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
  rows.run(sql, generation, hash, bytesOf(vector));
}

function writeNote(writing: Writing, { path, hash, chunks }: EmbeddedNote): void {
  const { rows, generation } = writing;
  const stored = chunks.map((chunk) => (chunk.failure === undefined ? storedVector(writing, chunk) : undefined));
  const [file] = rows.column<number>('SELECT id FROM files WHERE path = ? AND hash = ?', path, hash);
  if (file === undefined) return;
  rows.run('DELETE FROM chunks WHERE generation = ? AND file = ?', generation, file);
  for (const [ordinal, vector] of stored.entries()) {
    if (vector !== undefined) writeChunk(writing, file, ordinal, chunks[ordinal] as EmbeddedChunk, vector);
  }
  const failed = writeFailures(writing, file, chunks);
  const [first, ...others] = stored.filter((vector) => vector !== undefined);
  const centroid = first === undefined ? undefined : centroidOf(writing, [first, ...others]);
  rows.run(
    `INSERT OR REPLACE INTO embedded (generation, file, revision, hash, chunks, failed, centroid, code)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[generation, file, writing.revision, hash, chunks.length - failed, failed],
    ...[centroid?.id ?? null, centroid === undefined ? null : codeIn(writing, centroid)],
  );
}

function storedVector({ rows, generation }: Writing, { hash }: EmbeddedChunk): StoredVector {
  const sql = 'SELECT id, embedding FROM vectors WHERE generation = ? AND hash = ?';
  const found = rows.first<{ id: number; embedding: Uint8Array }>(sql, generation, hash);
  if (found === undefined) throw new VaultgraphError('INTERNAL', { kind: 'chunk_without_vector' });
  return { id: found.id, embedding: vectorIn(found.embedding) };
}

function writeChunk(
  writing: Writing,
  file: number,
  ordinal: number,
  { lines }: EmbeddedChunk,
  vector: StoredVector,
): void {
  writing.rows.run(
    'INSERT INTO chunks (generation, file, ordinal, from_line, to_line, vector, code) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ...[writing.generation, file, ordinal, ...lines, vector.id, codeIn(writing, vector)],
  );
}

function codeIn({ middle }: Writing, { embedding }: StoredVector): Uint8Array | null {
  return middle && codeOf(embedding, middle);
}

/** The mean of one chunk is its own vector, and needs no second copy. */
function centroidOf({ rows, generation }: Writing, vectors: readonly [StoredVector, ...StoredVector[]]): StoredVector {
  const [first, ...others] = vectors;
  if (others.every(({ id }) => id === first.id)) return first;
  const embedding = meanDirection([first.embedding, ...others.map((other) => other.embedding)]);
  const sql = 'INSERT INTO vectors (generation, hash, embedding) VALUES (?, NULL, ?)';
  return { id: rows.run(sql, generation, bytesOf(embedding)), embedding };
}

/** What failed before with the same text goes on being counted. @returns how many failed */
function writeFailures({ rows, generation, now }: Writing, file: number, chunks: readonly EmbeddedChunk[]): number {
  const known = 'generation = ? AND file = ?';
  const sql = `SELECT hash, attempts, first FROM failed_chunks WHERE ${known}`;
  const before = new Map(
    rows.tuples<[string, number, string]>(sql, generation, file).map(([hash, ...earlier]) => [hash, earlier]),
  );
  rows.run(`DELETE FROM failed_chunks WHERE ${known}`, generation, file);
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

/** From then on it stays: a middle of the first few thousand vectors serves as well as one of all. @returns null while there are few */
function settleMiddle(rows: Rows, generation: number, dims: number): Float32Array | null {
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
