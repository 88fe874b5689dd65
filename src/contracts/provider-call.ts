// One call to a provider: its priority and deadline, and the trace that the layers it passes write.
import type { ErrorCode } from '../base/errors.ts';

/** The phase of a call: `queue` waits for its turn, `backoff` is between two attempts, `load` while the model is loaded. */
export type CallPhase = 'queue' | 'headers' | 'body' | 'backoff' | 'load';

/** Written by each layer that the call passes; used for its error or its answer. */
export interface ProviderTrace {
  phase: CallPhase;
  attempts: number;
  readonly retries: { readonly code: ErrorCode; readonly waited_ms: number }[];
  /** Such as `ollama@127.0.0.1:11434`; set by the attempt that was answered. */
  servedBy?: string;
  /** Whether another endpoint than the first one answered. */
  failedOver?: boolean;
  /** Whether the model was still being loaded. */
  coldStart?: boolean;
}

export interface ProviderCall {
  /** An interactive call goes before all background calls. */
  readonly priority: 'interactive' | 'background';
  /** Milliseconds until the caller's deadline; Infinity in a job. */
  msLeft(): number;
  /** Called at each wait, with a message such as `retry 2/2: server busy`. Must not throw. */
  onWait(message: string): void;
  readonly trace: ProviderTrace;
}

export const newTrace = (): ProviderTrace => ({ phase: 'queue', attempts: 0, retries: [] });

/** The call of a probe: only the limit of the probe applies. */
export const probeCall = (): ProviderCall => ({
  priority: 'interactive',
  msLeft: () => Number.POSITIVE_INFINITY,
  onWait: () => undefined,
  trace: newTrace(),
});
