// One call to a provider, its trace, and what all providers of a model have in common.
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
  /** The tokens of the texts as the server counted them, if it says. */
  tokens?: number;
  /** Share of the tokens of the texts that the model does not know; only of a model in this process. */
  unknownShare?: number;
  /** Whether another endpoint than the first one answered. */
  failedOver?: boolean;
  /** Whether the model was still being loaded. */
  coldStart?: boolean;
}

/**
 * What a caller says to a provider with each request, and where the provider notes what it did.
 * @example
 * const call = { priority: 'background', msLeft: () => Number.POSITIVE_INFINITY, onWait: log, trace: newTrace() };
 * await provider.embed([{ id: 'a', text: 'The tide turns at noon.' }], 'document', call, signal);
 * call.trace.servedBy; // 'ollama@127.0.0.1:11434'
 */
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

/** A provider that serves a model. */
export interface ModelProvider<Identity> {
  /** The type that the config names. */
  readonly type: string;
  readonly model: string;
  /** URL that texts are sent to, without credentials; null if they stay in this process. */
  readonly endpoint: string | null;
  /** Asks which model answers now. Sends no text of a note. @throws PROVIDER_*, EGRESS_BLOCKED */
  identify(call: ProviderCall, signal: AbortSignal): Promise<Identity>;
  /** Whether the model is in memory; undefined if the server does not report it. @throws PROVIDER_* */
  loaded(signal: AbortSignal): Promise<boolean | undefined>;
  /** Loads the model into memory, without any text. @throws PROVIDER_* */
  warmUp(signal: AbortSignal): Promise<void>;
}
