// One attempt at a server of models: where it goes, since when, and what its failure tells. Sends nothing itself.
import type { ProviderDetails } from '../../base/errors.ts';
import type { ProviderCall, ProviderTrace } from '../../contracts/provider-call.ts';
import { hostAndPort } from './endpoint.ts';

/** What stays the same from one attempt to the next. */
export interface ModelServer {
  /** What the model is asked for, and so the section of the config that its failures name. */
  readonly capability: ProviderDetails['capability'];
  /** The type in the YAML. */
  readonly provider: string;
  /** As the endpoint schema left it. */
  readonly endpoint: string;
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether a missing model may be fetched; only where the vendor can. */
  readonly autoPull?: 'never' | 'once';
}

export interface Attempt extends ModelServer {
  /** Ends the request and closes its socket. */
  readonly signal: AbortSignal;
  readonly autoPull: 'never' | 'once';
  /** Absent where nobody reads it. */
  readonly trace?: ProviderTrace;
  readonly beganMs: number;
  /** Keys and texts that are sent: whatever a server answers, no error repeats them. */
  readonly unspeakable: readonly string[];
}

/** @param texts as the caller gave them, without prefixes */
export function beginAttempt(
  server: ModelServer,
  signal: AbortSignal,
  call?: ProviderCall,
  texts: readonly string[] = [],
): Attempt {
  signal.throwIfAborted();
  const { capability, provider, endpoint, model, headers, autoPull = 'never' } = server;
  const keys = Object.values(headers).flatMap((value) => [value, value.split(' ').at(-1) ?? '']);
  const to = { capability, provider, endpoint, model, headers, autoPull };
  const attempt = { ...to, signal, beganMs: performance.now(), unspeakable: [...texts, ...keys] };
  if (call === undefined) return attempt;
  call.trace.attempts += 1;
  return { ...attempt, trace: call.trace };
}

/** An attempt may take several requests: it was answered when the last of them was. */
export function beginRequest({ trace }: Attempt): void {
  if (trace === undefined) return;
  trace.phase = 'headers';
  delete trace.servedBy;
}

/** Notes who answered; to be called with the whole answer at hand. */
export function endRequest({ provider, endpoint, trace }: Attempt): void {
  if (trace !== undefined) trace.servedBy = `${provider}@${hostAndPort(endpoint)}`;
}

export function attemptDetails(attempt: Attempt, level: ProviderDetails['level'] = 'call'): ProviderDetails {
  const { capability, provider, endpoint, model, beganMs } = attempt;
  const elapsed_ms = Math.round(performance.now() - beganMs);
  return { capability, provider, endpoint, model, attempts: 1, elapsed_ms, level };
}
