// The layers between a caller and a provider, each of which may delay, repeat or refuse a request.
import { type ProviderDetails, VaultgraphError } from '../../base/errors.ts';
import type { ModelProvider, ProviderCall, ProviderTrace } from '../../contracts/provider-call.ts';
import { withLimit } from '../guard.ts';

export type Request<T> = (call: ProviderCall, signal: AbortSignal) => Promise<T>;

/** The same request, held to one more rule. */
export type Layer = <T>(request: Request<T>, call: ProviderCall, signal: AbortSignal) => Promise<T>;

/** Wraps `request` in all the layers, the first one outermost. */
export function layered<T>(layers: readonly Layer[], request: Request<T>): Request<T> {
  return layers.reduceRight<Request<T>>((inner, layer) => (call, signal) => layer(inner, call, signal), request);
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
