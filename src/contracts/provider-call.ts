// One call to a provider as it goes on: who waits, for how long, and what its layers note on the way.
import type { ErrorCode } from '../base/errors.ts';

/** Where a call is: `queue` waits for its turn, `backoff` between two attempts, `load` while the model comes into memory. */
export type CallPhase = 'queue' | 'headers' | 'body' | 'backoff' | 'load';

/** Written by every layer that a call passes, read by whoever makes its error or its answer. */
export interface ProviderTrace {
  phase: CallPhase;
  attempts: number;
  readonly retries: { readonly code: ErrorCode; readonly waited_ms: number }[];
  /** `ollama@127.0.0.1:11434`; set by the attempt that was answered. */
  servedBy?: string;
  /** Whether it was answered by another endpoint than the first. */
  failedOver?: boolean;
  /** Whether the model was still on its way into memory. */
  coldStart?: boolean;
}

export interface ProviderCall {
  /** Somebody waits for an interactive call: it goes before every background one. */
  readonly priority: 'interactive' | 'background';
  /** Milliseconds the caller has left; Infinity in a job. */
  msLeft(): number;
  /** Hears of each wait: `retry 2/2: server busy`. Must not throw. */
  onWait(message: string): void;
  readonly trace: ProviderTrace;
}

export const newTrace = (): ProviderTrace => ({ phase: 'queue', attempts: 0, retries: [] });

/** Of somebody who asks how the provider is: held to that question's own limit, and told no waits. */
export const probeCall = (): ProviderCall => ({
  priority: 'interactive',
  msLeft: () => Number.POSITIVE_INFINITY,
  onWait: () => undefined,
  trace: newTrace(),
});
