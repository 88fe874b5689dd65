// What stands between a caller and a provider: layers, each of which may hold, repeat or refuse a request.
import type { ProviderDetails } from '../../base/errors.ts';
import type { ModelProvider } from '../../contracts/model-provider.ts';
import type { ProviderCall } from '../../contracts/provider-call.ts';

export type Request<T> = (call: ProviderCall, signal: AbortSignal) => Promise<T>;

/** The same request, held to one more rule. */
export type Layer = <T>(request: Request<T>, call: ProviderCall, signal: AbortSignal) => Promise<T>;

/** `request` behind all the layers, the first of them outermost. */
export function layered<T>(layers: readonly Layer[], request: Request<T>): Request<T> {
  return layers.reduceRight<Request<T>>((inner, layer) => (call, signal) => layer(inner, call, signal), request);
}

/** What every failure of a provider tells of it. */
export type ProviderName = Pick<ProviderDetails, 'capability' | 'provider' | 'endpoint' | 'model'>;

export function providerName(
  capability: ProviderName['capability'],
  { type, model, endpoint }: Pick<ModelProvider<unknown>, 'type' | 'model' | 'endpoint'>,
): ProviderName {
  return { capability, provider: type, model, ...(endpoint === null ? {} : { endpoint }) };
}
