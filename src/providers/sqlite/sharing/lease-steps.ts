// Takes the lease, tells what its holder has to tell, and frees it: each one step of a transaction.
import type { Lease } from '../../../contracts/lease.ts';
import type { Rows } from '../database/rows.ts';
import { saveJobs } from './job-rows.ts';
import { type HolderRow, leaseNow, mayWrite } from './lease-row.ts';
import type { PackedJob } from './packed-job.ts';
import { ownLife } from './process-life.ts';
import { answerRequest } from './request-rows.ts';

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
