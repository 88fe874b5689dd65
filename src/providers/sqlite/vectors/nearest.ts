// Finds the notes nearest to a vector, by their chunks or by their mean vectors, with exact cosines.
import { type NotePath, noteName } from '../../../base/note.ts';
import type { NoteFilter } from '../../../contracts/note-filter.ts';
import type { NoteHit, VectorHit } from '../../../contracts/vectors.ts';
import type { Rows } from '../database/rows.ts';
import type { Conditions } from '../read/conditions.ts';
import { hasFilter, noteConditions, onlyOutside } from '../read/note-conditions.ts';
import { fileById } from '../read/note-rows.ts';
import { LISTED, type PassingFiles } from '../read/passing-files.ts';
import type { CodeCache, CodeKind, CodeSlots } from './code-cache.ts';
import { type CodeQuery, selectCandidates } from './code-search.ts';
import { type GenerationState, generationState } from './generations.ts';
import { bytesOf, MAX_COMPARED_FLOATS, unitVector } from './vector-codes.ts';

export interface VectorSource {
  readonly rows: Rows;
  readonly codes: CodeCache;
  readonly passingFiles: PassingFiles;
}

export interface NearestQuery {
  readonly generation: number;
  readonly vector: Float32Array;
  readonly filter: NoteFilter;
  readonly limit: number;
}

interface NoteRow {
  readonly file: number;
  readonly path: NotePath;
  readonly distance: number;
}

interface ChunkRow extends NoteRow {
  readonly fromLine: number;
  readonly toLine: number;
}

/** In a query with `min`, SQLite takes the other columns from the row with the minimum. */
const BEST_CHUNKS = `SELECT file, from_line AS fromLine, to_line AS toLine, min(vec_distance_cosine(embedding, ?)) AS distance
  FROM chunks CROSS JOIN vectors ON vectors.id = vector WHERE chunks.generation = ?`;

export function nearestChunks(source: VectorSource, query: NearestQuery): VectorHit[] {
  const { rows } = source;
  const { generation, limit } = query;
  const state = generationState(rows, generation);
  if (state === undefined) return [];
  const vector = unitVector(query.vector, state.dims);
  const compareExactly = ({ sql, values }: Conditions) =>
    rows.all<ChunkRow>(
      `SELECT file, path, fromLine, toLine, distance
       FROM (${BEST_CHUNKS} AND ${sql} GROUP BY file) CROSS JOIN files ON files.id = file ORDER BY distance, path LIMIT ?`,
      ...[bytesOf(vector), generation, ...values, limit],
    );
  const found = narrowSearch({ ...query, ...source, state, kind: 'chunks', vector }, compareExactly);
  return found.map((row) => ({ ...toHit(rows, row), lines: [row.fromLine, row.toLine] }));
}

/** Compares mean vectors. */
export function nearestNotes(source: VectorSource, query: NearestQuery, without: readonly NotePath[]): NoteHit[] {
  const { rows } = source;
  const { generation, limit } = query;
  const state = generationState(rows, generation);
  if (state === undefined) return [];
  const vector = unitVector(query.vector, state.dims);
  const compareExactly = ({ sql, values }: Conditions) =>
    rows.all<NoteRow>(
      `SELECT file, path, vec_distance_cosine(embedding, ?) AS distance
       FROM embedded CROSS JOIN vectors ON vectors.id = centroid CROSS JOIN files ON files.id = file
       WHERE embedded.generation = ? AND ${sql} ORDER BY distance, path LIMIT ?`,
      ...[bytesOf(vector), generation, ...values, limit + without.length],
    );
  const unwanted = new Set(without);
  const search = { ...query, ...source, state, kind: 'notes', vector, limit: limit + without.length } as const;
  const found = narrowSearch(search, compareExactly).filter(({ path }) => !unwanted.has(path));
  return found.slice(0, limit).map((row) => toHit(rows, row));
}

function toHit(rows: Rows, { file, distance }: NoteRow): NoteHit {
  const { path, title, modified } = fileById(rows, file);
  return { path, title: title ?? noteName(path), modifiedMs: modified, cosine: 1 - distance };
}

/** The number of vectors that are compared exactly, in all and per wanted hit: enough to miss hardly any near vector. */
const MIN_COMPARED = 400;
const COMPARED_PER_HIT = 8;

/** If the compared vectors belong to too few notes, this many times as many are compared next. */
const GROWTH = 4;

interface Search extends VectorSource {
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
  const { codes, passingFiles, generation, state, kind, vector, filter, limit } = search;
  const { centroid, dims } = state;
  if (centroid === null) return compareExactly(inFiles(filter));
  const slots = codes.current(generation, state, kind);
  const { all, select } = wantedSlots(passingFiles, slots, filter);
  let count = Math.max(MIN_COMPARED, COMPARED_PER_HIT * limit);
  while (count < all && all * dims > MAX_COMPARED_FLOATS) {
    const nearest = nearestSlots(search, slots, select({ vector, centroid }, count));
    if (nearest.length >= limit) return compareExactly(inSlots(nearest, slots, kind));
    count *= GROWTH;
  }
  return compareExactly(inFiles(filter));
}

/** The best slot of each of the best `limit` files, and of all others that are as near as the last of them. */
function nearestSlots({ rows, vector, limit }: Search, slots: CodeSlots, candidates: readonly number[]): number[] {
  const sql = `SELECT vectors.id, vec_distance_cosine(embedding, ?) FROM json_each(?) CROSS JOIN vectors ON vectors.id = value`;
  const vectors = JSON.stringify(candidates.map((slot) => slots.vectors[slot]));
  const distances = new Map(rows.tuples<[number, number]>(sql, bytesOf(vector), vectors));
  const best = new Map<number, { readonly slot: number; readonly distance: number }>();
  for (const slot of candidates) {
    const distance = distances.get(slots.vectors[slot] as number) ?? Number.POSITIVE_INFINITY;
    const file = slots.files[slot] as number;
    if (distance < (best.get(file)?.distance ?? Number.POSITIVE_INFINITY)) best.set(file, { slot, distance });
  }
  const ordered = [...best.values()].sort((one, other) => one.distance - other.distance);
  const last = ordered[limit - 1]?.distance ?? Number.POSITIVE_INFINITY;
  return ordered.filter(({ distance }) => distance <= last).map(({ slot }) => slot);
}

/** Of a long note only the nearest chunk is compared again, not all of them. */
function inSlots(nearest: readonly number[], { files, vectors }: CodeSlots, kind: CodeKind): Conditions {
  const listed = (column: Uint32Array): string => JSON.stringify(nearest.map((slot) => column[slot]));
  const inListed = { sql: `file IN ${LISTED}`, values: [listed(files)] };
  if (kind === 'notes') return inListed;
  return { sql: `${inListed.sql} AND vector IN ${LISTED}`, values: [...inListed.values, listed(vectors)] };
}

function inFiles(filter: NoteFilter): Conditions {
  if (!hasFilter(filter)) return { sql: 'TRUE', values: [] };
  const outside = onlyOutside(filter, 'file');
  if (outside !== undefined) return outside;
  const { sql, values } = noteConditions(filter);
  return { sql: `file IN (SELECT id FROM files WHERE ${sql})`, values };
}

interface WantedSlots {
  /** The number of slots whose file passes the filter; an estimate if most do. */
  readonly all: number;
  /** Selects at least `count` of them that may be nearest to the vector, or all. */
  readonly select: (near: Omit<CodeQuery, 'wanted'>, count: number) => readonly number[];
}

/** If at least this share of the vectors passes the filter, it is cheaper to check the files of the candidates than all files. */
const MIN_SHARE_TO_CHECK = 0.5;
/** As many more candidates are selected, because the share is an estimate. */
const MARGIN = 1.5;

function wantedSlots(passingFiles: PassingFiles, slots: CodeSlots, filter: NoteFilter): WantedSlots {
  const among = (wanted: Uint8Array | undefined): WantedSlots['select'] => {
    return (near, count) => selectCandidates(slots, { ...near, wanted }, count);
  };
  const anywhere = among(undefined);
  if (!hasFilter(filter)) return { all: slots.used, select: anywhere };
  const sample = sampleOf(slots);
  const share = passing(slots, sample, filter, passingFiles.among).length / sample.length;
  if (share < MIN_SHARE_TO_CHECK) {
    const wanted = passingFiles.all(filter);
    return { all: usedBy(slots, wanted), select: among(wanted) };
  }
  const select: WantedSlots['select'] = (near, count) => {
    const found = passing(slots, anywhere(near, Math.ceil((count / share) * MARGIN)), filter, passingFiles.among);
    // Near this vector fewer files pass than elsewhere.
    return found.length >= count ? found : among(passingFiles.all(filter))(near, count);
  };
  return { all: slots.used * share, select };
}

const SAMPLE_SIZE = 64;

/** Used slots at even distances. */
function sampleOf({ files, end }: CodeSlots): number[] {
  const evenly = Array.from({ length: SAMPLE_SIZE }, (_, at) => Math.floor((at * end) / SAMPLE_SIZE));
  return evenly.filter((slot) => files[slot] !== 0);
}

/** Those of the slots whose file passes the filter. */
function passing(
  { files }: CodeSlots,
  slots: readonly number[],
  filter: NoteFilter,
  among: PassingFiles['among'],
): number[] {
  const isPassing = among([...new Set(slots.map((slot) => files[slot] as number))], filter);
  return slots.filter((slot) => isPassing(files[slot] as number));
}

function usedBy({ files, end }: CodeSlots, wanted: Uint8Array): number {
  let used = 0;
  for (let slot = 0; slot < end; slot++) used += wanted[files[slot] as number] ?? 0;
  return used;
}
