// What the writer thread is asked and what it answers. Knows nothing of threads.
import type { DetailsOf, ErrorCode } from '../../base/errors.ts';
import type { Fingerprint } from '../../contracts/fingerprint.ts';
import type { ChangeSet } from '../../contracts/store.ts';
import type { Generation, GenerationRole, VectorChanges } from '../../contracts/vectors.ts';

export type WriterJob =
  | { readonly op: 'apply'; readonly changes: ChangeSet }
  | { readonly op: 'completeScan'; readonly at: string }
  | { readonly op: 'reset' }
  | { readonly op: 'openGeneration'; readonly role: GenerationRole; readonly fingerprint: Fingerprint }
  | { readonly op: 'applyVectors'; readonly generation: number; readonly changes: VectorChanges }
  | { readonly op: 'activate'; readonly generation: number }
  | { readonly op: 'sweepVectors'; readonly kept: readonly number[] }
  | { readonly op: 'integrity' };

/** `givenUp` turns from 0 to 1 when the caller no longer waits; the thread then rolls back. */
export type WriterRequest = WriterJob & { readonly givenUp: Int32Array<SharedArrayBuffer> };

/** The answer of each job, by its `op`. */
export interface WriterAnswers {
  apply: { readonly revision: number };
  completeScan: null;
  reset: null;
  openGeneration: Generation;
  applyVectors: null;
  activate: null;
  sweepVectors: null;
  integrity: readonly string[];
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
