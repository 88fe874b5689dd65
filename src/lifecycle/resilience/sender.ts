// Sends a request through the layers in their order, which is told here alone. Knows no capability.
import type { ProviderCall } from '../../contracts/provider-call.ts';
import type { Alarm } from './alarm.ts';
import { createAutoPull } from './auto-pull.ts';
import { createBreaker } from './breaker.ts';
import { callLimit } from './call-limit.ts';
import { SYSTEM_CLOCK } from './clock.ts';
import type { Ask, Failover } from './failover.ts';
import type { ModelLimits } from './guarded-endpoint.ts';
import { type Layer, layered, type ProviderName } from './layer.ts';
import type { ResilienceHooks, ResilientParts } from './resilient-parts.ts';
import { type RetryParts, retryLayer } from './retry.ts';
import { slotLayer } from './slots.ts';
import { totalsLayer } from './totals.ts';

export interface Sending {
  readonly limit: number | 'bounded';
  /** Whether a success shows that the provider does its work. */
  readonly proves: boolean;
}

/** One request through all the layers. */
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
  const retry = retryLayer({ settings: settings.retry, clock, alarm, onRetry: toldBy(hooks, name) });
  const [totals, slot] = [totalsLayer(clock), slotLayer()];

  /** Somebody who waits has one limit for everything; each attempt of a job has its own, and its waits are nobody's. */
  const layersFor = ({ priority }: ProviderCall, { limit: of, proves }: Sending): readonly Layer[] => {
    const [limit, fuse] = [callLimit(name, inMs(of)), breaker.layer(proves)];
    return priority === 'interactive'
      ? [totals, autoPull.layer, limit, fuse, retry, slot]
      : [totals, autoPull.layer, fuse, retry, slot, limit];
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

function toldBy<Identity>(
  { log, count }: ResilienceHooks<Identity>,
  { provider }: ProviderName,
): RetryParts['onRetry'] {
  return ({ code }, { attempt, waitMs }) => {
    count(`retries_total{${provider},${code}}`);
    log('warn', 'provider_retry', { provider, code, attempt, wait_ms: waitMs });
  };
}
