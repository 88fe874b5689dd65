// One attempt to call a model server: its target, its start time and the details of its failures.
import type { ProviderDetails } from '../../base/errors.ts';
import { proxyFor } from '../../base/this-machine.ts';
import type { ProviderCall, ProviderTrace } from '../../contracts/provider-call.ts';
import { hostAndPort } from './endpoint.ts';

/** The same for all attempts. */
export interface ModelServer {
  /** Also the config section that failures name. */
  readonly capability: ProviderDetails['capability'];
  /** The `type` in the config. */
  readonly provider: string;
  /** The address as the endpoint schema normalizes it. */
  readonly endpoint: string;
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether a missing model may be downloaded, where the server can. */
  readonly autoPull?: 'never' | 'once';
  /** Whether a name of this machine may have the address of another. */
  readonly allowRemote?: boolean;
}

export interface Attempt extends ModelServer {
  /** Ends the request and closes its socket. */
  readonly signal: AbortSignal;
  readonly autoPull: 'never' | 'once';
  readonly trace?: ProviderTrace;
  readonly beganMs: number;
  /** Keys and texts that are sent: no error repeats them, whatever the server answers. */
  readonly secrets: readonly string[];
}

/** @param texts as the caller gave them, without prefixes */
export function beginAttempt(
  server: ModelServer,
  signal: AbortSignal,
  call?: ProviderCall,
  texts: readonly string[] = [],
): Attempt {
  signal.throwIfAborted();
  const { capability, provider, endpoint, model, headers, autoPull = 'never', allowRemote = false } = server;
  const keys = Object.values(headers).flatMap((value) => [value, value.split(' ').at(-1) ?? '']);
  const target = { capability, provider, endpoint, model, headers, autoPull, allowRemote };
  const attempt = { ...target, signal, beganMs: performance.now(), secrets: [...texts, ...keys] };
  if (call === undefined) return attempt;
  call.trace.attempts += 1;
  return { ...attempt, trace: call.trace };
}

/** An attempt may take several requests; the last one counts as its answer. */
export function beginRequest({ trace }: Attempt): void {
  if (trace === undefined) return;
  trace.phase = 'headers';
  delete trace.servedBy;
}

/** Records which server answered. Called once the whole answer has arrived. */
export function endRequest({ provider, endpoint, trace }: Attempt): void {
  if (trace !== undefined) trace.servedBy = `${provider}@${hostAndPort(endpoint)}`;
}

/** @param tokens of all texts of the call, as the server counted them */
export function reportTokens(tokens: number | undefined, { trace }: Attempt): void {
  if (trace !== undefined && tokens !== undefined) trace.tokens = tokens;
}

export function attemptDetails(attempt: Attempt, level: ProviderDetails['level'] = 'call'): ProviderDetails {
  const { capability, provider, endpoint, model, beganMs } = attempt;
  const elapsed_ms = Math.round(performance.now() - beganMs);
  const proxy = proxyFor(endpoint);
  const target = { capability, provider, endpoint, ...(proxy !== undefined && { proxy }), model };
  return { ...target, attempts: 1, elapsed_ms, level };
}
