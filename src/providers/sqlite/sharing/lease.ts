// Who may write the index: reads the one row of the lease, and holds every change of the index to it.
import { VaultgraphError } from '../../../base/errors.ts';
import type { IndexHolder } from '../../../contracts/indexer.ts';
import type { Lease } from '../../../contracts/lease.ts';
import { hasEnded, ownLife, type ProcessLife } from '../../processes/process-identity.ts';
import type { Rows } from '../database/rows.ts';
import { answerRequest, type PackedJob, saveJobs, unpackReport } from './jobs-and-requests.ts';

/** As it is kept. `pid` is as the process itself knows it. */
export interface HolderRow extends Pick<IndexHolder, 'pid' | 'client' | 'since'> {
  readonly life: ProcessLife;
}

interface LeaseColumns {
  readonly token: number;
  readonly beats: number;
  readonly holder: string | null;
  readonly beatAt: string | null;
  readonly report: string | null;
}

const COLUMNS = 'SELECT token, beats, holder, beat_at AS beatAt, report FROM lease';

/** @param token under which the asking store holds it; null where it does not */
export function leaseNow(rows: Rows, token: number | null): Lease {
  const row = columns(rows);
  const holder = holderIn(row);
  return {
    ...{ token: row.token, beats: row.beats, isMine: holder !== undefined && token === row.token },
    ...(holder && { holder: shown(holder, row) }),
    isDead: holder !== undefined && hasEnded(holder.life),
    ...(row.report === null ? {} : { report: unpackReport(row.report) }),
  };
}

/**
 * Called inside every transaction that changes the index, and a sign of life in itself: one that takes long holds its lease.
 * @param token null of a store that never took the lease, which may write while nobody has it
 * @throws INDEX_CONFLICT
 */
export function mayWrite(rows: Rows, token: number | null, now: string): void {
  const row = columns(rows);
  const holder = holderIn(row);
  if (token === null && holder === undefined) return;
  if (token !== row.token || holder === undefined) throw conflict(holder && shown(holder, row));
  rows.run('UPDATE lease SET beats = beats + 1, beat_at = ?', now);
}

export function conflict(holder: IndexHolder | undefined): VaultgraphError {
  return new VaultgraphError('INDEX_CONFLICT', holder === undefined ? {} : { holder });
}

function columns(rows: Rows): LeaseColumns {
  const row = rows.first<LeaseColumns>(COLUMNS);
  if (row === undefined) throw new VaultgraphError('INTERNAL', { kind: 'no_lease' });
  return row;
}

function holderIn({ holder }: LeaseColumns): HolderRow | undefined {
  return holder === null ? undefined : (JSON.parse(holder) as HolderRow);
}

function shown({ pid, client, since }: HolderRow, { beatAt, report }: LeaseColumns): IndexHolder {
  const age = beatAt === null ? 0 : Math.max(0, Date.now() - Date.parse(beatAt));
  // A client may tell its name later than its process took the lease.
  return { pid, client: report === null ? client : unpackReport(report).client, since, heartbeat_age_ms: age };
}

export interface PackedTaking {
  readonly client: string;
  readonly still: Pick<Lease, 'token' | 'beats'> | null;
  readonly jobs: readonly PackedJob[];
}

export interface PackedTold {
  readonly report: string;
  readonly jobs: readonly PackedJob[];
  readonly answers: readonly { readonly id: number; readonly answer: string }[];
}

/** @returns the token under which it is held from now on; null where another one has it */
export function takeLease(rows: Rows, { client, still, jobs }: PackedTaking, held: number | null, now: string) {
  const { token, beats, holder, isMine, isDead } = leaseNow(rows, held);
  const standsStill = still?.token === token && still.beats === beats;
  if (holder !== undefined && !isMine && !isDead && !standsStill) return null;
  const row: HolderRow = { pid: process.pid, client, since: now, life: ownLife() };
  const sql = 'UPDATE lease SET token = ?, beats = beats + 1, holder = ?, beat_at = ?, report = NULL';
  rows.run(sql, token + 1, JSON.stringify(row), now);
  saveJobs(rows, jobs, token + 1, now);
  return token + 1;
}

/** @throws INDEX_CONFLICT */
export function tell(rows: Rows, { report, jobs, answers }: PackedTold, token: number | null, now: string): void {
  mayWrite(rows, token, now);
  rows.run('UPDATE lease SET report = ?', report);
  saveJobs(rows, jobs, token ?? 0, now);
  for (const { id, answer } of answers) answerRequest(rows, id, answer);
}

/** @returns whether it was still held; who lost it stays one who lost it */
export function releaseLease(rows: Rows, token: number | null): boolean {
  const { isMine } = leaseNow(rows, token);
  if (isMine) rows.run('UPDATE lease SET holder = NULL, report = NULL');
  return isMine;
}
