// One endpoint with what belongs to it alone: its late answers, its cold start, its warm-up. Knows nothing of the others.
import type { Log } from '../../base/log.ts';
import type { TimeLimits } from '../../contracts/capability.ts';
import type { EmbeddingProvider } from '../../contracts/embedding.ts';
import { guardProvider } from '../guard.ts';
import { promptly } from './call-limit.ts';
import { coldStartLayer } from './cold-start.ts';
import type { Endpoint } from './failover.ts';
import { layered, providerName } from './layer.ts';
import { createWarmUp, type WarmUp } from './warm-up.ts';

export interface GuardedEndpoint extends Endpoint {
  readonly warmUp: WarmUp;
  /** The provider's own, each under its limit. */
  readonly loaded: EmbeddingProvider['loaded'];
  readonly load: EmbeddingProvider['warmUp'];
}

export interface EndpointHooks {
  readonly log: Log;
  readonly count: (name: string) => void;
  /** The model came into memory by a warm-up. */
  readonly onLoaded: () => void;
}

export function guardedEndpoint(
  provider: EmbeddingProvider,
  limits: TimeLimits<EmbeddingProvider>,
  { log, count, onLoaded }: EndpointHooks,
): GuardedEndpoint {
  const name = providerName(provider);
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
    ...{ provider, warmUp, loaded, load },
    layer: (request, call, signal) => layered(layers, request)(call, signal),
  };
}
