// An endpoint with its time limits, its cold-start detection and its warm-up.

import { withLimit } from '../../base/async/limits.ts';
import { type ErrorCode, toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { errorOf } from '../../base/outcome.ts';
import { type ModelProvider, newTrace, type ProviderCall } from '../../contracts/provider-call.ts';
import { guardProvider } from '../guard.ts';
import { type Layer, type ProviderName, promptly, timeoutError, within } from './layers.ts';

export interface GuardedEndpoint<P> extends Endpoint<P> {
  readonly warmUp: WarmUp;
  /** The provider's own methods, each under its limit. */
  readonly loaded: ModelProvider<unknown>['loaded'];
  readonly load: ModelProvider<unknown>['warmUp'];
}

/** Limits of the methods that every model provider has: milliseconds, or `bounded`. */
export type ModelLimits = Readonly<Record<'identify' | 'loaded' | 'warmUp', number | 'bounded'>>;

export interface EndpointHooks {
  readonly log: Log;
  readonly count: (name: string) => void;
  /** A warm-up loaded the model. */
  readonly onLoaded: () => void;
}

export function guardedEndpoint<P extends ModelProvider<unknown>>(
  name: ProviderName,
  provider: P,
  limits: ModelLimits,
  { log, count, onLoaded }: EndpointHooks,
): GuardedEndpoint<P> {
  const onLate = (): void => count('late_results_dropped');
  const { loaded, warmUp: load } = guardProvider(
    { ...name, type: provider.type },
    { loaded: provider.loaded, warmUp: provider.warmUp },
    { loaded: limits.loaded, warmUp: limits.warmUp },
    onLate,
  );
  const warmUp = createWarmUp(name, load, log, onLoaded);
  const coldStart = coldStartLayer({ loaded, warmUp: warmUp.begin });
  const prompt = promptly(name, onLate);
  return {
    name,
    provider,
    warmUp,
    loaded,
    load,
    layer: (request, call, signal) => coldStart(within(prompt, request), call, signal),
  };
}

/** By then a loaded model has answered most requests. */
const LOOK_AFTER_MS = 5_000;
/** A share of the time left, if that is short. */
const LOOK_AFTER_SHARE = 0.25;

interface ColdStartParts {
  /** Whether the model is in memory; undefined if that is not known. */
  readonly loaded: (signal: AbortSignal) => Promise<boolean | undefined>;
  /** Loads the model in the background: a request that is aborted aborts its load too. */
  readonly warmUp: () => void;
}

/** Checks once, while a request waits, whether the model is loaded. */
function coldStartLayer({ loaded, warmUp }: ColdStartParts): Layer {
  return async (request, call, signal) => {
    const over = new AbortController();
    let isCold = false;
    const look = async (): Promise<void> => {
      isCold = (await loaded(over.signal)) === false && !over.signal.aborted;
      if (isCold) reportLoading(call);
    };
    // A failure here is ignored: the request itself continues and reports more.
    const timer = setTimeout(() => void look().catch(() => undefined), lookAfterMs(call));
    try {
      return await request(call, signal);
    } finally {
      clearTimeout(timer);
      over.abort();
      if (isCold && isTimeout(signal.reason)) warmUp();
    }
  };
}

const lookAfterMs = (call: ProviderCall): number => Math.min(LOOK_AFTER_MS, call.msLeft() * LOOK_AFTER_SHARE);

function reportLoading(call: ProviderCall): void {
  call.trace.coldStart = true;
  call.trace.phase = 'load';
  call.onWait('the model is being loaded');
}

const isTimeout = (reason: unknown): boolean => reason instanceof VaultgraphError && reason.code === 'PROVIDER_TIMEOUT';

type WarmUp = ReturnType<typeof createWarmUp>;

/** @param load ends by its own limit */
function createWarmUp(
  { provider, model, endpoint }: ProviderName,
  load: (signal: AbortSignal) => Promise<void>,
  log: Log,
  onLoaded: () => void,
) {
  const closing = new AbortController();
  let isRunning = false;

  async function run(): Promise<void> {
    const began = performance.now();
    const fields = { provider, model, endpoint };
    const error = await errorOf(load(closing.signal));
    isRunning = false;
    if (closing.signal.aborted) return;
    const duration_ms = Math.round(performance.now() - began);
    if (error === undefined) {
      log('info', 'provider_warm', { ...fields, duration_ms });
      onLoaded();
    } else {
      const { code, category } = error;
      log('warn', 'provider_warm_up_failed', { ...fields, code, category, duration_ms });
    }
  }

  return Object.freeze({
    /** Starts to load the model unless that is already running. The result is logged; failures are not thrown. */
    begin: () => {
      if (isRunning || closing.signal.aborted) return;
      isRunning = true;
      void run();
    },
    close: () => closing.abort(new VaultgraphError('SHUTTING_DOWN', {})),
  });
}

/** The identity of the first endpoint: as last reported, else as stored with the index. */
interface KnownModel<Identity> {
  learn(identity: Identity): void;
  get(signal: AbortSignal): Promise<Identity | undefined>;
}

export type StoredIdentity<Identity> = (signal: AbortSignal) => Promise<Identity | undefined>;
/** The fields in which two identities differ and on which answers depend; empty if they are surely the same. */
export type Differences<Identity> = (expected: Identity, actual: Identity) => readonly string[];

export function createKnownModel<Identity>(stored: StoredIdentity<Identity>): KnownModel<Identity> {
  let last: Identity | undefined;
  return Object.freeze({
    learn: (identity: Identity) => {
      last = identity;
    },
    get: async (signal: AbortSignal) => last ?? stored(signal),
  });
}

/** Why the endpoint cannot replace the first; undefined if it can. @throws what `identify` throws */
export async function refusalOf<Identity>(
  endpoint: ModelProvider<Identity>,
  knownModel: KnownModel<Identity>,
  differences: Differences<Identity>,
  call: ProviderCall,
  signal: AbortSignal,
): Promise<string | undefined> {
  const expected = await knownModel.get(signal);
  if (expected === undefined) return 'the model of the first endpoint is not known yet';
  const differing = differences(expected, await endpoint.identify(call, signal));
  return differing.length === 0 ? undefined : `serves another model: ${differing.join(', ')}`;
}

interface Endpoint<P> {
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
