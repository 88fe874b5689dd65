// The layers between a caller and a provider, each of which may delay, repeat or refuse a request.

import { withLimit } from '../../base/async/limits.ts';
import { type ProviderDetails, VaultgraphError } from '../../base/errors.ts';
import type { ModelProvider, ProviderCall, ProviderTrace } from '../../contracts/provider-call.ts';

export type Request<T> = (call: ProviderCall, signal: AbortSignal) => Promise<T>;

/** The same request, held to one more rule. */
export type Layer = <T>(request: Request<T>, call: ProviderCall, signal: AbortSignal) => Promise<T>;

/** The request as it goes through the layer. */
export function within<T>(layer: Layer, request: Request<T>): Request<T> {
  return (call, signal) => layer(request, call, signal);
}

/** The names of a provider that its failures report. */
export type ProviderName = Pick<ProviderDetails, 'capability' | 'provider' | 'endpoint' | 'model'>;

export function providerName(
  capability: ProviderName['capability'],
  { type, model, endpoint }: Pick<ModelProvider<unknown>, 'type' | 'model' | 'endpoint'>,
): ProviderName {
  return { capability, provider: type, model, ...(endpoint === null ? {} : { endpoint }) };
}

/** Limits a request to `timeoutMs`, or to the time that its caller has left if that is less. */
export function callLimit(name: ProviderName, timeoutMs: number): Layer {
  return (request, call, signal) => {
    const left = call.msLeft();
    // A caller whose time is gone still gets the typed failure, not a fault of the timer.
    const limitMs = Math.max(1, Math.round(Math.min(timeoutMs, left)));
    const deadline = performance.now() + limitMs;
    const inner = { ...call, msLeft: () => Math.max(0, Math.min(call.msLeft(), deadline - performance.now())) };
    const lapse = timeoutError(name, call.trace, { limitMs, clipped: left < timeoutMs });
    return withLimit(limitMs, lapse, signal, (stop) => request(inner, stop));
  };
}

/** The error at the limit. Created when the time starts, since it counts the attempts from then on. */
export function timeoutError(
  name: ProviderName,
  trace: ProviderTrace,
  { limitMs, clipped }: { readonly limitMs: number; readonly clipped: boolean },
): (elapsedMs: number) => VaultgraphError {
  const before = trace.attempts;
  return (elapsed_ms) =>
    new VaultgraphError('PROVIDER_TIMEOUT', {
      ...name,
      attempts: trace.attempts - before,
      elapsed_ms,
      level: 'call',
      phase: trace.phase,
      timeout_ms: limitMs,
      clipped,
      cold_start: trace.coldStart ?? false,
    });
}

/** Ends the wait as soon as the signal aborts; `onLate` is called for an answer that still arrives. */
export function promptly(name: ProviderName, onLate: () => void): Layer {
  return (request, call, signal) => {
    const limitMs = Number.POSITIVE_INFINITY;
    const lapse = timeoutError(name, call.trace, { limitMs, clipped: false });
    return withLimit(limitMs, lapse, signal, (stop) => request(call, stop), onLate);
  };
}

type Priority = ProviderCall['priority'];

const MAX_UNDER_WAY = 2;
/** The second one of a job is extra: it starts only while there is no other call, and keeps no other from its place. */
const MAX_JOBS_UNDER_WAY = 2;
const MAX_WAITING = 8;

/** Limits the parallel requests of one provider. @throws OVERLOADED if eight interactive requests are queued */
export function queueLayer(): Layer {
  const queue = createQueue();
  return async (request, call, signal) => {
    call.trace.phase = 'queue';
    await queue.enter(call.priority, signal);
    try {
      return await request(call, signal);
    } finally {
      queue.leave(call.priority);
    }
  };
}

function createQueue() {
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
