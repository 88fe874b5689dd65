// Stores index jobs and requests to the lease holder as JSON, for all processes that share the index.
import type { KeptJob, Lease, OpenRequest, SharedAnswer } from '../../../contracts/lease.ts';
import type { Rows } from '../database/rows.ts';
import {
  type JobColumns,
  MAX_JOBS_PER_KIND,
  MAX_REQUESTS,
  type OpenColumns,
  type PackedJob,
  unpackAnswer,
  unpackKept,
  unpackOpen,
} from './packed-jobs.ts';

export function saveJobs(rows: Rows, jobs: readonly PackedJob[], token: number, now: string): void {
  for (const { id, kind, hasEnded, job, request } of jobs) {
    rows.verify('jobs', ['id = ?', id]);
    const sql = `INSERT INTO jobs (id, kind, has_ended, token, saved_at, job, request) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET has_ended = excluded.has_ended, token = excluded.token, saved_at = excluded.saved_at, job = excluded.job`;
    rows.run(sql, id, kind, Number(hasEnded), token, now, job, request);
    rows.run(
      `DELETE FROM jobs WHERE kind = ? AND ordinal <=
        (SELECT ordinal FROM jobs WHERE kind = ? ORDER BY ordinal DESC LIMIT 1 OFFSET ?)`,
      kind,
      kind,
      MAX_JOBS_PER_KIND,
    );
  }
}

/** Newest first. */
export function keptJobs(rows: Rows, lease: Lease): KeptJob[] {
  return rows.checked<JobColumns>('SELECT * FROM jobs ORDER BY ordinal DESC').map((job) => unpackKept(job, lease));
}

export function addRequest(rows: Rows, request: string): number {
  const id = rows.run('INSERT INTO requests (request) VALUES (?)', request);
  rows.run('DELETE FROM requests WHERE id <= ?', id - MAX_REQUESTS);
  return id;
}

export function openRequests(rows: Rows): OpenRequest[] {
  const sql = 'SELECT * FROM requests WHERE answer IS NULL ORDER BY id';
  return rows.checked<OpenColumns>(sql).map(unpackOpen);
}

export function answerRequest(rows: Rows, id: number, answer: string): void {
  rows.update('requests', ['answer = ?', answer], ['id = ?', id]);
}

export function requestAnswer(rows: Rows, id: number): SharedAnswer | undefined {
  const [row] = rows.checked<{ answer: string | null }>('SELECT * FROM requests WHERE id = ?', id);
  return row === undefined || row.answer === null ? undefined : unpackAnswer(row.answer);
}
