// Finds the notes nearest to a vector, by their chunks or by their means. Every cosine is computed from the stored floats.
import type { NotePath } from '../../../base/note.ts';
import type { NoteFilter } from '../../../contracts/note-filter.ts';
import type { VectorHit } from '../../../contracts/vectors.ts';
import type { Rows } from '../database/rows.ts';
import { type Conditions, filters, noteConditions } from '../read/note-conditions.ts';
import { titled } from '../read/note-names.ts';
import type { Coded, CodeSlots, KeptCodes } from './code-cache.ts';
import { propose } from './code-search.ts';
import { generationNow, type OpenGeneration } from './generations.ts';
import { bytesOf, FEW_FLOATS, unitVector } from './vector-codes.ts';

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

/** Vectors whose floats are compared at least, and for each hit that is wanted: so many that hardly a near one is missed. */
const MIN_COMPARED = 400;
const COMPARED_PER_HIT = 8;

/** When too few notes were among them, so many times as many are compared next. */
const WIDER = 4;

interface Search {
  readonly rows: Rows;
  readonly kept: KeptCodes;
  readonly generation: number;
  readonly open: OpenGeneration;
  readonly coded: Coded;
  /** Of unit length. */
  readonly vector: Float32Array;
  readonly filter: NoteFilter;
  /** Distinct notes wanted. */
  readonly limit: number;
}

/** @param compare finds the best of the notes that pass, by the floats of all that is searched of them */
function narrowSearch<Hit>(search: Search, compare: (among: Conditions) => readonly Hit[]): readonly Hit[] {
  const { rows, kept, generation, open, coded, vector, filter, limit } = search;
  const { middle, dims } = open;
  if (middle === null) return compare(inFiles(filter));
  const slots = kept.now(rows, generation, open, coded);
  const wanted = filters(filter) ? wantedFiles(rows, filter) : undefined;
  const all = wanted === undefined ? slots.used : usedBy(slots, wanted);
  let count = Math.max(MIN_COMPARED, COMPARED_PER_HIT * limit);
  while (count < all && all * dims > FEW_FLOATS) {
    const proposed = propose(slots, { vector, middle, wanted }, count);
    const files = nearestFiles(search, slots, proposed);
    if (files.length >= limit) return compare({ sql: `file IN ${LISTED}`, values: [JSON.stringify(files)] });
    count *= WIDER;
  }
  return compare(inFiles(filter));
}

const LISTED = '(SELECT value FROM json_each(?))';

/** The best `limit` files, and every one that is as near as the last of them. */
function nearestFiles({ rows, vector, limit }: Search, slots: CodeSlots, proposed: readonly number[]): number[] {
  const sql = `SELECT vectors.id, vec_distance_cosine(embedding, ?) FROM json_each(?) CROSS JOIN vectors ON vectors.id = value`;
  const vectors = JSON.stringify(proposed.map((slot) => slots.vectors[slot]));
  const distances = new Map(rows.tuples<[number, number]>(sql, bytesOf(vector), vectors));
  const best = new Map<number, number>();
  for (const slot of proposed) {
    const distance = distances.get(slots.vectors[slot] as number) ?? Number.POSITIVE_INFINITY;
    const file = slots.files[slot] as number;
    if (distance < (best.get(file) ?? Number.POSITIVE_INFINITY)) best.set(file, distance);
  }
  const last = [...best.values()].sort((one, other) => one - other)[limit - 1] ?? Number.POSITIVE_INFINITY;
  return [...best].filter(([, distance]) => distance <= last).map(([file]) => file);
}

function inFiles(filter: NoteFilter): Conditions {
  if (!filters(filter)) return { sql: 'TRUE', values: [] };
  const { sql, values } = noteConditions(filter);
  return { sql: `file IN (SELECT id FROM files WHERE ${sql})`, values };
}

/** 1 at the number of every file that passes. */
function wantedFiles(rows: Rows, filter: NoteFilter): Uint8Array {
  const { sql, values } = noteConditions(filter);
  const [last = 0] = rows.column<number>('SELECT max(id) FROM files');
  const wanted = new Uint8Array(last + 1);
  for (const file of rows.column<number>(`SELECT id FROM files WHERE ${sql}`, ...values)) wanted[file] = 1;
  return wanted;
}

function usedBy({ files, end }: CodeSlots, wanted: Uint8Array): number {
  let used = 0;
  for (let slot = 0; slot < end; slot++) used += wanted[files[slot] as number] ?? 0;
  return used;
}
