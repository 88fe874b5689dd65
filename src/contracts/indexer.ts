// The contract of what keeps the store true to the vault: state now, jobs on demand.
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

/** How changes of the vault come to the index; `off` where nobody looks for them. */
export interface WatchState {
  readonly mode: 'events' | 'polling' | 'off';
  /** Why it is not `events`: a code or an errno. */
  readonly reason?: string;
  /** Paths known to have changed that the index has not read yet. */
  readonly pending: number;
  /** ISO: when the oldest of them came to be known. */
  readonly oldestAt?: string;
  /** ISO: the end of the last whole scan that looked for missed changes. */
  readonly lastScanAt?: string;
}

/** The process that writes the index, as another one sees it. */
export interface IndexHolder {
  readonly pid: number;
  /** What it is: a client's own name, or the command. */
  readonly client: string;
  /** ISO. */
  readonly since: string;
  readonly heartbeat_age_ms: number;
}

export interface IndexState {
  /** `leader`: this process writes the index. `follower`: another one does, or nobody; it answers from what they wrote. */
  readonly role: 'leader' | 'follower';
  /** Of a follower: who leads; absent where nobody does. */
  readonly holder?: IndexHolder;
  /** Of a follower: as its leader told last. */
  readonly watching: WatchState;
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
  /** Begun by a hint and by nobody's word: a path that is nowhere is no failure, and what somebody asks for waits behind it. */
  readonly hinted?: boolean;
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
  /** Of a follower: as the store had it a moment ago. */
  state(): IndexState;
  /**
   * Starts a job, or joins the running one if it is of the same kind and reads the same notes; after a job that only a hint
   * started, it is queued. An `embed` job runs beside the others, starts by itself after each of them, and only a whole one may
   * start a generation of other vectors. If no process leads yet, the job waits for that, and ends as `interrupted` with
   * INDEX_CONFLICT if another process wins. Of a server, resolves once every process can find the job by its id.
   * @throws INDEX_CONFLICT while another job runs or another process leads; SHUTTING_DOWN
   */
  start(request: IndexRequest): Promise<IndexJob>;
  /**
   * Reads what lies at these paths now, or forgets what is gone from there, so that the next question is answered from it. Waits
   * for the job under way and is never in conflict with one; whoever leads does it. An abort ends the wait, not the reading.
   * @throws SHUTTING_DOWN; what keeps a follower from asking its leader
   */
  refresh(paths: readonly string[], signal: AbortSignal): Promise<IndexJob>;
  /**
   * A whole scan that begins no sooner than now, by whoever leads; otherwise as `refresh`.
   * @throws as `refresh`
   */
  catchUp(signal: AbortSignal): Promise<IndexJob>;
  /** The provider answered somebody: an `embed` job that waits for it or was interrupted goes on at once. */
  providerAnswered(): void;
  /** Newest first; those of other processes and of earlier runs too, as far as they are kept. */
  jobs(): readonly IndexJob[];
  /** Asks the job to stop, whichever process runs it; what it committed stays. @throws JOB_NOT_FOUND; the store's errors */
  cancel(id: string, signal: AbortSignal): Promise<IndexJob>;
  /**
   * The job once it ended, whichever process runs it, as far as that was told before it was kept no longer; an abort ends the wait,
   * not the job. @throws JOB_NOT_FOUND where it is unknown from the start
   */
  ended(id: string, signal: AbortSignal): Promise<IndexJob>;
}
