// Assembles the part of the store that keeps vectors.
import type { NotePath } from '../../../base/note.ts';
import type { Page } from '../../../contracts/note-filter.ts';
import type { ChunkPair, FailedChunk, UnembeddedNote, VectorStore } from '../../../contracts/vectors.ts';
import type { Source } from '../database/read-in-slices.ts';
import { checkLimit, checkPage, type Rows, readMethods } from '../database/rows.ts';
import type { PassingFiles } from '../read/known-files.ts';
import { EXCLUDED } from '../read/note-conditions.ts';
import { withTitle } from '../read/note-names.ts';
import type { IndexWriter } from '../write/writer.ts';
import { CodeCache, type CodeKind } from './code-cache.ts';
import { createGenerationList, generationState } from './generations.ts';
import { nearestChunks, nearestNotes } from './nearest.ts';
import { vectorFrom } from './vector-codes.ts';

/** A query about a generation that does not exist or was dropped finds nothing. */
export function createVectorStore(
  { rows, read }: Source,
  passingFiles: PassingFiles,
  writer: IndexWriter,
): VectorStore {
  const codes = new CodeCache(rows);
  const source = { rows, codes, passingFiles };
  const loadCodes = async (generation: number, kind: CodeKind, signal: AbortSignal): Promise<void> => {
    for (let isMore = true; isMore; ) isMore = await read('readCodes', signal, () => codes.loadSome(generation, kind));
  };
  return {
    openGeneration: (role, fingerprint, signal) => writer.run({ op: 'openGeneration', role, fingerprint }, signal),
    applyVectors: (generation, changes, signal) => writer.run({ op: 'applyVectors', generation, changes }, signal),
    activate: (generation, signal) => writer.run({ op: 'activate', generation }, signal),
    sweepVectors: (kept, signal) => writer.run({ op: 'sweepVectors', kept }, signal),
    ...readMethods(read, {
      generations: createGenerationList(rows),
      unembedded: (generation, after, limit, withFailures) =>
        unembedded(rows, generation, after, checkLimit(limit), withFailures),
      heldVectors: (generation, hashes) => storedHashes(rows, generation, hashes),
      failedChunks: (generation, page) => failedChunks(rows, generation, checkPage(page)),
      noteVector: (generation, path) => noteVector(rows, generation, path),
      chunkVector: (generation, path, share) => chunkVector(rows, generation, path, share),
    }),
    nearestPairs: async (generation, path, others, signal) => {
      const pairs = new Map<NotePath, ChunkPair>();
      for (const other of others) {
        const pair = await read('nearestPairs', signal, () => nearestPair(rows, generation, path, other));
        if (pair !== undefined) pairs.set(other, pair);
      }
      return pairs;
    },
    nearestChunks: async (generation, vector, filter, limit, signal) => {
      await loadCodes(generation, 'chunks', signal);
      const query = { generation, vector, filter, limit: checkLimit(limit) };
      return read('nearestChunks', signal, () => nearestChunks(source, query));
    },
    nearestNotes: async (generation, vector, filter, without, limit, signal) => {
      await loadCodes(generation, 'notes', signal);
      const query = { generation, vector, filter, limit: checkLimit(limit) };
      return read('nearestNotes', signal, () => nearestNotes(source, query, without));
    },
  };
}

interface PairRow {
  readonly fromLine: number | null;
  readonly toLine: number;
  readonly otherFrom: number;
  readonly otherTo: number;
}

const CHUNKS = `chunks.file = (SELECT id FROM files WHERE path = ?) AND chunks.generation = ?`;

const MEAN_OF = `SELECT embedding FROM embedded CROSS JOIN vectors ON vectors.id = centroid
  WHERE file = (SELECT id FROM files WHERE path = ?) AND embedded.generation = ?`;

/** The chunks of a longer note that are nearest to the mean of the other note are compared: the work for two notes has a limit. */
const MAX_COMPARED_CHUNKS = 32;
const COMPARED = `SELECT ordinal, from_line, to_line, embedding FROM chunks CROSS JOIN vectors ON vectors.id = vector WHERE ${CHUNKS}
  ORDER BY vec_distance_cosine(embedding, coalesce((${MEAN_OF}), embedding)) LIMIT ${MAX_COMPARED_CHUNKS}`;

/** In a query with `min`, SQLite takes the other columns from the row with the minimum; of equal rows from the first. */
const NEAREST = `WITH
  one AS MATERIALIZED (SELECT * FROM (${COMPARED}) ORDER BY ordinal),
  other AS MATERIALIZED (SELECT * FROM (${COMPARED}) ORDER BY ordinal)
  SELECT one.from_line AS fromLine, one.to_line AS toLine, other.from_line AS otherFrom, other.to_line AS otherTo,
    min(vec_distance_cosine(one.embedding, other.embedding)) AS distance FROM one CROSS JOIN other`;

function nearestPair(rows: Rows, generation: number, path: NotePath, other: NotePath): ChunkPair | undefined {
  if (generationState(rows, generation) === undefined) return undefined;
  const one = [path, generation] as const;
  const two = [other, generation] as const;
  const row = rows.first<PairRow>(NEAREST, ...one, ...two, ...two, ...one);
  if (row === undefined || row.fromLine === null) return undefined;
  return { lines: [row.fromLine, row.toLine], otherLines: [row.otherFrom, row.otherTo] };
}

function unembedded(
  rows: Rows,
  generation: number,
  after: string,
  limit: number,
  withFailures: boolean,
): UnembeddedNote[] {
  if (generationState(rows, generation) === undefined) return [];
  const sql = `SELECT path, title, hash FROM files WHERE path > ? AND kind IN ('note', 'canvas') AND hash IS NOT NULL AND id NOT IN ${EXCLUDED} AND NOT EXISTS (
      SELECT 1 FROM embedded WHERE generation = ? AND file = files.id AND hash IS NOT NULL ${withFailures ? 'AND failed = 0' : ''})
    ORDER BY path LIMIT ?`;
  type Row = Omit<UnembeddedNote, 'title'> & { readonly title: string | null };
  return rows.all<Row>(sql, after, generation, limit).map(withTitle);
}

function storedHashes(rows: Rows, generation: number, hashes: readonly string[]): ReadonlySet<string> {
  if (generationState(rows, generation) === undefined) return new Set();
  const sql = 'SELECT hash FROM vectors WHERE generation = ? AND hash IN (SELECT value FROM json_each(?))';
  return new Set(rows.column<string>(sql, generation, JSON.stringify(hashes)));
}

type FailedRow = Omit<FailedChunk, 'lines'> & { readonly from_line: number; readonly to_line: number };

function failedChunks(rows: Rows, generation: number, { limit, offset }: Page): FailedChunk[] {
  if (generationState(rows, generation) === undefined) return [];
  const sql = `SELECT path, ordinal AS chunk, from_line, to_line, failed_chunks.code, reason, attempts, first, last
    FROM failed_chunks JOIN files ON files.id = failed_chunks.file JOIN embedded USING (generation, file)
    WHERE generation = ? AND embedded.hash IS NOT NULL ORDER BY path, ordinal LIMIT ? OFFSET ?`;
  return rows
    .all<FailedRow>(sql, generation, limit, offset)
    .map(({ from_line, to_line, ...failed }) => ({ ...failed, lines: [from_line, to_line] }));
}

function noteVector(rows: Rows, generation: number, path: NotePath): Float32Array | null {
  if (generationState(rows, generation) === undefined) return null;
  const sql = `SELECT embedding FROM files CROSS JOIN embedded ON file = files.id CROSS JOIN vectors ON vectors.id = centroid
    WHERE path = ? AND embedded.generation = ?`;
  const embedding = rows.value<Uint8Array>(sql, path, generation);
  return embedding === undefined ? null : vectorFrom(embedding);
}

function chunkVector(rows: Rows, generation: number, path: NotePath, share: number): Float32Array | null {
  if (generationState(rows, generation) === undefined) return null;
  const ids = `SELECT vector FROM chunks WHERE ${CHUNKS} ORDER BY ordinal`;
  const vectors = rows.column<number>(ids, path, generation);
  const id = vectors[Math.min(Math.floor(share * vectors.length), vectors.length - 1)];
  if (id === undefined) return null;
  const embedding = rows.value<Uint8Array>('SELECT embedding FROM vectors WHERE id = ?', id);
  return embedding === undefined ? null : vectorFrom(embedding);
}
