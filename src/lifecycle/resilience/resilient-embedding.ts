// The one place where the layers of an embedding provider are put together: a twin of it that keeps its time and its temper.
import type { BatchResult } from '../../base/batch.ts';
import type { Log } from '../../base/log.ts';
import type { TimeLimits } from '../../contracts/capability.ts';
import type { EmbeddingIdentity, EmbeddingProvider } from '../../contracts/embedding.ts';
import type { ProviderCall } from '../../contracts/provider-call.ts';
import { type Alarm, createAlarm } from './alarm.ts';
import { createAutoPull, type Pull, type StartPull } from './auto-pull.ts';
import { type BreakerSettings, createBreaker } from './breaker.ts';
import { callLimit } from './call-limit.ts';
import { type Clock, SYSTEM_CLOCK } from './clock.ts';
import { type Ask, createFailover, type Failover } from './failover.ts';
import { type GuardedEndpoint, guardedEndpoint } from './guarded-endpoint.ts';
import { type Layer, layered, type ProviderName, providerName } from './layer.ts';
import { type RetryParts, retryLayer } from './retry.ts';
import type { RetrySettings } from './retry-matrix.ts';
import { createKnownModel, type KnownModel } from './same-model.ts';
import { slotLayer } from './slots.ts';
import { totalsLayer } from './totals.ts';

/** What the layers tell, and what they ask, of the rest of the server. */
export interface ResilienceHooks {
  readonly log: Log;
  /** Adds one to a counter. */
  readonly count: (name: string) => void;
  /** The provider answered somebody. */
  readonly onAnswered: () => void;
  /** Without it no model is ever pulled. */
  readonly startPull?: StartPull;
  /** What the vectors at hand were made by, where there are some. */
  readonly storedIdentity: (signal: AbortSignal) => Promise<EmbeddingIdentity | undefined>;
}

export interface ResilienceSettings {
  readonly retry: RetrySettings;
  readonly breaker: BreakerSettings;
}

export interface ResilientParts {
  /** The same model at each of them; the first is asked first. */
  readonly endpoints: readonly [EmbeddingProvider, ...EmbeddingProvider[]];
  readonly limits: TimeLimits<EmbeddingProvider>;
  /** Fetches the model; absent where the config does not ask for it. */
  readonly pull?: Pull | undefined;
  readonly settings: ResilienceSettings;
  readonly hooks: ResilienceHooks;
  readonly clock?: Clock;
}

export interface Resilient {
  readonly provider: EmbeddingProvider;
  /** What the opt-ins do now. */
  notes(): readonly string[];
  /** Has the model loaded behind everything else. */
  warmUp(): void;
  close(): void;
}

export function resilientEmbedding(parts: ResilientParts): Resilient {
  const { endpoints, limits, hooks } = parts;
  const alarm = createAlarm(parts.clock ?? SYSTEM_CLOCK);
  const answered = (): void => {
    alarm.ring();
    hooks.onAnswered();
  };
  const guard = (endpoint: EmbeddingProvider) => guardedEndpoint(endpoint, limits, { ...hooks, onLoaded: answered });
  const [first, ...others] = endpoints;
  const guarded: [GuardedEndpoint, ...GuardedEndpoint[]] = [guard(first), ...others.map(guard)];
  const known = createKnownModel(hooks.storedIdentity);
  const failover = createFailover(guarded, known, hooks.log);
  const { send, notes } = createSender(parts, failover, alarm, answered);
  const { loaded, load, warmUp } = guarded[0];
  return Object.freeze({
    provider: Object.freeze({ ...asked(first, limits, known, send), loaded, warmUp: load }),
    notes: () => [...notes(), ...failover.notes()],
    warmUp: warmUp.begin,
    close: () => {
      for (const endpoint of guarded) endpoint.warmUp.close();
    },
  });
}

interface Sending {
  readonly timeoutMs: number;
  /** Whether a success shows that the provider does its work. */
  readonly proves: boolean;
}

/** One request through all the layers. */
type Send = <T>(sending: Sending, ask: Ask<T>, call: ProviderCall, signal: AbortSignal) => Promise<T>;

function createSender(
  { endpoints, limits, pull, settings, hooks, clock = SYSTEM_CLOCK }: ResilientParts,
  failover: Failover,
  alarm: Alarm,
  answered: () => void,
): { readonly send: Send; notes(): string[] } {
  const name = providerName(endpoints[0]);
  const breaker = createBreaker(settings.breaker, name, clock);
  const stallMs = inMs(limits.warmUp);
  const autoPull = createAutoPull({ pull, startPull: hooks.startPull, stallMs, onPulled: answered }, name);
  const retry = retryLayer({ settings: settings.retry, clock, alarm, onRetry: toldBy(hooks, name) });
  const [totals, slot] = [totalsLayer(clock), slotLayer()];

  /** Somebody who waits has one limit for everything; each attempt of a job has its own, and its waits are nobody's. */
  const layersFor = ({ priority }: ProviderCall, { timeoutMs, proves }: Sending): readonly Layer[] => {
    const [limit, fuse] = [callLimit(name, timeoutMs), breaker.layer(proves)];
    return priority === 'interactive'
      ? [totals, autoPull.layer, limit, fuse, retry, slot]
      : [totals, autoPull.layer, fuse, retry, slot, limit];
  };

  const send: Send = async (sending, ask, call, signal) => {
    const layers = layersFor(call, sending);
    const answer = await layered(layers, (at, ended) => failover.ask(ask, at, ended))(call, signal);
    if (sending.proves) answered();
    return answer;
  };
  return { send, notes: () => [breaker.note(), autoPull.note()].filter((note) => note !== undefined) };
}

/** Nobody is asked for it, so it proves nothing of the provider. */
const NOTHING: BatchResult<Float32Array> = Object.freeze({ succeeded: [], failed: [] });

function asked(
  first: EmbeddingProvider,
  limits: TimeLimits<EmbeddingProvider>,
  known: KnownModel,
  send: Send,
): Omit<EmbeddingProvider, 'loaded' | 'warmUp'> {
  const { type, model, endpoint, batch, contextTokens } = first;
  const identify: Ask<EmbeddingIdentity> = async (provider, call, signal) => {
    const identity = await provider.identify(call, signal);
    if (provider === first) known.learn(identity);
    return identity;
  };
  return {
    ...{ type, model, endpoint, batch, contextTokens },
    identify: (call, signal) => send({ timeoutMs: inMs(limits.identify), proves: false }, identify, call, signal),
    embed: async (inputs, purpose, call, signal) => {
      signal.throwIfAborted();
      if (inputs.length === 0) return NOTHING;
      const sending = { timeoutMs: inMs(limits.embed), proves: true };
      return send(sending, (at, inner, stop) => at.embed(inputs, purpose, inner, stop), call, signal);
    },
  };
}

const inMs = (limit: number | 'bounded'): number => (limit === 'bounded' ? Number.POSITIVE_INFINITY : limit);

function toldBy({ log, count }: ResilienceHooks, { provider }: ProviderName): RetryParts['onRetry'] {
  return ({ code }, { attempt, waitMs }) => {
    count(`retries_total{${provider},${code}}`);
    log('warn', 'provider_retry', { provider, code, attempt, wait_ms: waitMs });
  };
}
