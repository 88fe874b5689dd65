// What the writer thread is asked and what it answers.
import type { DetailsOf, ErrorCode } from '../../../base/errors.ts';
import type { Fingerprint } from '../../../contracts/fingerprint.ts';
import type { ChangeSet } from '../../../contracts/store.ts';
import type { Generation, GenerationRole, VectorChanges } from '../../../contracts/vectors.ts';
import type { PackedTaking, PackedTold } from '../sharing/lease.ts';

export type WriterJob =
  | { readonly op: 'apply'; readonly changes: ChangeSet }
  | { readonly op: 'completeScan'; readonly at: string }
  | { readonly op: 'reset' }
  | { readonly op: 'openGeneration'; readonly role: GenerationRole; readonly fingerprint: Fingerprint }
  | { readonly op: 'applyVectors'; readonly generation: number; readonly changes: VectorChanges }
  | { readonly op: 'activate'; readonly generation: number }
  | { readonly op: 'sweepVectors'; readonly kept: readonly number[] }
  | { readonly op: 'keepAnswer'; readonly key: string; readonly answer: string }
  | { readonly op: 'takeLease'; readonly taking: PackedTaking }
  | { readonly op: 'tell'; readonly told: PackedTold }
  | { readonly op: 'releaseLease' }
  | { readonly op: 'askHolder'; readonly request: string }
  | { readonly op: 'integrity' }
  /** Leads the file to the schema of this build. */
  | { readonly op: 'migrate' };

export interface Asked {
  /** The lease it is asked under; null without one. */
  readonly token: number | null;
  /** Turns from 0 to 1 when the caller no longer waits; the thread then rolls back. */
  readonly givenUp: Int32Array<SharedArrayBuffer>;
}

export type WriterRequest = WriterJob & Asked;

/** The answer of each job, by its `op`. */
export interface WriterAnswers {
  apply: { readonly revision: number };
  completeScan: null;
  reset: null;
  openGeneration: Generation;
  applyVectors: null;
  activate: null;
  sweepVectors: null;
  keepAnswer: null;
  /** The token under which the lease is held from now on; null where another one has it. */
  takeLease: number | null;
  tell: null;
  /** Whether it was still held. */
  releaseLease: boolean;
  askHolder: number;
  integrity: readonly string[];
  migrate: null;
}

export type WriterReply =
  | { readonly kind: 'done'; readonly answer: unknown }
  | { readonly kind: 'given_up' }
  | {
      readonly kind: 'failed';
      readonly code: ErrorCode;
      readonly details: DetailsOf<ErrorCode>;
      /** The stack of what was thrown below it. */
      readonly cause: string | undefined;
    };
