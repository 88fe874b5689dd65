// Reads, takes and releases the lease, and refuses changes of the index by a process that does not hold it.
import { VaultgraphError } from '../../../base/errors.ts';
import type { IndexHolder } from '../../../contracts/indexer.ts';
import type { Lease } from '../../../contracts/lease.ts';
import { hasEnded, ownIdentity, type ProcessIdentity } from '../../processes/process-identity.ts';
import type { Rows } from '../database/rows.ts';
import { answerRequest, type PackedJob, type PackedUpdate, saveJobs, unpackReport } from './packed-jobs.ts';

/** Stored as JSON. `pid` is the process id that the process itself sees. */
export interface HolderRow extends Pick<IndexHolder, 'pid' | 'client' | 'since'> {
  readonly life: ProcessIdentity;
}

export interface LeaseColumns {
  readonly token: number;
  readonly beats: number;
  readonly holder: string | null;
  readonly beat_at: string | null;
  readonly report: string | null;
}

/** @param token the token under which this store took the lease; null if it did not */
export function readLease(rows: Rows, token: number | null): Lease {
  return toLease(leaseRow(rows), token);
}

export function toLease(row: LeaseColumns, token: number | null): Lease {
  const holder = holderIn(row);
  return {
    token: row.token,
    heartbeats: row.beats,
    isMine: holder !== undefined && token === row.token,
    ...(holder && { holder: toHolder(holder, row) }),
    isDead: holder !== undefined && hasEnded(holder.life),
    ...(row.report === null ? {} : { report: unpackReport(row.report) }),
  };
}

/**
 * Called in every transaction that changes the index. It counts as a heartbeat, so a long run of changes keeps its lease.
 * @param token null for a store that never took the lease; it may write while the lease is free
 * @throws INDEX_CONFLICT
 */
export function checkLease(rows: Rows, token: number | null, now: string): void {
  const row = leaseRow(rows);
  const holder = holderIn(row);
  if (token === null && holder === undefined) return;
  if (token !== row.token || holder === undefined) throw leaseConflict(holder && toHolder(holder, row));
  rows.update('lease', ['beats = beats + 1, beat_at = ?', now], ['TRUE']);
}

export function leaseConflict(holder: IndexHolder | undefined): VaultgraphError {
  return new VaultgraphError('INDEX_CONFLICT', holder === undefined ? {} : { holder });
}

function leaseRow(rows: Rows): LeaseColumns {
  const [row] = rows.checked<LeaseColumns>('SELECT * FROM lease');
  if (row === undefined) throw new VaultgraphError('INTERNAL', { kind: 'no_lease' });
  return row;
}

function holderIn({ holder }: LeaseColumns): HolderRow | undefined {
  return holder === null ? undefined : (JSON.parse(holder) as HolderRow);
}

function toHolder({ pid, client, since }: HolderRow, { beat_at: heartbeatAt, report }: LeaseColumns): IndexHolder {
  const age = heartbeatAt === null ? 0 : Math.max(0, Date.now() - Date.parse(heartbeatAt));
  // The client may send its name after the process has taken the lease.
  return { pid, client: report === null ? client : unpackReport(report).client, since, heartbeat_age_ms: age };
}

export interface LeaseRequest {
  readonly client: string;
  readonly stalled: Pick<Lease, 'token' | 'heartbeats'> | null;
  readonly jobs: readonly PackedJob[];
}

/** Whether the lease is free, its own, or of a process that has ended or is known to be silent. */
export function canTake({ token, heartbeats, holder, isMine, isDead }: Lease, { stalled }: LeaseRequest): boolean {
  const isStalled = stalled?.token === token && stalled.heartbeats === heartbeats;
  return holder === undefined || isMine || isDead || isStalled;
}

export const holderRow = (client: string, now: string): HolderRow => ({
  pid: process.pid,
  client,
  since: now,
  life: ownIdentity(),
});

/** @returns the new token; null if another process holds the lease */
export function takeLease(rows: Rows, request: LeaseRequest, ownToken: number | null, now: string): number | null {
  const lease = readLease(rows, ownToken);
  if (!canTake(lease, request)) return null;
  const { token } = lease;
  const { client, jobs } = request;
  const row = holderRow(client, now);
  const set = 'token = ?, beats = beats + 1, holder = ?, beat_at = ?, report = NULL';
  rows.update('lease', [set, token + 1, JSON.stringify(row), now], ['TRUE']);
  saveJobs(rows, jobs, token + 1, now);
  return token + 1;
}

/** @throws INDEX_CONFLICT */
export function updateHolder(
  rows: Rows,
  { report, jobs, answers }: PackedUpdate,
  token: number | null,
  now: string,
): void {
  checkLease(rows, token, now);
  rows.update('lease', ['report = ?', report], ['TRUE']);
  saveJobs(rows, jobs, token ?? 0, now);
  for (const { id, answer } of answers) answerRequest(rows, id, answer);
}

/** @returns whether the lease was still held; a store that lost it cannot write from then on */
export function releaseLease(rows: Rows, token: number | null): boolean {
  const { isMine } = readLease(rows, token);
  if (isMine) rows.update('lease', ['holder = NULL, report = NULL'], ['TRUE']);
  return isMine;
}
