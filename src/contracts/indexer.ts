// The contract of what keeps the store true to the vault: state now, jobs on demand. Knows nothing of how notes are parsed.
import type { VaultgraphError } from '../base/errors.ts';

export type JobState = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export interface IndexCounts {
  /** Files the vault holds, and those of them that had to be read. */
  readonly listed: number;
  readonly changed: number;
  /** Of `changed`: done so far, and how it ended. */
  readonly done: number;
  readonly indexed: number;
  readonly failed: number;
  readonly removed: number;
}

export interface IndexJob {
  readonly id: string;
  readonly kind: 'catch_up' | 'rebuild' | 'notes';
  readonly state: JobState;
  readonly phase: 'waiting' | 'listing' | 'comparing' | 'indexing' | 'ended';
  /** ISO times. */
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly counts: IndexCounts;
  /** The notes that could not be indexed, each also a quarantine row; the rest is indexed. At most a hundred are kept. */
  readonly failures: readonly { readonly id: string; readonly error: VaultgraphError }[];
  /** Why the job as a whole failed. */
  readonly error?: VaultgraphError;
}

export interface IndexState {
  /** `unknown`: no scan has ended since start, so nobody knows whether the index is true. */
  readonly freshness: 'fresh' | 'unknown';
  /** Whether a whole scan ever ended, now or in an earlier run. */
  readonly complete: boolean;
  readonly asOf: string | null;
  readonly total: number;
  readonly indexed: number;
  readonly pending: number;
  readonly quarantined: number;
  readonly running?: IndexJob;
  /** Why the last job failed; absent after a success. */
  readonly lastError?: VaultgraphError;
}

export interface IndexRequest {
  readonly kind: IndexJob['kind'];
  /** Vault-relative paths to read again whatever their time stamps say; kind `notes` only. */
  readonly paths?: readonly string[];
  /** Lets a scan remove more notes than the mass-delete guard would. */
  readonly confirmed?: boolean;
  readonly onProgress?: (job: IndexJob) => void;
}

export interface Indexer {
  state(): IndexState;
  /** Starts a job, or returns the running one of the same kind. @throws INDEX_CONFLICT while one of another kind runs */
  start(request: IndexRequest): IndexJob;
  /** Newest first. */
  jobs(): readonly IndexJob[];
  /** Asks the job to stop; what it committed stays. @throws JOB_NOT_FOUND */
  cancel(id: string): IndexJob;
  /** The job once it ended; an abort ends the wait, not the job. @throws JOB_NOT_FOUND */
  ended(id: string, signal: AbortSignal): Promise<IndexJob>;
}
