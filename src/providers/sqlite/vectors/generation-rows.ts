// Reads the generations and counts what each holds. Changes none of them.
import { VaultgraphError } from '../../../base/errors.ts';
import type { Generation } from '../../../contracts/vectors.ts';
import type { Rows } from '../database/rows.ts';
import { unpackFingerprint } from './packed-fingerprint.ts';
import { vectorIn } from './unit-vector.ts';

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
