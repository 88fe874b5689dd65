// Sends a request through the resilience layers; this file defines their order.
import { type DetailsOf, type ErrorCode, VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { ProviderCall } from '../../contracts/provider-call.ts';
import { type Alarm, type Clock, SYSTEM_CLOCK } from './alarm.ts';
import { createAutoPull, type Pull, type StartPull } from './auto-pull.ts';
import { type BreakerSettings, createBreaker } from './breaker.ts';
import type { Ask, Failover } from './failover.ts';
import type { ModelLimits, StoredIdentity } from './guarded-endpoint.ts';
import { callLimit, type Layer, layered, type ProviderName } from './layer.ts';
import { type RetryParts, type RetrySettings, retryLayer } from './retry.ts';

export interface Sending {
  readonly limit: number | 'bounded';
  /** Whether a success shows that the provider works. */
  readonly proves: boolean;
}

/** Sends one request through all the layers. */
export type Send<P> = <T>(sending: Sending, ask: Ask<P, T>, call: ProviderCall, signal: AbortSignal) => Promise<T>;

export interface Sender<P> {
  readonly send: Send<P>;
  notes(): string[];
}

export function createSender<P, Identity>(
  name: ProviderName,
  { limits, pull, settings, hooks, clock = SYSTEM_CLOCK }: ResilientParts<P, ModelLimits, Identity>,
  failover: Failover<P>,
  alarm: Alarm,
  answered: () => void,
): Sender<P> {
  const breaker = createBreaker(settings.breaker, name, clock);
  const stallMs = inMs(limits.warmUp);
  const autoPull = createAutoPull({ pull, startPull: hooks.startPull, stallMs, onPulled: answered }, name);
  const retry = retryLayer({ settings: settings.retry, clock, alarm, onRetry: reportRetry(hooks, name) });
  const slot = slotLayer();

  /** An interactive call has one limit for all attempts; a job has one per attempt, and none for its waits. */
  const layersFor = ({ priority }: ProviderCall, { limit: of, proves }: Sending): readonly Layer[] => {
    const [limit, fuse, totals] = [callLimit(name, inMs(of)), breaker.layer(proves), totalsLayer(clock, inMs(of))];
    if (priority === 'interactive') return [totals, autoPull.layer, limit, fuse, retry, slot];
    // A job asks which model answers beside its request, not after it.
    return [totals, autoPull.layer, fuse, retry, ...(proves ? [slot] : []), limit];
  };

  const send: Send<P> = async (sending, ask, call, signal) => {
    const layers = layersFor(call, sending);
    const answer = await layered(layers, (at, ended) => failover.ask(ask, at, ended))(call, signal);
    if (sending.proves) answered();
    return answer;
  };
  const notes = (): string[] => [breaker.note(), autoPull.note()].filter((note) => note !== undefined);
  return { send, notes };
}

const inMs = (limit: number | 'bounded'): number => (limit === 'bounded' ? Number.POSITIVE_INFINITY : limit);

function reportRetry<Identity>(
  { log, count }: ResilienceHooks<Identity>,
  { provider }: ProviderName,
): RetryParts['onRetry'] {
  return ({ code }, { attempt, waitMs }) => {
    count(`retries_total{${provider},${code}}`);
    log('warn', 'provider_retry', { provider, code, attempt, wait_ms: waitMs });
  };
}

/** Reports the total of attempts and time in failures, instead of those of the last attempt. @param limitMs of the provider */
function totalsLayer(clock: Clock, limitMs: number): Layer {
  return async (request, call, signal) => {
    const began = clock.now();
    const before = call.trace.attempts;
    try {
      return await request(call, signal);
    } catch (thrown) {
      throw withTotals(thrown, call.trace.attempts - before, Math.round(clock.now() - began), limitMs);
    }
  };
}

/** A server that asks for a longer wait has a wrong clock or header. */
const MAX_BELIEVED_WAIT_MS = 24 * 60 * 60 * 1_000;

function withTotals(thrown: unknown, attempts: number, elapsed_ms: number, limitMs: number): unknown {
  if (!(thrown instanceof VaultgraphError)) return thrown;
  const { code, details, requestedWaitMs, retry }: VaultgraphError = thrown;
  if (!('attempts' in details)) return thrown;
  const isBelieved = (requestedWaitMs ?? 0) <= MAX_BELIEVED_WAIT_MS;
  if (isBelieved && details.attempts === attempts) return thrown;
  const whole = { ...details, attempts, elapsed_ms } as DetailsOf<ErrorCode>;
  const waitMs = isBelieved ? requestedWaitMs : Math.min(limitMs, MAX_BELIEVED_WAIT_MS);
  return new VaultgraphError<ErrorCode>(code, whole, {
    cause: thrown,
    retry,
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
  });
}

type Priority = ProviderCall['priority'];

const MAX_UNDER_WAY = 2;
/** The second one of a job is extra: it starts only while there is no other call, and takes the slot of none. */
const MAX_JOBS_UNDER_WAY = 2;
const MAX_WAITING = 8;

/** Limits the parallel requests of one provider. @throws OVERLOADED if eight interactive requests are queued */
export function slotLayer(): Layer {
  const slots = createSlots();
  return async (request, call, signal) => {
    call.trace.phase = 'queue';
    await slots.enter(call.priority, signal);
    try {
      return await request(call, signal);
    } finally {
      slots.leave(call.priority);
    }
  };
}

function createSlots() {
  const waiting: Record<Priority, (() => void)[]> = { interactive: [], background: [] };
  const underWay: Record<Priority, number> = { interactive: 0, background: 0 };

  const isFree = (priority: Priority): boolean => {
    const { interactive, background } = underWay;
    if (priority === 'interactive') return interactive + Math.min(background, 1) < MAX_UNDER_WAY;
    return waiting.interactive.length === 0 && interactive + background < MAX_JOBS_UNDER_WAY;
  };

  function letIn(): void {
    for (const priority of ['interactive', 'background'] as const) {
      while (isFree(priority) && waiting[priority].length > 0) waiting[priority].shift()?.();
    }
  }

  function queue(priority: Priority, signal: AbortSignal): Promise<void> {
    if (priority === 'interactive' && waiting.interactive.length >= MAX_WAITING) {
      throw new VaultgraphError('OVERLOADED', { queued: waiting.interactive.length, limit: MAX_WAITING });
    }
    return new Promise((resolve, reject) => {
      const goOn = (): void => {
        signal.removeEventListener('abort', giveUp);
        underWay[priority] += 1;
        resolve();
      };
      const giveUp = (): void => {
        waiting[priority].splice(waiting[priority].indexOf(goOn), 1);
        letIn();
        reject(signal.reason);
      };
      waiting[priority].push(goOn);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  return {
    async enter(priority: Priority, signal: AbortSignal): Promise<void> {
      signal.throwIfAborted();
      if (!isFree(priority)) return queue(priority, signal);
      underWay[priority] += 1;
    },
    leave(priority: Priority): void {
      underWay[priority] -= 1;
      letIn();
    },
  };
}

/** The events and queries of the layers to the rest of the server. */
export interface ResilienceHooks<Identity> {
  readonly log: Log;
  /** Adds one to a counter. */
  readonly count: (name: string) => void;
  /** The provider answered a request. */
  readonly onAnswered: () => void;
  /** If absent, models are never downloaded. */
  readonly startPull?: StartPull;
  /** The model that made the stored vectors, if there are any. */
  readonly storedIdentity: StoredIdentity<Identity>;
}

export interface ResilienceSettings {
  readonly retry: RetrySettings;
  readonly breaker: BreakerSettings;
}

export interface ResilientParts<P, L extends ModelLimits, Identity> {
  /** All serve the same model; the first is preferred. */
  readonly endpoints: readonly [P, ...P[]];
  readonly limits: L;
  /** Downloads the model; absent if the config does not allow it. */
  readonly pull?: Pull | undefined;
  readonly settings: ResilienceSettings;
  readonly hooks: ResilienceHooks<Identity>;
  readonly clock?: Clock;
}
