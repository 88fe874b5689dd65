// The contract of what keeps the store true to the vault: state now, jobs on demand. Knows nothing of how notes are parsed.
import type { VaultgraphError } from '../base/errors.ts';

export type JobState = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export interface IndexCounts {
  /** Files the job looked at, and those of them that had to be read. */
  readonly listed: number;
  readonly changed: number;
  /** Of `changed`: done so far, and how it ended; `indexed` counts those whose content proved to be the same, too. */
  readonly done: number;
  readonly indexed: number;
  readonly failed: number;
  /** Files the index forgot because they are gone. */
  readonly removed: number;
}

export interface IndexJob {
  readonly id: string;
  readonly kind: 'catch_up' | 'rebuild' | 'notes';
  readonly state: JobState;
  /** `ended` after a success; otherwise where it is or where it stopped. */
  readonly phase: 'waiting' | 'listing' | 'comparing' | 'indexing' | 'ended';
  /** ISO times. */
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly counts: IndexCounts;
  /**
   * The notes that could not be indexed, each also a quarantine row, and the asked-for paths that are nowhere; the rest is indexed.
   * At most a hundred are kept.
   */
  readonly failures: readonly { readonly id: string; readonly error: VaultgraphError }[];
  /** Why the job as a whole failed. */
  readonly error?: VaultgraphError;
}

export interface IndexState {
  /** `unknown`: no scan has ended well since start, or the last one failed, so nobody knows whether the index is true. */
  readonly freshness: 'fresh' | 'unknown';
  /** Whether a whole scan ever ended, now or in an earlier run. */
  readonly complete: boolean;
  readonly asOf: string | null;
  /** Notes, canvases and bases; up to date at the end of a job and somewhat behind while one runs. */
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
  /** Called about every 100 ms, at every new phase and at the end; must not throw. */
  readonly onProgress?: (job: IndexJob) => void;
}

export interface Indexer {
  state(): IndexState;
  /**
   * Starts a job, or joins the running one if it is of the same kind and reads the same notes.
   * @throws INDEX_CONFLICT while another one runs; SHUTTING_DOWN
   */
  start(request: IndexRequest): IndexJob;
  /** Newest first. */
  jobs(): readonly IndexJob[];
  /** Asks the job to stop; what it committed stays. @throws JOB_NOT_FOUND */
  cancel(id: string): IndexJob;
  /** The job once it ended; an abort ends the wait, not the job. @throws JOB_NOT_FOUND */
  ended(id: string, signal: AbortSignal): Promise<IndexJob>;
}
