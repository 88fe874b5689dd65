// Turns jobs, reports and answers into JSON and back, the errors in them included.
import { type DetailsOf, type ErrorCode, type Retry, VaultgraphError } from '../../../base/errors.ts';
import type { IndexJob } from '../../../contracts/indexer.ts';
import type { HolderReport, KeptJob, SharedAnswer } from '../../../contracts/lease.ts';

/** What is kept of an error; its id and its cause stay with the process that met it. */
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

/** JSON leaves out what is undefined, and each error becomes what is kept of it. */
const pack = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (part instanceof VaultgraphError ? packError(part) : part));

function packError({ code, details, retry, retryAfterMs }: VaultgraphError): PackedError {
  return { code, details, retry, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

function unpackError({ code, details, ...more }: PackedError): VaultgraphError {
  return new VaultgraphError(code, details, more);
}

export function packJob({ job, request }: KeptJob): PackedJob {
  const { kind, paths, confirmed, retryFailed } = request;
  return {
    ...{ id: job.id, kind: job.kind, hasEnded: job.endedAt !== undefined },
    ...{ job: pack(job), request: pack({ kind, paths, confirmed, retryFailed }) },
  };
}

export function unpackJob(text: string): IndexJob {
  const { failures, error, ...job } = JSON.parse(text) as Packed<IndexJob> & { error?: PackedError };
  const packed = failures as unknown as readonly { id: string; error: PackedError }[];
  return Object.freeze({
    ...(job as unknown as IndexJob),
    failures: packed.map((failure) => ({ id: failure.id, error: unpackError(failure.error) })),
    ...(error && { error: unpackError(error) }),
  });
}

export const packReport = (report: HolderReport): string => pack(report);

export function unpackReport(text: string): HolderReport {
  const { lastError, ...report } = JSON.parse(text) as Omit<HolderReport, 'lastError'> & { lastError?: PackedError };
  return { ...report, ...(lastError && { lastError: unpackError(lastError) }) };
}

export const packAnswer = (answer: SharedAnswer): string =>
  pack('job' in answer ? { job: pack(answer.job) } : { error: answer.error });

export function unpackAnswer(text: string): SharedAnswer {
  const answer = JSON.parse(text) as { job: string } | { error: PackedError };
  return 'job' in answer ? { job: unpackJob(answer.job) } : { error: unpackError(answer.error) };
}
