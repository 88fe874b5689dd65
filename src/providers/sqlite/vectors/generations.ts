// Reads, opens, activates and drops the generations of vectors.
import { VaultgraphError } from '../../../base/errors.ts';
import { type Fingerprint, fingerprintDifferences } from '../../../contracts/fingerprint.ts';
import type { Generation, GenerationRole } from '../../../contracts/vectors.ts';
import { createRevisionCache, memoize } from '../database/cache.ts';
import type { Rows } from '../database/rows.ts';
import { EXCLUDED } from '../read/note-conditions.ts';
import { bytesOf, vectorFrom } from './vector-codes.ts';

/** What is needed to search a generation or to write to it. */
export interface GenerationState {
  readonly dims: number;
  readonly revision: number;
  /** How many notes have been removed from it. */
  readonly removed: number;
  /** The mean of its vectors; null while it has so few vectors that they need no codes. */
  readonly centroid: Float32Array | null;
}

/** @returns undefined if the generation does not exist or was dropped */
export function generationState(rows: Rows, generation: number): GenerationState | undefined {
  const sql = `SELECT dims, revision, removed, middle AS centroid FROM generations WHERE id = ? AND state <> 'dropped'`;
  const row = rows.first<Omit<GenerationState, 'centroid'> & { centroid: Uint8Array | null }>(sql, generation);
  return row && { ...row, centroid: row.centroid && vectorFrom(row.centroid) };
}

/** @throws INTERNAL if the generation does not exist: it is opened before it is written to */
export function existingGeneration(rows: Rows, generation: number): GenerationState {
  const state = generationState(rows, generation);
  if (state === undefined) throw new VaultgraphError('INTERNAL', { kind: 'no_such_generation' });
  return state;
}

interface GenerationRow extends Pick<Generation, 'id' | 'role' | 'state'> {
  readonly activated: string | null;
  readonly fingerprint: string;
  readonly revision: number;
}

type Counts = Pick<Generation, 'embedded' | 'chunks' | 'failedChunks'>;

/** Lists the generations, newest first. Counts again only what this or another process has changed. */
export function createGenerationList(rows: Rows): () => Generation[] {
  const totals = createRevisionCache<'notes', number>(rows, Number.POSITIVE_INFINITY);
  const cache = new Map<number, { readonly revision: number; readonly counts: Counts }>();
  const countsOf = (generation: number, revision: number): Counts => {
    const last = cache.get(generation);
    const counts = last?.revision === revision ? last.counts : countChunks(rows, generation);
    cache.set(generation, { revision, counts });
    return counts;
  };
  return () => {
    const generations = rows.checked<GenerationRow>(
      `SELECT * FROM generations WHERE state <> 'dropped' ORDER BY id DESC`,
    );
    if (generations.length === 0) return [];
    const total = memoize(() => countNotes(rows), totals())('notes');
    return generations.map(({ id, role, state, activated, fingerprint, revision }) => {
      const counts = countsOf(id, revision);
      const row = { id, role, state, activatedAt: activated, fingerprint: unpackFingerprint(fingerprint) };
      return { ...row, ...counts, pending: total - counts.embedded, total };
    });
  };
}

function countNotes(rows: Rows): number {
  return (
    rows.value<number>(
      `SELECT count(*) FROM files WHERE kind IN ('note', 'canvas') AND hash IS NOT NULL AND id NOT IN ${EXCLUDED}`,
    ) ?? 0
  );
}

function countChunks(rows: Rows, generation: number): Counts {
  const sql = `SELECT count(*) AS embedded, ifnull(sum(chunks), 0) AS chunks, ifnull(sum(failed), 0) AS failedChunks
    FROM embedded WHERE generation = ? AND hash IS NOT NULL AND file NOT IN ${EXCLUDED}`;
  return rows.first<Counts>(sql, generation) ?? { embedded: 0, chunks: 0, failedChunks: 0 };
}

/** Finds the generation of this role and fingerprint, preferably an active one, then the newest; or creates it. */
export function openGeneration(rows: Rows, role: GenerationRole, fingerprint: Fingerprint, now: string): Generation {
  const generations = createGenerationList(rows);
  const same = generations().filter(
    (one) => one.role === role && fingerprintDifferences(one.fingerprint, fingerprint).length === 0,
  );
  const chosen = same.find(({ state }) => state === 'active') ?? same[0];
  if (chosen !== undefined) return chosen;
  const sql = `INSERT INTO generations (role, state, fingerprint, dims, revision, removed, created)
    VALUES (?, 'building', ?, ?, 0, 0, ?)`;
  const id = rows.run(sql, role, packFingerprint(fingerprint), fingerprint.dims, now);
  const created = generations().find((generation) => generation.id === id);
  if (created === undefined) throw new VaultgraphError('INTERNAL', { kind: 'no_such_generation' });
  return created;
}

/** The active generation of the role becomes the previous one, and the previous one is dropped. */
export function activate(rows: Rows, generation: number, now: string): void {
  existingGeneration(rows, generation);
  const [role, state] =
    rows.tuples<[string, string]>('SELECT role, state FROM generations WHERE id = ?', generation)[0] ?? [];
  if (role === undefined || state === 'active') return;
  const others = 'role = ? AND id <> ? AND state = ?';
  rows.update('generations', [`state = 'dropped'`], [others, role, generation, 'previous']);
  rows.update('generations', [`state = 'previous'`], [others, role, generation, 'active']);
  rows.update('generations', [`state = 'active', activated = ?`, now], ['id = ?', generation]);
}

/** Drops the generations that are being built, except `kept`. */
export function dropUnfinished(rows: Rows, kept: readonly number[]): void {
  const unfinished = `state = 'building' AND id NOT IN (SELECT value FROM json_each(?))`;
  rows.update('generations', [`state = 'dropped'`], [unfinished, JSON.stringify(kept)]);
}

function packFingerprint(fingerprint: Fingerprint): string {
  const samples = fingerprint.samples.map((sample) => Buffer.from(bytesOf(sample)).toString('base64'));
  return JSON.stringify({ ...fingerprint, samples });
}

function unpackFingerprint(packed: string): Fingerprint {
  const { samples, ...rest } = JSON.parse(packed) as Omit<Fingerprint, 'samples'> & { samples: readonly string[] };
  return { ...rest, samples: samples.map((sample) => vectorFrom(Buffer.from(sample, 'base64'))) };
}
