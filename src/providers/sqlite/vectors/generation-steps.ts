// The life of a generation: opened, made the active one, kept as the previous, dropped.
import { VaultgraphError } from '../../../base/errors.ts';
import { type Fingerprint, fingerprintDifferences } from '../../../contracts/fingerprint.ts';
import type { Generation, GenerationRole } from '../../../contracts/vectors.ts';
import type { Rows } from '../database/rows.ts';
import { generations, writableGeneration } from './generation-rows.ts';
import { packFingerprint } from './packed-fingerprint.ts';

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
