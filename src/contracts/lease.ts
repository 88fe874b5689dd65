// What processes share beside the index: who may write it, what that one tells the others, and what they ask of it. No engine's word appears here.
import type { VaultgraphError } from '../base/errors.ts';
import type { IndexHolder, IndexJob, IndexRequest, IndexState } from './indexer.ts';

/** What the holder tells with each sign of life. */
export interface HolderReport extends Pick<IndexState, 'freshness' | 'watching' | 'lastError'> {
  readonly client: string;
}

/** Who may write the index now. */
export interface Lease {
  /** Grows with every taking: what is written under an older one is refused. */
  readonly token: number;
  /** Grows with every sign of life. */
  readonly beats: number;
  /** Whether it was taken through this store and by nobody since. */
  readonly isMine: boolean;
  /** Absent while it is free. `heartbeat_age_ms` goes by the clocks of both and is only to be shown. */
  readonly holder?: IndexHolder;
  /** Whether the holder's process provably ended; what cannot be known counts as alive. */
  readonly isDead: boolean;
  readonly report?: HolderReport;
}

/** What makes a job one that can be begun again. */
export type KeptRequest = Pick<IndexRequest, 'kind' | 'paths' | 'confirmed' | 'retryFailed'>;

/** A job as everybody sees it, with what it takes to do it again. */
export interface KeptJob {
  readonly job: IndexJob;
  readonly request: KeptRequest;
}

/** What somebody who may not write asks of the holder. */
export type SharedRequest =
  | { readonly kind: 'refresh'; readonly paths: readonly string[] }
  | { readonly kind: 'catch_up' }
  | { readonly kind: 'cancel'; readonly jobId: string };

export type SharedAnswer = { readonly job: IndexJob } | { readonly error: VaultgraphError };

export interface OpenRequest {
  readonly id: number;
  readonly request: SharedRequest;
}

export interface Taking {
  readonly client: string;
  /** What was seen to stand still for so long that its holder counts as gone: taken over if it still stands there. */
  readonly still?: Pick<Lease, 'token' | 'beats'>;
  /** The jobs that begin with it. */
  readonly jobs: readonly KeptJob[];
}

export interface Told {
  readonly report: HolderReport;
  readonly jobs: readonly KeptJob[];
  readonly answers: readonly { readonly id: number; readonly answer: SharedAnswer }[];
}

/**
 * The part of the store that many processes share. Every change of the index is refused with INDEX_CONFLICT to whoever lost the
 * lease, and to whoever never had it while somebody has.
 */
export interface SharedStore {
  /** Another number whenever anybody wrote anything since; costs next to nothing. */
  mark(signal: AbortSignal): Promise<number>;
  lease(signal: AbortSignal): Promise<Lease>;
  /** Takes the lease if it is free, its holder is dead, or it still stands as in `still`. @returns the lease as it is then */
  takeLease(taking: Taking, signal: AbortSignal): Promise<Lease>;
  /** A sign of life, with all there is to tell, as one. @throws INDEX_CONFLICT once another one holds the lease */
  tell(told: Told, signal: AbortSignal): Promise<void>;
  /** Frees the lease if it is still held through this store. */
  releaseLease(signal: AbortSignal): Promise<void>;
  /** Newest first; those under way whose process lost the lease or ended are `interrupted`. Of each kind the last twenty are kept. */
  keptJobs(signal: AbortSignal): Promise<readonly KeptJob[]>;
  /** @returns the number under which the answer will be found */
  askHolder(request: SharedRequest, signal: AbortSignal): Promise<number>;
  /** Those without an answer, the oldest first. */
  openRequests(signal: AbortSignal): Promise<readonly OpenRequest[]>;
  /** Undefined while there is none. Answers are kept for some time only. */
  holderAnswer(id: number, signal: AbortSignal): Promise<SharedAnswer | undefined>;
}
