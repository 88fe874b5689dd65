// Finds the notes nearest to a vector, by their chunks or by their mean vectors, with exact cosines.
import type { NotePath } from '../../../base/note.ts';
import type { NoteFilter } from '../../../contracts/note-filter.ts';
import type { VectorHit } from '../../../contracts/vectors.ts';
import type { Rows } from '../database/rows.ts';
import { type Conditions, hasFilter, noteConditions } from '../read/note-conditions.ts';
import { withTitle } from '../read/note-names.ts';
import type { CodeCache, CodeKind, CodeSlots } from './code-cache.ts';
import { selectCandidates } from './code-search.ts';
import { type GenerationState, generationState } from './generations.ts';
import { bytesOf, MAX_COMPARED_FLOATS, unitVector } from './vector-codes.ts';

export interface NearestQuery {
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

/** In a query with `min`, SQLite takes the other columns from the row with the minimum. */
const BEST_CHUNK = `SELECT file, from_line AS fromLine, to_line AS toLine, min(vec_distance_cosine(embedding, ?)) AS distance
  FROM chunks CROSS JOIN vectors ON vectors.id = vector WHERE chunks.generation = ?`;

export function nearestChunks(rows: Rows, codes: CodeCache, query: NearestQuery): VectorHit[] {
  const { generation, limit } = query;
  const state = generationState(rows, generation);
  if (state === undefined) return [];
  const vector = unitVector(query.vector, state.dims);
  const compareExactly = ({ sql, values }: Conditions) =>
    rows.all<NoteRow & Lines>(
      `SELECT file, path, title, modified AS modifiedMs, fromLine, toLine, distance
       FROM (${BEST_CHUNK} AND ${sql} GROUP BY file) CROSS JOIN files ON files.id = file ORDER BY distance, path LIMIT ?`,
      ...[bytesOf(vector), generation, ...values, limit],
    );
  return narrowSearch({ ...query, rows, codes, state, kind: 'chunks', vector }, compareExactly).map((row) =>
    toHit(row, row),
  );
}

/** Compares mean vectors. The lines of a hit are those of the note's chunk nearest to the vector. */
export function nearestNotes(
  rows: Rows,
  codes: CodeCache,
  query: NearestQuery,
  without: readonly NotePath[],
): VectorHit[] {
  const { generation, limit } = query;
  const state = generationState(rows, generation);
  if (state === undefined) return [];
  const vector = unitVector(query.vector, state.dims);
  const compareExactly = ({ sql, values }: Conditions) =>
    rows.all<NoteRow>(
      `SELECT file, path, title, modified AS modifiedMs, vec_distance_cosine(embedding, ?) AS distance
       FROM embedded CROSS JOIN vectors ON vectors.id = centroid CROSS JOIN files ON files.id = file
       WHERE embedded.generation = ? AND ${sql} ORDER BY distance, path LIMIT ?`,
      ...[bytesOf(vector), generation, ...values, limit + without.length],
    );
  const unwanted = new Set(without);
  const search = { ...query, rows, codes, state, kind: 'notes', vector, limit: limit + without.length } as const;
  const found = narrowSearch(search, compareExactly).filter(({ path }) => !unwanted.has(path));
  return found.slice(0, limit).map((row) => {
    const chunk = rows.first<Lines>(`${BEST_CHUNK} AND file = ?`, bytesOf(vector), generation, row.file);
    return toHit(row, chunk ?? { fromLine: 0, toLine: 0 });
  });
}

function toHit({ path, title, modifiedMs, distance }: NoteRow, { fromLine, toLine }: Lines): VectorHit {
  return { ...withTitle({ path, title }), modifiedMs, lines: [fromLine, toLine], cosine: 1 - distance };
}

/** The number of vectors that are compared exactly, in all and per wanted hit: enough to miss hardly any near vector. */
const MIN_COMPARED = 400;
const COMPARED_PER_HIT = 8;

/** If the compared vectors belong to too few notes, this many times as many are compared next. */
const GROWTH = 4;

interface Search {
  readonly rows: Rows;
  readonly codes: CodeCache;
  readonly generation: number;
  readonly state: GenerationState;
  readonly kind: CodeKind;
  /** Of unit length. */
  readonly vector: Float32Array;
  readonly filter: NoteFilter;
  /** Distinct notes wanted. */
  readonly limit: number;
}

/** @param compareExactly finds the best notes among those that meet the condition, by their vectors */
function narrowSearch<Hit>(search: Search, compareExactly: (condition: Conditions) => readonly Hit[]): readonly Hit[] {
  const { rows, codes, generation, state, kind, vector, filter, limit } = search;
  const { centroid, dims } = state;
  if (centroid === null) return compareExactly(inFiles(filter));
  const slots = codes.current(generation, state, kind);
  const wanted = hasFilter(filter) ? wantedFiles(rows, filter) : undefined;
  const all = wanted === undefined ? slots.used : usedBy(slots, wanted);
  let count = Math.max(MIN_COMPARED, COMPARED_PER_HIT * limit);
  while (count < all && all * dims > MAX_COMPARED_FLOATS) {
    const candidates = selectCandidates(slots, { vector, centroid, wanted }, count);
    const files = nearestFiles(search, slots, candidates);
    if (files.length >= limit) return compareExactly({ sql: `file IN ${LISTED}`, values: [JSON.stringify(files)] });
    count *= GROWTH;
  }
  return compareExactly(inFiles(filter));
}

const LISTED = '(SELECT value FROM json_each(?))';

/** The best `limit` files, and all others that are as near as the last of them. */
function nearestFiles({ rows, vector, limit }: Search, slots: CodeSlots, candidates: readonly number[]): number[] {
  const sql = `SELECT vectors.id, vec_distance_cosine(embedding, ?) FROM json_each(?) CROSS JOIN vectors ON vectors.id = value`;
  const vectors = JSON.stringify(candidates.map((slot) => slots.vectors[slot]));
  const distances = new Map(rows.tuples<[number, number]>(sql, bytesOf(vector), vectors));
  const best = new Map<number, number>();
  for (const slot of candidates) {
    const distance = distances.get(slots.vectors[slot] as number) ?? Number.POSITIVE_INFINITY;
    const file = slots.files[slot] as number;
    if (distance < (best.get(file) ?? Number.POSITIVE_INFINITY)) best.set(file, distance);
  }
  const last = [...best.values()].sort((one, other) => one - other)[limit - 1] ?? Number.POSITIVE_INFINITY;
  return [...best].filter(([, distance]) => distance <= last).map(([file]) => file);
}

function inFiles(filter: NoteFilter): Conditions {
  if (!hasFilter(filter)) return { sql: 'TRUE', values: [] };
  const { sql, values } = noteConditions(filter);
  return { sql: `file IN (SELECT id FROM files WHERE ${sql})`, values };
}

/** 1 at the id of every file that passes the filter. */
function wantedFiles(rows: Rows, filter: NoteFilter): Uint8Array {
  const { sql, values } = noteConditions(filter);
  const last = rows.value<number>('SELECT max(id) FROM files') ?? 0;
  const wanted = new Uint8Array(last + 1);
  for (const file of rows.column<number>(`SELECT id FROM files WHERE ${sql}`, ...values)) wanted[file] = 1;
  return wanted;
}

function usedBy({ files, end }: CodeSlots, wanted: Uint8Array): number {
  let used = 0;
  for (let slot = 0; slot < end; slot++) used += wanted[files[slot] as number] ?? 0;
  return used;
}
