// Packs jobs, reports, requests and answers that processes share as JSON, and unpacks them.
import { type DetailsOf, type ErrorCode, type Retry, VaultgraphError } from '../../../base/errors.ts';
import type { IndexJob } from '../../../contracts/indexer.ts';
import type {
  HolderReport,
  HolderUpdate,
  KeptJob,
  KeptRequest,
  Lease,
  OpenRequest,
  SharedAnswer,
  SharedRequest,
} from '../../../contracts/lease.ts';
import type { Rows } from '../database/rows.ts';

export const MAX_JOBS_PER_KIND = 20;
/** The sender reads the answer soon after it is written; far fewer requests are made in that time. */
export const MAX_REQUESTS = 500;

export interface JobColumns {
  readonly has_ended: number | boolean;
  readonly token: number;
  readonly saved_at: string;
  readonly job: string;
  readonly request: string;
}

/** A job is still running only if the lease under which it was last saved is held by a running process. */
export function unpackKept({ has_ended, token, saved_at, job, request }: JobColumns, lease: Lease): KeptJob {
  const isRunning = token === lease.token && lease.holder !== undefined && !lease.isDead;
  const saved = unpackJob(job);
  const isCurrent = Boolean(has_ended) || isRunning;
  return { job: isCurrent ? saved : interrupted(saved, saved_at), request: JSON.parse(request) as KeptRequest };
}

function interrupted({ waiting: _waiting, ...job }: IndexJob, endedAt: string): IndexJob {
  return Object.freeze({ ...job, state: 'interrupted' as const, endedAt });
}

export interface OpenColumns {
  readonly id: number;
  readonly request: string;
}

export const unpackOpen = ({ id, request }: OpenColumns): OpenRequest => ({
  id,
  request: JSON.parse(request) as SharedRequest,
});

/** An error without its id and its cause, which only its own process can use. */
interface PackedError {
  readonly code: ErrorCode;
  readonly details: DetailsOf<ErrorCode>;
  readonly retry: Retry;
  readonly retryAfterMs?: number;
}

type Packed<T> = { readonly [K in keyof T]: T[K] extends VaultgraphError | undefined ? PackedError : T[K] };

export interface PackedJob extends Pick<IndexJob, 'id' | 'kind'> {
  readonly hasEnded: boolean;
  readonly job: string;
  readonly request: string;
}

/** Writes JSON with errors in it as `PackedError`. */
const pack = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (part instanceof VaultgraphError ? packError(part) : part));

function packError({ code, details, retry, retryAfterMs }: VaultgraphError): PackedError {
  return { code, details, retry, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

function unpackError({ code, details, ...more }: PackedError): VaultgraphError {
  return new VaultgraphError(code, details, more);
}

export function packJob({ job, request }: KeptJob): PackedJob {
  const { kind, paths, confirmed, renewVectors } = request;
  return {
    id: job.id,
    kind: job.kind,
    hasEnded: job.endedAt !== undefined,
    job: pack(job),
    request: pack({ kind, paths, confirmed, renewVectors }),
  };
}

function unpackJob(text: string): IndexJob {
  const { failures, error, ...job } = JSON.parse(text) as Packed<IndexJob> & { error?: PackedError };
  const packed = failures as unknown as readonly { id: string; error: PackedError }[];
  return Object.freeze({
    ...(job as unknown as IndexJob),
    failures: packed.map((failure) => ({ id: failure.id, error: unpackError(failure.error) })),
    ...(error && { error: unpackError(error) }),
  });
}

const packReport = (report: HolderReport): string => pack(report);

export function unpackReport(text: string): HolderReport {
  const { lastError, ...report } = JSON.parse(text) as Omit<HolderReport, 'lastError'> & { lastError?: PackedError };
  return { ...report, ...(lastError && { lastError: unpackError(lastError) }) };
}

const packAnswer = (answer: SharedAnswer): string =>
  pack('job' in answer ? { job: pack(answer.job) } : { error: answer.error });

export function unpackAnswer(text: string): SharedAnswer {
  const answer = JSON.parse(text) as { job: string } | { error: PackedError };
  return 'job' in answer ? { job: unpackJob(answer.job) } : { error: unpackError(answer.error) };
}

/** What the leader writes with a heartbeat. */
export interface PackedUpdate {
  readonly report: string;
  readonly jobs: readonly PackedJob[];
  readonly answers: readonly { readonly id: number; readonly answer: string }[];
}

export function packUpdate({ report, jobs, answers }: HolderUpdate): PackedUpdate {
  const packed = answers.map(({ id, answer }) => ({ id, answer: packAnswer(answer) }));
  return { report: packReport(report), jobs: jobs.map(packJob), answers: packed };
}

// Stores index jobs and requests to the lease holder as JSON, for all processes that share the index.

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
