// Asks the next endpoint where the first is away, once it is proven to serve the same model. Opt-in; knows nothing of retries.
import { type ErrorCode, toVaultgraphError, type VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { newTrace, type ProviderCall } from '../../contracts/provider-call.ts';
import { withLimit } from '../guard.ts';
import { type Layer, type ProviderName, timeoutError } from './layer.ts';

export interface Endpoint<P> {
  readonly name: ProviderName;
  readonly provider: P;
  /** What each request to this endpoint passes. */
  readonly layer: Layer;
}

export type Ask<P, T> = (provider: P, call: ProviderCall, signal: AbortSignal) => Promise<T>;

export interface Failover<P> {
  /** What the first endpoint answers, else one that proved to be the same. @throws the failure of the first */
  ask<T>(ask: Ask<P, T>, call: ProviderCall, signal: AbortSignal): Promise<T>;
  notes(): readonly string[];
}

/** Failures that another endpoint may well not share. */
const DIVERTED: readonly ErrorCode[] = [
  'PROVIDER_UNAVAILABLE',
  'PROVIDER_TIMEOUT',
  'PROVIDER_BUSY',
  'PROVIDER_RATE_LIMITED',
  'PROVIDER_ERROR',
];

/** @param compare why an endpoint may not stand in; undefined where it proved to be the same as the first */
export function createFailover<P>(
  [first, ...others]: readonly [Endpoint<P>, ...Endpoint<P>[]],
  compare: Ask<P, string | undefined>,
  log: Log,
): Failover<P> {
  const states = new Map<Endpoint<P>, string>(others.map((other) => [other, 'not needed so far']));
  const proven = new Set<Endpoint<P>>();

  /** Of the time left each endpoint gets its share, so that one that hangs leaves the next its turn. */
  function askOne<T>(
    endpoint: Endpoint<P>,
    turnsLeft: number,
    ask: Ask<P, T>,
    call: ProviderCall,
    signal: AbortSignal,
  ) {
    const request = (inner: ProviderCall, stop: AbortSignal) =>
      endpoint.layer((at, ended) => ask(endpoint.provider, at, ended), inner, stop);
    const share = Math.max(1, Math.round(call.msLeft() / turnsLeft));
    if (turnsLeft === 1 || share === Number.POSITIVE_INFINITY) return request(call, signal);
    const deadline = performance.now() + share;
    const inner = { ...call, msLeft: () => Math.max(0, deadline - performance.now()) };
    const lapse = timeoutError(endpoint.name, call.trace, { limitMs: share, clipped: false });
    return withLimit(share, lapse, signal, (stop) => request(inner, stop));
  }

  /** Undefined where it may not answer, or cannot. @throws what is wrong with one input */
  async function tryOther<T>(
    other: Endpoint<P>,
    turnsLeft: number,
    ask: Ask<P, T>,
    call: ProviderCall,
    signal: AbortSignal,
  ) {
    try {
      if (!proven.has(other)) await prove(other, turnsLeft, call, signal);
      if (!proven.has(other)) return undefined;
      const value = await askOne(other, turnsLeft, ask, call, signal);
      states.set(other, `stood in for the first endpoint, last at ${new Date().toISOString()}`);
      return { value };
    } catch (thrown) {
      signal.throwIfAborted();
      const error = toVaultgraphError(thrown);
      if ('level' in error.details && error.details.level === 'item') throw error;
      refuse(other, `failed too: [${error.code}] ${error.message}`);
      return undefined;
    }
  }

  /** The proof is no attempt at what was asked, so it leaves no trace. */
  async function prove(other: Endpoint<P>, turnsLeft: number, call: ProviderCall, signal: AbortSignal): Promise<void> {
    const traceless = { ...call, trace: newTrace() };
    const refusal = await askOne(other, turnsLeft, compare, traceless, signal);
    if (refusal === undefined) proven.add(other);
    else refuse(other, refusal);
  }

  function refuse(other: Endpoint<P>, why: string): void {
    proven.delete(other);
    states.set(other, `refused: ${why}`);
    log('warn', 'failover_refused', { endpoint: other.name.endpoint ?? '', reason: why });
  }

  async function divert<T>(
    failure: VaultgraphError,
    ask: Ask<P, T>,
    call: ProviderCall,
    signal: AbortSignal,
  ): Promise<T> {
    for (const [at, other] of others.entries()) {
      const answer = await tryOther(other, others.length - at, ask, call, signal);
      if (answer === undefined) continue;
      call.trace.failedOver = true;
      return answer.value;
    }
    throw failure;
  }

  async function ask<T>(question: Ask<P, T>, call: ProviderCall, signal: AbortSignal): Promise<T> {
    try {
      const answer = await askOne(first, others.length + 1, question, call, signal);
      proven.clear();
      return answer;
    } catch (thrown) {
      signal.throwIfAborted();
      const failure = toVaultgraphError(thrown);
      if (!DIVERTED.includes(failure.code)) throw failure;
      return divert(failure, question, call, signal);
    }
  }

  const notes = (): string[] =>
    others.map((other) => `failover ${other.name.endpoint ?? other.name.provider}: ${states.get(other)}`);
  return Object.freeze({ ask, notes });
}
