// What processes share beside the index: the lease to write it, the jobs, and the requests of followers to the leader.
import type { VaultgraphError } from '../base/errors.ts';
import type { IndexHolder, IndexJob, IndexRequest, IndexState } from './indexer.ts';

/** What the leader reports with each heartbeat. */
export interface HolderReport extends Pick<IndexState, 'freshness' | 'watching' | 'lastError'> {
  readonly client: string;
}

/** The right to write the index. */
export interface Lease {
  /** Grows each time the lease is taken; a write under an older token is refused. */
  readonly token: number;
  /** Number of heartbeats; grows with each. */
  readonly heartbeats: number;
  /** Whether this store holds it. */
  readonly isMine: boolean;
  /** Absent while the lease is free. `heartbeat_age_ms` depends on the clocks of both processes: only for display. */
  readonly holder?: IndexHolder;
  /** Whether the holder's process has ended for certain; an unknown state counts as alive. */
  readonly isDead: boolean;
  readonly report?: HolderReport;
}

/** What is needed to run a job again. */
export type KeptRequest = Pick<IndexRequest, 'kind' | 'paths' | 'confirmed' | 'renewVectors'>;

/** A job as it is stored, with its request. */
export interface KeptJob {
  readonly job: IndexJob;
  readonly request: KeptRequest;
}

/** A request of a follower to the leader. */
export type SharedRequest =
  | { readonly kind: 'refresh'; readonly paths: readonly string[] }
  | { readonly kind: 'catch_up' }
  | { readonly kind: 'cancel'; readonly jobId: string };

export type SharedAnswer = { readonly job: IndexJob } | { readonly error: VaultgraphError };

export interface OpenRequest {
  readonly id: number;
  readonly request: SharedRequest;
}

export interface LeaseRequest {
  readonly client: string;
  /** A lease whose holder has sent no heartbeat for too long; it is taken over if it is unchanged. */
  readonly stalled?: Pick<Lease, 'token' | 'heartbeats'>;
  /** The jobs to store with the new lease. */
  readonly jobs: readonly KeptJob[];
}

export interface HolderUpdate {
  readonly report: HolderReport;
  readonly jobs: readonly KeptJob[];
  readonly answers: readonly { readonly id: number; readonly answer: SharedAnswer }[];
}

/**
 * The part of the store that coordinates processes. Every change of the index fails with INDEX_CONFLICT in a process that lost the
 * lease, or that never had it while another process does.
 * @example
 * const { isMine } = await store.takeLease({ client: 'vaultgraph', jobs: [] }, signal);
 */
export interface SharedStore {
  /** A number that changes whenever any process writes; very cheap. */
  mark(signal: AbortSignal): Promise<number>;
  lease(signal: AbortSignal): Promise<Lease>;
  /** Takes the lease if it is free, its holder is dead, or it is the same as `stalled`. @returns the lease afterwards */
  takeLease(taking: LeaseRequest, signal: AbortSignal): Promise<Lease>;
  /** Writes a heartbeat, jobs and answers in one transaction. @throws INDEX_CONFLICT once another process holds the lease */
  publish(update: HolderUpdate, signal: AbortSignal): Promise<void>;
  /** Frees the lease if it is still held through this store. */
  releaseLease(signal: AbortSignal): Promise<void>;
  /** Newest first, the last 20 of each kind. A running job whose process ended or lost the lease is `interrupted`. */
  keptJobs(signal: AbortSignal): Promise<readonly KeptJob[]>;
  /** @returns the id for `leaderReply` */
  requestFromLeader(request: SharedRequest, signal: AbortSignal): Promise<number>;
  /** The requests without an answer, oldest first. */
  openRequests(signal: AbortSignal): Promise<readonly OpenRequest[]>;
  /** Undefined while there is none. Answers are deleted after a while. */
  leaderReply(id: number, signal: AbortSignal): Promise<SharedAnswer | undefined>;
}
