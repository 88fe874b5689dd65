// Sends a request to the next endpoint if the first one fails, after checking that it serves the same model.
import { type ErrorCode, toVaultgraphError, type VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { newTrace, type ProviderCall } from '../../contracts/provider-call.ts';
import { withLimit } from '../guard.ts';
import { type Layer, type ProviderName, timeoutError } from './layer.ts';

export interface Endpoint<P> {
  readonly name: ProviderName;
  readonly provider: P;
  /** Wraps every request to this endpoint. */
  readonly layer: Layer;
}

export type Ask<P, T> = (provider: P, call: ProviderCall, signal: AbortSignal) => Promise<T>;

/** Failures that another endpoint may not have. */
const DIVERTED: readonly ErrorCode[] = [
  'PROVIDER_UNAVAILABLE',
  'PROVIDER_TIMEOUT',
  'PROVIDER_BUSY',
  'PROVIDER_RATE_LIMITED',
  'PROVIDER_ERROR',
];

/** A substitute for the first endpoint. */
interface Substitute<P> {
  readonly endpoint: Endpoint<P>;
  /** For the status. */
  note: string;
  /** Whether it proved to serve the same model since the first endpoint last answered. */
  isProven: boolean;
}

export class Failover<P> {
  readonly #first: Endpoint<P>;
  readonly #substitutes: readonly Substitute<P>[];
  readonly #compare: Ask<P, string | undefined>;
  readonly #log: Log;

  /** @param compare returns why an endpoint cannot replace the first, or undefined if it can */
  constructor(
    [first, ...others]: readonly [Endpoint<P>, ...Endpoint<P>[]],
    compare: Ask<P, string | undefined>,
    log: Log,
  ) {
    this.#first = first;
    this.#substitutes = others.map((endpoint) => ({ endpoint, note: 'not needed so far', isProven: false }));
    this.#compare = compare;
    this.#log = log;
  }

  /** The answer of the first endpoint, or of one that serves the same model. @throws the failure of the first */
  async ask<T>(ask: Ask<P, T>, call: ProviderCall, signal: AbortSignal): Promise<T> {
    try {
      const answer = await askOne(this.#first, this.#substitutes.length + 1, ask, call, signal);
      for (const substitute of this.#substitutes) substitute.isProven = false;
      return answer;
    } catch (thrown) {
      signal.throwIfAborted();
      const failure = toVaultgraphError(thrown);
      if (!DIVERTED.includes(failure.code)) throw failure;
      return this.#divert(failure, ask, call, signal);
    }
  }

  notes(): readonly string[] {
    return this.#substitutes.map(
      ({ endpoint: { name }, note }) => `failover ${name.endpoint ?? name.provider}: ${note}`,
    );
  }

  async #divert<T>(failure: VaultgraphError, ask: Ask<P, T>, call: ProviderCall, signal: AbortSignal): Promise<T> {
    for (const [at, substitute] of this.#substitutes.entries()) {
      const answer = await this.#trySubstitute(substitute, this.#substitutes.length - at, ask, call, signal);
      if (answer === undefined) continue;
      call.trace.failedOver = true;
      return answer.value;
    }
    throw failure;
  }

  /** Undefined if it cannot answer or serves another model. @throws a failure of one input */
  async #trySubstitute<T>(
    substitute: Substitute<P>,
    turnsLeft: number,
    ask: Ask<P, T>,
    call: ProviderCall,
    signal: AbortSignal,
  ): Promise<{ readonly value: T } | undefined> {
    const { endpoint } = substitute;
    try {
      if (!substitute.isProven) await this.#prove(substitute, turnsLeft, call, signal);
      if (!substitute.isProven) return undefined;
      const value = await askOne(endpoint, turnsLeft, ask, call, signal);
      substitute.note = `stood in for the first endpoint, last at ${new Date().toISOString()}`;
      return { value };
    } catch (thrown) {
      signal.throwIfAborted();
      const error = toVaultgraphError(thrown);
      if ('level' in error.details && error.details.level === 'item') throw error;
      this.#refuse(substitute, `failed too: [${error.code}] ${error.message}`);
      return undefined;
    }
  }

  /** The comparison is not an attempt of the call, so it has a trace of its own. */
  async #prove(substitute: Substitute<P>, turnsLeft: number, call: ProviderCall, signal: AbortSignal): Promise<void> {
    const untraced = { ...call, trace: newTrace() };
    const refusal = await askOne(substitute.endpoint, turnsLeft, this.#compare, untraced, signal);
    if (refusal === undefined) substitute.isProven = true;
    else this.#refuse(substitute, refusal);
  }

  #refuse(substitute: Substitute<P>, reason: string): void {
    substitute.isProven = false;
    substitute.note = `refused: ${reason}`;
    this.#log('warn', 'failover_refused', { endpoint: substitute.endpoint.name.endpoint ?? '', reason });
  }
}

/** Each endpoint gets an equal share of the time left, so that one that hangs leaves time for the next. */
function askOne<P, T>(
  endpoint: Endpoint<P>,
  turnsLeft: number,
  ask: Ask<P, T>,
  call: ProviderCall,
  signal: AbortSignal,
): Promise<T> {
  const request = (inner: ProviderCall, stop: AbortSignal) =>
    endpoint.layer((at, ended) => ask(endpoint.provider, at, ended), inner, stop);
  const share = Math.max(1, Math.round(call.msLeft() / turnsLeft));
  if (turnsLeft === 1 || share === Number.POSITIVE_INFINITY) return request(call, signal);
  const deadline = performance.now() + share;
  const inner = { ...call, msLeft: () => Math.max(0, deadline - performance.now()) };
  const lapse = timeoutError(endpoint.name, call.trace, { limitMs: share, clipped: false });
  return withLimit(share, lapse, signal, (stop) => request(inner, stop));
}
