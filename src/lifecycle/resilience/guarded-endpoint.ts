// One endpoint with what belongs to it alone: its late answers, its cold start, its warm-up.
import { toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { ModelProvider, ProviderCall } from '../../contracts/provider-call.ts';
import { guardProvider } from '../guard.ts';
import type { Endpoint } from './failover.ts';
import { type Layer, layered, type ProviderName, promptly } from './layer.ts';

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

/** A model that is in memory has answered most requests by then. */
const LOOK_AFTER_MS = 5_000;
/** Of the time there is, where that is short. */
const LOOK_AFTER_SHARE = 0.25;

interface ColdStartParts {
  /** Whether the model is in memory; undefined where nobody can tell. */
  readonly loaded: (signal: AbortSignal) => Promise<boolean | undefined>;
  /** Has the model loaded behind the calls: a request that ends takes its load with it. */
  readonly warmUp: () => void;
}

/** Looks once while a request waits. */
function coldStartLayer({ loaded, warmUp }: ColdStartParts): Layer {
  return async (request, call, signal) => {
    const over = new AbortController();
    let isCold = false;
    const look = async (): Promise<void> => {
      isCold = (await loaded(over.signal)) === false && !over.signal.aborted;
      if (isCold) tellLoading(call);
    };
    // Whatever keeps it from telling, the request itself goes on and tells more.
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

function tellLoading(call: ProviderCall): void {
  call.trace.coldStart = true;
  call.trace.phase = 'load';
  call.onWait('the model is being loaded');
}

const isTimeout = (reason: unknown): boolean => reason instanceof VaultgraphError && reason.code === 'PROVIDER_TIMEOUT';

interface WarmUp {
  /** Begins a load unless one goes on. Its end is logged, and thrown to nobody. */
  begin(): void;
  close(): void;
}

/** @param load ends by its own limit */
function createWarmUp(
  { provider, model, endpoint }: ProviderName,
  load: (signal: AbortSignal) => Promise<void>,
  log: Log,
  onLoaded: () => void,
): WarmUp {
  const closing = new AbortController();
  let isRunning = false;

  async function run(): Promise<void> {
    const began = performance.now();
    const fields = { provider, model, endpoint };
    const [outcome] = await Promise.allSettled([load(closing.signal)]);
    isRunning = false;
    if (closing.signal.aborted) return;
    const duration_ms = Math.round(performance.now() - began);
    if (outcome.status === 'fulfilled') {
      log('info', 'provider_warm', { ...fields, duration_ms });
      onLoaded();
    } else {
      const { code, category } = toVaultgraphError(outcome.reason);
      log('warn', 'provider_warm_up_failed', { ...fields, code, category, duration_ms });
    }
  }

  return Object.freeze({
    begin: () => {
      if (isRunning || closing.signal.aborted) return;
      isRunning = true;
      void run();
    },
    close: () => closing.abort(new VaultgraphError('SHUTTING_DOWN', {})),
  });
}

/** What the first endpoint serves: as it said last, else what was stored of it. */
interface KnownModel<Identity> {
  learn(identity: Identity): void;
  get(signal: AbortSignal): Promise<Identity | undefined>;
}

export type StoredIdentity<Identity> = (signal: AbortSignal) => Promise<Identity | undefined>;
/** What two identities differ in, as far as answers depend on it; empty where they are surely the same. */
export type Differences<Identity> = (expected: Identity, found: Identity) => readonly string[];

export function createKnownModel<Identity>(stored: StoredIdentity<Identity>): KnownModel<Identity> {
  let last: Identity | undefined;
  return Object.freeze({
    learn: (identity: Identity) => {
      last = identity;
    },
    get: async (signal: AbortSignal) => last ?? stored(signal),
  });
}

/** Why the endpoint may not stand in; undefined where it may. @throws what `identify` throws */
export async function refusalOf<Identity>(
  endpoint: ModelProvider<Identity>,
  known: KnownModel<Identity>,
  differences: Differences<Identity>,
  call: ProviderCall,
  signal: AbortSignal,
): Promise<string | undefined> {
  const expected = await known.get(signal);
  if (expected === undefined) return 'nobody knows yet which model the first endpoint serves';
  const differing = differences(expected, await endpoint.identify(call, signal));
  return differing.length === 0 ? undefined : `serves another model: ${differing.join(', ')}`;
}
