// The contract of what keeps the store true to the vault: state now, jobs on demand. Knows nothing of how notes are parsed.
import type { ErrorCode, VaultgraphError } from '../base/errors.ts';

/**
 * `retrying`: waits for a provider and goes on by itself · `interrupted`: what it needs is away; it goes on with the next start,
 * with `reindex`, or as soon as the provider answers anybody.
 */
export type JobState = 'queued' | 'running' | 'retrying' | 'succeeded' | 'failed' | 'cancelled' | 'interrupted';

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

/** What an `embed` job did with the chunks of the notes it counts: `kept` had their vectors from before. */
export interface ChunkCounts {
  readonly embedded: number;
  readonly kept: number;
  readonly failed: number;
  /** Requests that the provider was sent. */
  readonly requests: number;
}

export interface IndexJob {
  readonly id: string;
  /** `embed` brings the vectors up to date behind the others; `pull` fetches a model. */
  readonly kind: 'catch_up' | 'rebuild' | 'notes' | 'embed' | 'pull';
  readonly state: JobState;
  /** `ended` after a success; otherwise where it is or where it stopped. */
  readonly phase:
    | 'waiting'
    | 'listing'
    | 'comparing'
    | 'indexing'
    | 'identifying'
    | 'embedding'
    | 'activating'
    | 'pulling'
    | 'ended';
  /** ISO times. */
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly counts: IndexCounts;
  /** Of an `embed` job. */
  readonly chunks?: ChunkCounts;
  /** While `retrying`: the failure it waits out, and for how many milliseconds. */
  readonly waiting?: { readonly code: ErrorCode; readonly wait_ms: number };
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
  /** The last `embed` job since the start, whatever its state; absent without an embedding provider. */
  readonly embedJob?: IndexJob;
  /** Why the last job failed; absent after a success. */
  readonly lastError?: VaultgraphError;
}

export interface IndexRequest {
  readonly kind: IndexJob['kind'];
  /** Vault-relative paths to read again whatever their time stamps say; kind `notes` only. */
  readonly paths?: readonly string[];
  /** Lets a scan, or the reading of some notes, remove more notes than the mass-delete guard would. */
  readonly confirmed?: boolean;
  /** Has the `embed` job, or the one behind this job, try again the chunks whose text the provider refused before. */
  readonly retryFailed?: boolean;
  /** Milliseconds for which a provider is waited for that does not answer at all when its vectors are begun with; ten minutes without it. */
  readonly patienceMs?: number;
  /** Called about every 100 ms, at every new phase and at the end; must not throw. */
  readonly onProgress?: (job: IndexJob) => void;
}

export interface Indexer {
  state(): IndexState;
  /**
   * Starts a job, or joins the running one if it is of the same kind and reads the same notes. An `embed` job runs beside the
   * others, begins by itself behind each of them, and only a whole one may begin a generation of other vectors.
   * @throws INDEX_CONFLICT while another one runs; SHUTTING_DOWN
   */
  start(request: IndexRequest): IndexJob;
  /**
   * Reads what lies at these paths now, or forgets what is gone from there, so that the next question is answered from it. Waits
   * for the job under way and is never in conflict with one; an abort ends the wait, not the reading.
   * @throws SHUTTING_DOWN
   */
  refresh(paths: readonly string[], signal: AbortSignal): Promise<IndexJob>;
  /** The provider answered somebody: an `embed` job that waits for it or was interrupted goes on at once. */
  providerAnswered(): void;
  /** Newest first. */
  jobs(): readonly IndexJob[];
  /** Asks the job to stop; what it committed stays. @throws JOB_NOT_FOUND */
  cancel(id: string): IndexJob;
  /** The job once it ended; an abort ends the wait, not the job. @throws JOB_NOT_FOUND */
  ended(id: string, signal: AbortSignal): Promise<IndexJob>;
}
