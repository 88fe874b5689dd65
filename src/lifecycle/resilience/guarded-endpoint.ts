// One endpoint with what belongs to it alone: its late answers, its cold start, its warm-up. Knows nothing of the others.
import type { Log } from '../../base/log.ts';
import type { ModelProvider } from '../../contracts/model-provider.ts';
import { guardProvider } from '../guard.ts';
import { promptly } from './call-limit.ts';
import { coldStartLayer } from './cold-start.ts';
import type { Endpoint } from './failover.ts';
import { layered, type ProviderName } from './layer.ts';
import { createWarmUp, type WarmUp } from './warm-up.ts';

export interface GuardedEndpoint<P> extends Endpoint<P> {
  readonly warmUp: WarmUp;
  /** The provider's own, each under its limit. */
  readonly loaded: ModelProvider<unknown>['loaded'];
  readonly load: ModelProvider<unknown>['warmUp'];
}

/** Of what any model's provider does: milliseconds, or `bounded`. */
export type ModelLimits = Readonly<Record<'identify' | 'loaded' | 'warmUp', number | 'bounded'>>;

export interface EndpointHooks {
  readonly log: Log;
  readonly count: (name: string) => void;
  /** The model came into memory by a warm-up. */
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
  const layers = [coldStartLayer({ loaded, warmUp: warmUp.begin }), promptly(name, onLate)];
  return {
    ...{ name, provider, warmUp, loaded, load },
    layer: (request, call, signal) => layered(layers, request)(call, signal),
  };
}
