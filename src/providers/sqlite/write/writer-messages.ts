// The requests to the writer thread and its replies.
import type { DetailsOf, ErrorCode, Retry } from '../../../base/errors.ts';
import type { ChangeSet } from '../../../contracts/change-set.ts';
import type { Fingerprint } from '../../../contracts/fingerprint.ts';
import type { Generation, GenerationRole, VectorChanges } from '../../../contracts/vectors.ts';
import type { LeaseRequest } from '../sharing/lease.ts';
import type { PackedUpdate } from '../sharing/packed-jobs.ts';

export type WriterJob =
  | { readonly op: 'apply'; readonly changes: ChangeSet }
  | { readonly op: 'completeScan'; readonly at: string }
  | { readonly op: 'reset' }
  | { readonly op: 'openGeneration'; readonly role: GenerationRole; readonly fingerprint: Fingerprint }
  | { readonly op: 'applyVectors'; readonly generation: number; readonly changes: VectorChanges }
  | { readonly op: 'activate'; readonly generation: number }
  | { readonly op: 'sweepVectors'; readonly kept: readonly number[] }
  | { readonly op: 'cacheAnswer'; readonly key: string; readonly answer: string }
  | { readonly op: 'takeLease'; readonly request: LeaseRequest }
  | { readonly op: 'publish'; readonly update: PackedUpdate }
  | { readonly op: 'releaseLease' }
  | { readonly op: 'requestFromLeader'; readonly request: string }
  | { readonly op: 'integrity' }
  /** Looks for damage in a whole file that is kept beside the index, and moves it aside if there is any. */
  | { readonly op: 'setAside' }
  /** Migrates the file to the schema of this version. */
  | { readonly op: 'migrate' };

/** Brings a copy of the index closer to its original: for a store that keeps it elsewhere. */
export type StoreJob = WriterJob | { readonly op: 'catchUp' };

/** The result of each job, by its `op`. */
export interface WriterResults {
  apply: { readonly revision: number };
  completeScan: undefined;
  reset: undefined;
  openGeneration: Generation;
  applyVectors: undefined;
  activate: undefined;
  sweepVectors: undefined;
  cacheAnswer: undefined;
  /** The token of the new lease; null if another process holds the lease. */
  takeLease: number | null;
  publish: undefined;
  /** Whether the lease was still held. */
  releaseLease: boolean;
  requestFromLeader: number;
  integrity: readonly string[];
  /** Whether the file is out of the way. */
  setAside: boolean;
  migrate: undefined;
  catchUp: CatchUp;
}

export interface CatchUp {
  /** False if the same job has to run again. */
  readonly isWhole: boolean;
  /** The number for all sets of changes. */
  readonly done: number;
  readonly total: number;
}

export type WriterRequest = WriterJob & RequestContext;
export type StoreRequest = StoreJob & RequestContext;

interface RequestContext {
  /** The token of the lease held when the job was queued; null without a lease. */
  readonly token: number | null;
  /** Set to 1 to cancel; the thread then rolls back. */
  readonly cancelled: Int32Array<SharedArrayBuffer>;
}

/** Closes the connection; the last request to a thread. */
export type CloseRequest = 'close';

export type WriterReply =
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'cancelled' }
  | {
      readonly kind: 'failed';
      readonly code: ErrorCode;
      readonly details: DetailsOf<ErrorCode>;
      readonly retry: Retry;
      /** The stack of the cause. */
      readonly cause: string | undefined;
    };
