// Reads the generations and counts what each holds. Changes none of them.
import { VaultgraphError } from '../../../base/errors.ts';
import { type Fingerprint, fingerprintDifferences } from '../../../contracts/fingerprint.ts';
import type { Generation, GenerationRole } from '../../../contracts/vectors.ts';
import type { Rows } from '../database/rows.ts';
import { bytesOf, vectorIn } from './vector-codes.ts';

interface GenerationRow extends Pick<Generation, 'id' | 'role' | 'state' | 'activatedAt'> {
  readonly fingerprint: string;
  readonly revision: number;
}

interface Held {
  readonly embedded: number;
  readonly chunks: number;
  readonly failedChunks: number;
}

/** A generation as those who read or write its vectors need it. */
export interface OpenGeneration {
  readonly dims: number;
  readonly revision: number;
  readonly removed: number;
  /** Null while it holds so few vectors that none has a code. */
  readonly middle: Float32Array | null;
}

interface Counting {
  /** Notes with content. */
  total(rows: Rows): number;
  held(rows: Rows, generation: number, revision: number): Held;
}

const ANEW: Counting = { total: countNotes, held: countHeld };

/** The newest first. */
export function generations(rows: Rows, counting = ANEW): Generation[] {
  const sql = `SELECT id, role, state, activated AS activatedAt, fingerprint, revision FROM generations
    WHERE state <> 'dropped' ORDER BY id DESC`;
  const found = rows.all<GenerationRow>(sql);
  if (found.length === 0) return [];
  const total = counting.total(rows);
  return found.map(({ revision, ...row }) => {
    const held = counting.held(rows, row.id, revision);
    return { ...row, fingerprint: unpackFingerprint(row.fingerprint), ...held, pending: total - held.embedded, total };
  });
}

/** Counts anew only what has changed, here or in another process. */
export function createCounting(): Counting {
  const total = remembering(countNotes);
  const held = remembering(countHeld);
  return {
    total: (rows) => total(rows, 0, rows.column<number>('SELECT revision FROM state')[0] ?? 0),
    held,
  };
}

function remembering<T>(count: (rows: Rows, of: number) => T): (rows: Rows, of: number, revision: number) => T {
  const kept = new Map<number, { readonly revision: number; readonly value: T }>();
  return (rows, of, revision) => {
    const known = kept.get(of);
    if (known?.revision === revision) return known.value;
    const value = count(rows, of);
    kept.set(of, { revision, value });
    return value;
  };
}

function countNotes(rows: Rows): number {
  return rows.column<number>(`SELECT count(*) FROM files WHERE kind = 'note' AND hash IS NOT NULL`)[0] ?? 0;
}

function countHeld(rows: Rows, generation: number): Held {
  const sql = `SELECT count(*) AS embedded, ifnull(sum(chunks), 0) AS chunks, ifnull(sum(failed), 0) AS failedChunks
    FROM embedded WHERE generation = ? AND hash IS NOT NULL`;
  return rows.first<Held>(sql, generation) ?? { embedded: 0, chunks: 0, failedChunks: 0 };
}

/** Undefined when there is none of that number, or none any more. */
export function generationNow(rows: Rows, generation: number): OpenGeneration | undefined {
  const sql = `SELECT dims, revision, removed, middle FROM generations WHERE id = ? AND state <> 'dropped'`;
  const row = rows.first<Omit<OpenGeneration, 'middle'> & { readonly middle: Uint8Array | null }>(sql, generation);
  return row && { ...row, middle: row.middle && vectorIn(row.middle) };
}

/** @throws INTERNAL when there is none: whoever writes to a generation has opened it */
export function writableGeneration(rows: Rows, generation: number): OpenGeneration {
  const found = generationNow(rows, generation);
  if (found === undefined) throw new VaultgraphError('INTERNAL', { kind: 'no_such_generation' });
  return found;
}

/** An active one before others of the same fingerprint, then the newest. */
export function openGeneration(rows: Rows, role: GenerationRole, fingerprint: Fingerprint, now: string): Generation {
  const same = generations(rows).filter(
    (known) => known.role === role && fingerprintDifferences(known.fingerprint, fingerprint).length === 0,
  );
  return same.find(({ state }) => state === 'active') ?? same[0] ?? newGeneration(rows, role, fingerprint, now);
}

function newGeneration(rows: Rows, role: GenerationRole, fingerprint: Fingerprint, now: string): Generation {
  const sql = `INSERT INTO generations (role, state, fingerprint, dims, revision, removed, created)
    VALUES (?, 'building', ?, ?, 0, 0, ?)`;
  const id = rows.run(sql, role, packFingerprint(fingerprint), fingerprint.dims, now);
  const opened = generations(rows).find((generation) => generation.id === id);
  if (opened === undefined) throw new VaultgraphError('INTERNAL', { kind: 'no_such_generation' });
  return opened;
}

/** The one before stays as the previous; what was previous is dropped. An active one stays what it is. */
export function activate(rows: Rows, generation: number, now: string): void {
  writableGeneration(rows, generation);
  const [role, state] =
    rows.tuples<[string, string]>('SELECT role, state FROM generations WHERE id = ?', generation)[0] ?? [];
  if (role === undefined || state === 'active') return;
  const among = 'role = ? AND id <> ? AND state = ?';
  rows.run(`UPDATE generations SET state = 'dropped' WHERE ${among}`, role, generation, 'previous');
  rows.run(`UPDATE generations SET state = 'previous' WHERE ${among}`, role, generation, 'active');
  rows.run(`UPDATE generations SET state = 'active', activated = ? WHERE id = ?`, now, generation);
}

/** Those that are being built and are none of `kept`. */
export function dropUnfinished(rows: Rows, kept: readonly number[]): void {
  const sql = `UPDATE generations SET state = 'dropped'
    WHERE state = 'building' AND id NOT IN (SELECT value FROM json_each(?))`;
  rows.run(sql, JSON.stringify(kept));
}

function packFingerprint(fingerprint: Fingerprint): string {
  const samples = fingerprint.samples.map((sample) => Buffer.from(bytesOf(sample)).toString('base64'));
  return JSON.stringify({ ...fingerprint, samples });
}

function unpackFingerprint(packed: string): Fingerprint {
  const { samples, ...rest } = JSON.parse(packed) as Omit<Fingerprint, 'samples'> & { samples: readonly string[] };
  return { ...rest, samples: samples.map((sample) => vectorIn(Buffer.from(sample, 'base64'))) };
}
