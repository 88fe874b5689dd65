// Reads, takes and frees the lease in PostgreSQL, and refuses a change by a server that does not hold it.
import { packKept } from '../../../base/kept-json.ts';
import type { Lease } from '../../../contracts/lease.ts';
import {
  canTake,
  holderRow,
  type LeaseColumns,
  type LeaseRequest,
  leaseConflict,
  toLease,
} from '../../sqlite/sharing/lease.ts';
import type { PackedUpdate } from '../../sqlite/sharing/packed-jobs.ts';
import { valueIn } from '../checked-values.ts';
import type { Run } from '../connection/database.ts';
import { beginHistory } from './histories.ts';
import { answerRequests, saveJobs } from './jobs.ts';

/** The time of the last heartbeat by the server's clock, as a time of this machine: only its age is shown. */
export const LEASE = `SELECT token, beats, holder, report, extract(epoch FROM now() - beat_at) * 1000 AS age FROM $schema.lease`;

export interface LeaseRow extends Omit<LeaseColumns, 'beat_at'> {
  readonly age: number | string | null;
}

/** @throws DamagedOriginal */
export function leaseFrom({ age, ...row }: LeaseRow, token: number | null): Lease {
  const holder = row.holder === null ? null : valueIn<string>(row.holder, HOLDER, 'the lease');
  const report = row.report === null ? null : valueIn<string>(row.report, REPORT, 'the lease');
  const beatAt = age === null ? null : new Date(Date.now() - Number(age)).toISOString();
  return toLease({ ...row, holder, report, beat_at: beatAt }, token);
}

/** The purposes of the texts of the row, which their hashes include. */
const [HOLDER, REPORT] = ['holder', 'report'];

async function readLease(run: Run, token: number | null): Promise<Lease> {
  const [row] = await run<LeaseRow>(LEASE);
  if (row === undefined) throw leaseConflict(undefined);
  return leaseFrom(row, token);
}

/** @throws INDEX_CONFLICT if the lease is not that of `token`, or is held although there is none */
export async function throwIfLost(run: Run, token: number | null): Promise<void> {
  const { isMine, holder } = await readLease(run, token);
  if (!(isMine || (token === null && holder === undefined))) throw leaseConflict(holder);
}

/**
 * The condition of every change: the lease is that of `$1`, or free if `$1` is null. Changing the row locks it, so that no other
 * server takes the lease before the change is committed.
 */
export const BEAT = `UPDATE $schema.lease SET beats = beats + 1, beat_at = now()
  WHERE (token = $1 AND holder IS NOT NULL) OR ($1::bigint IS NULL AND holder IS NULL)`;

/** After a restore the next number would be a token that a server of the lost history has. */
const CLOCK = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** @returns the new token; null if another process holds the lease */
export async function takeLease(
  run: Run,
  request: LeaseRequest,
  token: number | null,
  now: string,
): Promise<number | null> {
  const lease = await readLease(run, token);
  if (!canTake(lease, request)) return null;
  const sql = `UPDATE $schema.lease SET token = greatest(token + 1, ${CLOCK}), beats = beats + 1, holder = $3, beat_at = now(), report = NULL
    WHERE token = $1 AND beats = $2 RETURNING token`;
  const holder = packKept(JSON.stringify(holderRow(request.client, now)), HOLDER);
  const [taken] = await run<{ token: number }>(sql, [lease.token, lease.heartbeats, holder]);
  if (taken === undefined) return null;
  await beginHistory(run);
  await saveJobs(run, request.jobs, taken.token, now);
  return taken.token;
}

/** @throws INDEX_CONFLICT */
export async function updateHolder(
  run: Run,
  { report, jobs, answers }: PackedUpdate,
  token: number | null,
  now: string,
): Promise<void> {
  const sql = BEAT.replace('now()', 'now(), report = $2');
  const [beaten] = await run(`${sql} RETURNING token`, [token, packKept(report, REPORT)]);
  if (beaten === undefined) await throwIfLost(run, token);
  await saveJobs(run, jobs, token ?? 0, now);
  await answerRequests(run, answers);
}

/** @returns whether the lease was still held; a store that lost it cannot write from then on */
export async function releaseLease(run: Run, token: number | null): Promise<boolean> {
  const sql = `UPDATE $schema.lease SET holder = NULL, report = NULL, beats = beats + 1
    WHERE token = $1 AND holder IS NOT NULL RETURNING token`;
  return (await run(sql, [token])).length > 0;
}
