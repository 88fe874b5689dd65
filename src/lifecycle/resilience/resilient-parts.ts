// What the layers of a model's provider are made of: its endpoints and limits, what the config says, and who hears of it. Does nothing.
import type { Log } from '../../base/log.ts';
import type { Pull, StartPull } from './auto-pull.ts';
import type { BreakerSettings } from './breaker.ts';
import type { Clock } from './clock.ts';
import type { ModelLimits } from './guarded-endpoint.ts';
import type { RetrySettings } from './retry-matrix.ts';
import type { StoredIdentity } from './same-model.ts';

/** What the layers tell, and what they ask, of the rest of the server. */
export interface ResilienceHooks<Identity> {
  readonly log: Log;
  /** Adds one to a counter. */
  readonly count: (name: string) => void;
  /** The provider answered somebody. */
  readonly onAnswered: () => void;
  /** Without it no model is ever pulled. */
  readonly startPull?: StartPull;
  /** What the answers at hand were made by, where there are some. */
  readonly storedIdentity: StoredIdentity<Identity>;
}

export interface ResilienceSettings {
  readonly retry: RetrySettings;
  readonly breaker: BreakerSettings;
}

export interface ResilientParts<P, L extends ModelLimits, Identity> {
  /** The same model at each of them; the first is asked first. */
  readonly endpoints: readonly [P, ...P[]];
  readonly limits: L;
  /** Fetches the model; absent where the config does not ask for it. */
  readonly pull?: Pull | undefined;
  readonly settings: ResilienceSettings;
  readonly hooks: ResilienceHooks<Identity>;
  readonly clock?: Clock;
}
