// Finds the notes nearest to a vector, by their chunks or by their mean vectors, with exact cosines.
import { type NotePath, noteName } from '../../../base/note.ts';
import { dotProduct } from '../../../contracts/fingerprint.ts';
import type { NoteFilter } from '../../../contracts/note-filter.ts';
import type { NoteHit, VectorHit } from '../../../contracts/vectors.ts';
import type { Rows } from '../database/rows.ts';
import { LISTED, type PassingFiles } from '../read/known-files.ts';
import { type Conditions, hasFilter, noteConditions, onlyLeftOut } from '../read/note-conditions.ts';
import { fileById } from '../read/note-rows.ts';
import type { CodeCache, CodeKind, CodeSlots } from './code-cache.ts';
import { type GenerationState, generationState } from './generations.ts';
import { bytesOf, MAX_COMPARED_FLOATS, projectionOf, signBytes, signsOf, unitVector } from './vector-codes.ts';

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
  const hits = narrowSearch({ ...query, ...source, state, kind: 'chunks', vector }, compareExactly);
  return hits.map((row) => ({ ...toHit(rows, row), lines: [row.fromLine, row.toLine] }));
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
  const hits = narrowSearch(search, compareExactly).filter(({ path }) => !unwanted.has(path));
  return hits.slice(0, limit).map((row) => toHit(rows, row));
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
  /** A vector of unit length. */
  readonly vector: Float32Array;
  readonly filter: NoteFilter;
  /** Distinct notes wanted. */
  readonly limit: number;
}

/** @param compareExactly finds the best notes among those that meet the condition, by their vectors */
function narrowSearch<Hit>(search: Search, compareExactly: (condition: Conditions) => readonly Hit[]): readonly Hit[] {
  const { rows, codes, generation, state, kind, vector, filter, limit } = search;
  const { centroid, dims } = state;
  if (centroid === null) return compareExactly(inFiles(rows, filter));
  const slots = codes.current(generation, state, kind);
  const { all, select } = wantedSlots(search, slots);
  let count = Math.max(MIN_COMPARED, COMPARED_PER_HIT * limit);
  while (count < all && all * dims > MAX_COMPARED_FLOATS) {
    const nearest = nearestSlots(search, slots, select({ vector, centroid }, count));
    if (nearest.length >= limit) return compareExactly(inSlots(nearest, slots, kind));
    count *= GROWTH;
  }
  return compareExactly(inFiles(rows, filter));
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

/** Compares only the nearest chunk of a long note again, not all of them. */
function inSlots(nearest: readonly number[], { files, vectors }: CodeSlots, kind: CodeKind): Conditions {
  const listed = (column: Uint32Array): string => JSON.stringify(nearest.map((slot) => column[slot]));
  const inListed = { sql: `file IN ${LISTED}`, values: [listed(files)] };
  if (kind === 'notes') return inListed;
  return { sql: `${inListed.sql} AND vector IN ${LISTED}`, values: [...inListed.values, listed(vectors)] };
}

function inFiles(rows: Rows, filter: NoteFilter): Conditions {
  if (!hasFilter(rows, filter)) return { sql: 'TRUE', values: [] };
  const left = onlyLeftOut(filter);
  if (left !== undefined) return { ...left, sql: `file NOT IN (SELECT id FROM files WHERE ${left.sql})` };
  const { sql, values } = noteConditions(filter);
  return { sql: `file IN (SELECT id FROM files WHERE ${sql})`, values };
}

interface WantedSlots {
  /** The number of slots whose file passes the filter; an estimate if most do. */
  readonly all: number;
  /** Selects at least `count` of them that may be nearest to the vector, or all. */
  readonly select: (near: Omit<CodeQuery, 'allowed'>, count: number) => readonly number[];
}

/** If at least this share of the vectors passes the filter, it is cheaper to check the files of the candidates than all files. */
const MIN_SHARE_TO_CHECK = 0.5;
/** So many times more candidates are selected, because the share is an estimate. */
const MARGIN = 1.5;

function wantedSlots({ rows, passingFiles, filter }: Search, slots: CodeSlots): WantedSlots {
  const among = (flags: Uint8Array | undefined): WantedSlots['select'] => {
    return (near, count) => selectCandidates(slots, { ...near, allowed: flags }, count);
  };
  const anywhere = among(undefined);
  if (!hasFilter(rows, filter)) return { all: slots.used, select: anywhere };
  const sample = sampleOf(slots);
  const share = passing(slots, sample, filter, passingFiles.among).length / sample.length;
  if (share < MIN_SHARE_TO_CHECK) {
    const passingAll = passingFiles.all(filter);
    return { all: usedBy(slots, passingAll), select: among(passingAll) };
  }
  const select: WantedSlots['select'] = (near, count) => {
    const passingSlots = passing(
      slots,
      anywhere(near, Math.ceil((count / share) * MARGIN)),
      filter,
      passingFiles.among,
    );
    // Near this vector fewer files pass than elsewhere.
    return passingSlots.length >= count ? passingSlots : among(passingFiles.all(filter))(near, count);
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

function usedBy({ files, end }: CodeSlots, flags: Uint8Array): number {
  let used = 0;
  for (let slot = 0; slot < end; slot++) used += flags[files[slot] as number] ?? 0;
  return used;
}

/** 32-bit words of the signs that the first pass compares; more words cost more than they improve the result. */
const MAX_WORDS = 16;

/** The number of slots that the first pass leaves for the second: this share of all slots, and at least this many. */
const SECOND_PASS_SHARE = 1 / 32;
const MIN_SECOND_PASS = 3_000;

/** Both passes rank slots by levels; 0 is the nearest. The last level means that the slot is free or its file is not wanted. */
const UNWANTED = MAX_WORDS * 32 + 1;

interface CodeQuery {
  /** A vector of unit length. */
  readonly vector: Float32Array;
  readonly centroid: Float32Array;
  /** 1 at the id of each file that may be a hit; undefined if every file may. */
  readonly allowed: Uint8Array | undefined;
}

/** Returns at least the `count` best wanted slots, or all of them, in no particular order. */
export function selectCandidates(slots: CodeSlots, query: CodeQuery, count: number): number[] {
  const near = leastOf(differences(slots, query), Math.max(count, MIN_SECOND_PASS, slots.end * SECOND_PASS_SHARE));
  if (near.length <= count) return near;
  return leastOf(levelsOf(similarities(slots, near, query)), count).map((at) => near[at] as number);
}

/** The first pass: the number of bits in which each slot differs from the query. */
function differences({ end, files, signs, scratch }: CodeSlots, { vector, centroid, allowed }: CodeQuery): Uint16Array {
  const querySigns = new Int32Array(signsOf(vector, centroid).buffer);
  const words = new Int32Array(signs.buffer);
  const compared = Math.min(querySigns.length, MAX_WORDS);
  for (let slot = 0, word = 0; slot < end; slot++, word += querySigns.length) {
    const file = files[slot] as number;
    const skipped = file === 0 || (allowed !== undefined && allowed[file] !== 1);
    scratch[slot] = skipped ? UNWANTED : differingBits(words, word, querySigns, compared);
  }
  return scratch.subarray(0, end);
}

/** Counts the bits in all four bytes of a word at once. The sums of sixteen words fit into a byte. */
function differingBits(words: Int32Array, from: number, querySigns: Int32Array, compared: number): number {
  let sums = 0;
  for (let at = 0; at < compared; at++) {
    let bits = (words[from + at] as number) ^ (querySigns[at] as number);
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    sums += (bits + (bits >>> 4)) & 0x0f0f0f0f;
  }
  const pairs = (sums & 0x00ff00ff) + ((sums >>> 8) & 0x00ff00ff);
  return (pairs + (pairs >>> 16)) & 0xffff;
}

/** The indexes of the `count` lowest levels, and of all levels equal to the highest of them. */
function leastOf(levels: Uint16Array, count: number): number[] {
  const max = levelOf(levels, count);
  const least: number[] = [];
  for (let at = 0; at < levels.length; at++) if ((levels[at] as number) <= max) least.push(at);
  return least;
}

/** The level up to which there are `count` slots, or all but the unwanted ones. */
function levelOf(levels: Uint16Array, count: number): number {
  const counts = new Uint32Array(UNWANTED + 1);
  for (let at = 0; at < levels.length; at++) {
    const level = levels[at] as number;
    counts[level] = (counts[level] as number) + 1;
  }
  let level = 0;
  for (let passed = counts[0] as number; passed < count && level < UNWANTED - 1; passed += counts[level] as number)
    level++;
  return level;
}

/** Maps the values to levels, the highest value to level 0. */
function levelsOf(values: Float32Array): Uint16Array {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < values.length; at++) {
    low = Math.min(low, values[at] as number);
    high = Math.max(high, values[at] as number);
  }
  const step = (high - low) / (UNWANTED - 1) || 1;
  return Uint16Array.from(values, (value) => (high - value) / step);
}

/**
 * The second pass: the estimated cosine of each slot. A vector is its projection on the centroid plus a rest. The code has the
 * projection, which gives the length of the rest too; the signs give its direction, each weighted by the query's component.
 */
function similarities(
  { signs, projections }: CodeSlots,
  near: readonly number[],
  { vector, centroid }: CodeQuery,
): Float32Array {
  const rest = vector.map((component, at) => component - (centroid[at] as number));
  const sums = sumsOfBytes(rest);
  const bytes = signBytes(rest.length);
  const half = rest.reduce((sum, component) => sum + component, 0) / 2;
  const scales = restScales(rest, centroid);
  const estimates = new Float32Array(near.length);
  for (let at = 0; at < near.length; at++) {
    const slot = near[at] as number;
    const byte = projections[slot] as number;
    estimates[at] = (sumAt(signs, slot * bytes, sums) - half) * (scales[byte] as number) + projectionOf(byte);
  }
  return estimates;
}

/** The weight of one sign for each value of the projection byte, which determines the length of the rest of a unit vector. */
function restScales(rest: Float32Array, centroid: Float32Array): Float32Array {
  const evenness = Math.sqrt(dotProduct(rest, rest)) / rest.reduce((sum, component) => sum + Math.abs(component), 0);
  const apart = 1 + dotProduct(centroid, centroid);
  return Float32Array.from(
    { length: 256 },
    (_, byte) => 2 * evenness * Math.sqrt(Math.max(0, apart - 2 * projectionOf(byte))),
  );
}

function sumAt(signs: Uint8Array, from: number, sums: Float32Array): number {
  let sum = 0;
  for (let first = 0, at = from; first < sums.length; first += 256, at++) {
    sum += sums[first + (signs[at] as number)] as number;
  }
  return sum;
}

/** For each byte of the signs and each of its 256 values: the sum of the components at its set bits. */
function sumsOfBytes(components: Float32Array): Float32Array {
  const bytes = signBytes(components.length);
  const sums = new Float32Array(bytes * 256);
  for (let at = 0; at < bytes; at++) {
    for (let value = 1; value < 256; value++) {
      const lowest = 31 - Math.clz32(value & -value);
      const component = components[at * 8 + lowest] ?? 0;
      sums[at * 256 + value] = (sums[at * 256 + (value & (value - 1))] as number) + component;
    }
  }
  return sums;
}
