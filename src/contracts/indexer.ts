// Keeps the index true to the vault: its state, and jobs on demand.
import type { ErrorCode, VaultgraphError } from '../base/errors.ts';

/**
 * `retrying`: waits for a provider and continues by itself · `interrupted`: what it needs is unavailable; it continues with the next
 * start, with `reindex`, or as soon as the provider answers any call.
 */
export type JobState = 'queued' | 'running' | 'retrying' | 'succeeded' | 'failed' | 'cancelled' | 'interrupted';

export interface IndexCounts {
  /** Files that the job listed, and those of them that it had to read. */
  readonly listed: number;
  readonly changed: number;
  /** How many of `changed` were processed so far, and with which result; `indexed` includes files whose content was the same. */
  readonly done: number;
  readonly indexed: number;
  readonly failed: number;
  /** Files that were removed from the index. */
  readonly removed: number;
}

/** The chunks of an `embed` job; those `kept` had a vector before. */
export interface ChunkCounts {
  readonly embedded: number;
  readonly kept: number;
  readonly failed: number;
  /** Requests sent to the provider. */
  readonly requests: number;
}

export interface IndexJob {
  readonly id: string;
  /** `embed` brings the vectors up to date after the others; `pull` downloads a model. */
  readonly kind: 'catch_up' | 'rebuild' | 'notes' | 'embed' | 'pull';
  readonly state: JobState;
  /** `ended` after a success; otherwise the present phase, or the one in which the job stopped. */
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
  /** Only of an `embed` job. */
  readonly chunks?: ChunkCounts;
  /** For an `embed` job that replaces all vectors: in which parts those before differ. */
  readonly replaces?: readonly string[];
  /** While `retrying`: the error, and the pause in milliseconds. */
  readonly waiting?: { readonly code: ErrorCode; readonly wait_ms: number };
  /**
   * At most 100 of the notes that could not be indexed, each also a quarantine row, and of the requested paths that do not exist; all
   * other notes are indexed.
   */
  readonly failures: readonly { readonly id: string; readonly error: VaultgraphError }[];
  /** Why the job as a whole failed. */
  readonly error?: VaultgraphError;
}

/** How the index learns of changes; `off` if nothing watches the vault. */
export interface WatchState {
  readonly mode: 'events' | 'polling' | 'off';
  /** Why it is not `events`: an error code or an errno. */
  readonly reason?: string;
  /** Number of changed paths that are not indexed yet. */
  readonly pending: number;
  /** ISO time at which the oldest of them was noticed. */
  readonly oldestAt?: string;
  /** ISO time at which the last whole scan for missed changes ended. */
  readonly lastScanAt?: string;
}

/** The process that writes the index. */
export interface IndexHolder {
  readonly pid: number;
  /** The name that its client gave itself, or its command. */
  readonly client: string;
  /** ISO time at which it took the lease. */
  readonly since: string;
  readonly heartbeat_age_ms: number;
}

export interface IndexState {
  /** `leader`: this process writes the index. `follower`: another one does, or none; it answers from what is in the index. */
  readonly role: 'leader' | 'follower';
  /** Only of a follower: the leader; absent if there is none. */
  readonly holder?: IndexHolder;
  /** For a follower, what its leader last reported. */
  readonly watching: WatchState;
  /** `unknown`: no scan has succeeded since the start, or the last one failed, so the index may be out of date. */
  readonly freshness: 'fresh' | 'unknown';
  /** Whether a whole scan ever ended, in this run or an earlier one. */
  readonly complete: boolean;
  readonly asOf: string | null;
  /** Numbers of notes, canvases and bases; exact at the end of a job, slightly late while one runs. */
  readonly total: number;
  readonly indexed: number;
  readonly pending: number;
  readonly quarantined: number;
  readonly running?: IndexJob;
  /** Without a complete index: the leader has just begun to lead and has had no job yet, or this process is about to lead. */
  readonly isBeginning?: true;
  /** Which process writes the index could not be read. */
  readonly isHolderUnknown?: true;
  /** The last `embed` job since the start, in any state; absent without an embedding provider. */
  readonly embedJob?: IndexJob;
  /** The error of the last scan of the whole vault, or else of the last job; absent after a success. */
  readonly lastError?: VaultgraphError;
}

export interface IndexRequest {
  readonly kind: IndexJob['kind'];
  /** Vault-relative paths to read again, even if their time stamps are unchanged; kind `notes` only. */
  readonly paths?: readonly string[];
  /** Started by an event of the watcher: a path that does not exist is not a failure, and a caller's request waits instead of failing. */
  readonly hinted?: boolean;
  /** Allows the job to remove more notes than the mass-delete guard would. */
  readonly confirmed?: boolean;
  /**
   * The `embed` job, or the one after this job, retries the chunks whose text the provider refused before, and may replace the vectors
   * of a model that changed under its name.
   */
  readonly renewVectors?: boolean;
  /** Milliseconds to wait for a provider that does not answer at the start of an `embed` job; ten minutes by default. */
  readonly patienceMs?: number;
  /** Called about every 100 ms, at each new phase and at the end; must not throw. */
  readonly onProgress?: (job: IndexJob) => void;
}

/**
 * Brings the index up to date with the vault, in whichever process leads.
 * @example
 * const { id } = await indexer.refresh(['Inbox/Call the dentist.md'], signal);
 * const { state, counts } = await indexer.ended(id, signal);
 */
export interface Indexer {
  /** For a follower, the state that was last read from the store. */
  state(): IndexState;
  /**
   * Starts a job, or joins the running one if it is of the same kind and reads the same notes; after a job that only a hint
   * started or that was cancelled, it is queued. An `embed` job runs beside the others, starts by itself after each of them, and only a whole one may
   * start a generation of other vectors, and of a model that changed under its name only with `renewVectors`. If no process leads yet, the job waits for that, and ends as `interrupted` with
   * INDEX_CONFLICT if another process wins. Of a server, resolves once every process can find the job by its id.
   * @throws INDEX_CONFLICT while another job runs or another process leads; SHUTTING_DOWN
   */
  start(request: IndexRequest): Promise<IndexJob>;
  /**
   * Brings the index up to date with what is at these paths now, after the running job, so that the next query sees it. The leader
   * does it, in whichever process. Never fails with INDEX_CONFLICT. An abort ends the wait, not the job.
   * @throws SHUTTING_DOWN; the errors of asking the leader
   */
  refresh(paths: readonly string[], signal: AbortSignal): Promise<IndexJob>;
  /**
   * A whole scan that starts no sooner than now; otherwise as `refresh`.
   * @throws as `refresh`
   */
  catchUp(signal: AbortSignal): Promise<IndexJob>;
  /** To be called when the provider answers any call: an interrupted `embed` job continues at once. */
  providerAnswered(): void;
  /** Newest first; includes stored jobs of other processes and earlier runs. */
  jobs(): readonly IndexJob[];
  /** Cancels the job, in whichever process; what it committed stays. @throws JOB_NOT_FOUND; the store's errors */
  cancel(id: string, signal: AbortSignal): Promise<IndexJob>;
  /**
   * The job once it has ended, in whichever process; its last known state if its row was dropped meanwhile. An abort ends the wait,
   * not the job. @throws JOB_NOT_FOUND
   */
  ended(id: string, signal: AbortSignal): Promise<IndexJob>;
}
