// Keeps the jobs of all processes, so many of each kind.
import type { IndexJob } from '../../../contracts/indexer.ts';
import type { KeptJob, KeptRequest } from '../../../contracts/lease.ts';
import type { Rows } from '../database/rows.ts';
import { leaseNow } from './lease-row.ts';
import { type PackedJob, unpackJob } from './packed-job.ts';

const KEPT_OF_A_KIND = 20;

export function saveJobs(rows: Rows, jobs: readonly PackedJob[], token: number, now: string): void {
  for (const { id, kind, hasEnded, job, request } of jobs) {
    const sql = `INSERT INTO jobs (id, kind, has_ended, token, told, job, request) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET has_ended = excluded.has_ended, token = excluded.token, told = excluded.told, job = excluded.job`;
    rows.run(sql, id, kind, Number(hasEnded), token, now, job, request);
    rows.run(
      `DELETE FROM jobs WHERE kind = ? AND ordinal <=
        (SELECT ordinal FROM jobs WHERE kind = ? ORDER BY ordinal DESC LIMIT 1 OFFSET ?)`,
      kind,
      kind,
      KEPT_OF_A_KIND,
    );
  }
}

interface JobColumns {
  readonly hasEnded: number;
  readonly token: number;
  readonly told: string;
  readonly job: string;
  readonly request: string;
}

/** Newest first. A job goes on only under the lease it was told of under last, while somebody who lives holds that. */
export function keptJobs(rows: Rows): KeptJob[] {
  const lease = leaseNow(rows, null);
  const sql = 'SELECT has_ended AS hasEnded, token, told, job, request FROM jobs ORDER BY ordinal DESC';
  return rows.all<JobColumns>(sql).map(({ hasEnded, token, told, job, request }) => {
    const goesOn = token === lease.token && lease.holder !== undefined && !lease.isDead;
    const known = unpackJob(job);
    return {
      job: hasEnded === 1 || goesOn ? known : cutOff(known, told),
      request: JSON.parse(request) as KeptRequest,
    };
  });
}

function cutOff({ waiting: _waiting, ...job }: IndexJob, endedAt: string): IndexJob {
  return Object.freeze({ ...job, state: 'interrupted' as const, endedAt });
}
