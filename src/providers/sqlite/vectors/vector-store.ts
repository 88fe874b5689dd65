// Assembles the part of the store that keeps vectors. A question about a generation that is gone is answered as if it held nothing.
import { setImmediate } from 'node:timers/promises';
import type { NotePath } from '../../../base/note.ts';
import type { Page } from '../../../contracts/note-filter.ts';
import type { ChunkPair, FailedChunk, UnembeddedNote, VectorStore } from '../../../contracts/vectors.ts';
import { type Ask, bounded, type Rows } from '../database/rows.ts';
import { titled } from '../read/note-names.ts';
import type { Writer } from '../write/writer.ts';
import { type Coded, createKeptCodes } from './code-cache.ts';
import { createCounting, generationNow, generations } from './generations.ts';
import { nearestChunks, nearestNotes } from './nearest.ts';
import { vectorIn } from './vector-codes.ts';

export function createVectorStore(rows: Rows, ask: Ask, writer: Writer): VectorStore {
  const codes = createKeptCodes();
  const counting = createCounting();
  const readCodes = async (generation: number, coded: Coded, signal: AbortSignal): Promise<void> => {
    while (await ask('readCodes', signal, () => codes.readSome(rows, generation, coded))) await setImmediate();
  };
  const most = (limit: number): number => bounded({ limit, offset: 0 }).limit;
  return {
    openGeneration: (role, fingerprint, signal) => writer.run({ op: 'openGeneration', role, fingerprint }, signal),
    applyVectors: async (generation, changes, signal) => {
      await writer.run({ op: 'applyVectors', generation, changes }, signal);
    },
    activate: async (generation, signal) => {
      await writer.run({ op: 'activate', generation }, signal);
    },
    sweepVectors: async (kept, signal) => {
      await writer.run({ op: 'sweepVectors', kept }, signal);
    },
    generations: (signal) => ask('generations', signal, () => generations(rows, counting)),
    unembedded: (generation, after, limit, withFailures, signal) =>
      ask('unembedded', signal, () => unembedded(rows, generation, after, most(limit), withFailures)),
    heldVectors: (generation, hashes, signal) =>
      ask('heldVectors', signal, () => heldVectors(rows, generation, hashes)),
    failedChunks: (generation, page, signal) =>
      ask('failedChunks', signal, () => failedChunks(rows, generation, bounded(page))),
    noteVector: (generation, path, signal) => ask('noteVector', signal, () => noteVector(rows, generation, path)),
    nearestChunks: async (generation, vector, filter, limit, signal) => {
      await readCodes(generation, 'chunks', signal);
      const question = { generation, vector, filter, limit: most(limit) };
      return ask('nearestChunks', signal, () => nearestChunks(rows, codes, question));
    },
    nearestNotes: async (generation, vector, filter, without, limit, signal) => {
      await readCodes(generation, 'notes', signal);
      const question = { generation, vector, filter, limit: most(limit) };
      return ask('nearestNotes', signal, () => nearestNotes(rows, codes, question, without));
    },
    nearestPairs: (generation, path, others, signal) =>
      ask('nearestPairs', signal, () => nearestPairs(rows, generation, path, others)),
  };
}

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

function nearestPairs(
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

const LACKING = `NOT EXISTS (SELECT 1 FROM embedded WHERE generation = ? AND file = files.id AND hash IS NOT NULL)`;
const LACKING_ANY = `NOT EXISTS (SELECT 1 FROM embedded WHERE generation = ? AND file = files.id AND hash IS NOT NULL AND failed = 0)`;

/** A generation that is gone lacks nothing any more. */
function unembedded(
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

function heldVectors(rows: Rows, generation: number, hashes: readonly string[]): ReadonlySet<string> {
  if (generationNow(rows, generation) === undefined) return new Set();
  const sql = 'SELECT hash FROM vectors WHERE generation = ? AND hash IN (SELECT value FROM json_each(?))';
  return new Set(rows.column<string>(sql, generation, JSON.stringify(hashes)));
}

type FailedRow = Omit<FailedChunk, 'lines'> & { readonly from_line: number; readonly to_line: number };

function failedChunks(rows: Rows, generation: number, { limit, offset }: Page): FailedChunk[] {
  if (generationNow(rows, generation) === undefined) return [];
  const sql = `SELECT path, ordinal AS chunk, from_line, to_line, failed_chunks.code, reason, attempts, first, last
    FROM failed_chunks JOIN files ON files.id = failed_chunks.file JOIN embedded USING (generation, file)
    WHERE generation = ? AND embedded.hash IS NOT NULL ORDER BY path, ordinal LIMIT ? OFFSET ?`;
  return rows
    .all<FailedRow>(sql, generation, limit, offset)
    .map(({ from_line, to_line, ...failed }) => ({ ...failed, lines: [from_line, to_line] }));
}

function noteVector(rows: Rows, generation: number, path: NotePath): Float32Array | null {
  if (generationNow(rows, generation) === undefined) return null;
  const sql = `SELECT embedding FROM files CROSS JOIN embedded ON file = files.id CROSS JOIN vectors ON vectors.id = centroid
    WHERE path = ? AND embedded.generation = ?`;
  const [embedding] = rows.column<Uint8Array>(sql, path, generation);
  return embedding === undefined ? null : vectorIn(embedding);
}
