// An endpoint with its time limits, its cold-start detection and its warm-up.
import { VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { errorOf } from '../../base/outcome.ts';
import type { ModelProvider, ProviderCall } from '../../contracts/provider-call.ts';
import { guardProvider } from '../guard.ts';
import type { Endpoint } from './failover.ts';
import { type Layer, layered, type ProviderName, promptly } from './layer.ts';

export interface GuardedEndpoint<P> extends Endpoint<P> {
  readonly warmUp: WarmUp;
  /** The provider's own methods, each under its limit. */
  readonly loaded: ModelProvider<unknown>['loaded'];
  readonly load: ModelProvider<unknown>['warmUp'];
}

/** Limits of the methods that every model provider has: milliseconds, or `bounded`. */
export type ModelLimits = Readonly<Record<'identify' | 'loaded' | 'warmUp', number | 'bounded'>>;

export interface EndpointHooks {
  readonly log: Log;
  readonly count: (name: string) => void;
  /** A warm-up loaded the model. */
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

/** By then a loaded model has answered most requests. */
const LOOK_AFTER_MS = 5_000;
/** As a share of the time left, if that is short. */
const LOOK_AFTER_SHARE = 0.25;

interface ColdStartParts {
  /** Whether the model is in memory; undefined if that is not known. */
  readonly loaded: (signal: AbortSignal) => Promise<boolean | undefined>;
  /** Loads the model in the background: a request that is aborted aborts its load too. */
  readonly warmUp: () => void;
}

/** Checks once, while a request waits, whether the model is loaded. */
function coldStartLayer({ loaded, warmUp }: ColdStartParts): Layer {
  return async (request, call, signal) => {
    const over = new AbortController();
    let isCold = false;
    const look = async (): Promise<void> => {
      isCold = (await loaded(over.signal)) === false && !over.signal.aborted;
      if (isCold) reportLoading(call);
    };
    // A failure here is ignored: the request itself continues and reports more.
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

function reportLoading(call: ProviderCall): void {
  call.trace.coldStart = true;
  call.trace.phase = 'load';
  call.onWait('the model is being loaded');
}

const isTimeout = (reason: unknown): boolean => reason instanceof VaultgraphError && reason.code === 'PROVIDER_TIMEOUT';

type WarmUp = ReturnType<typeof createWarmUp>;

/** @param load ends by its own limit */
function createWarmUp(
  { provider, model, endpoint }: ProviderName,
  load: (signal: AbortSignal) => Promise<void>,
  log: Log,
  onLoaded: () => void,
) {
  const closing = new AbortController();
  let isRunning = false;

  async function run(): Promise<void> {
    const began = performance.now();
    const fields = { provider, model, endpoint };
    const error = await errorOf(load(closing.signal));
    isRunning = false;
    if (closing.signal.aborted) return;
    const duration_ms = Math.round(performance.now() - began);
    if (error === undefined) {
      log('info', 'provider_warm', { ...fields, duration_ms });
      onLoaded();
    } else {
      const { code, category } = error;
      log('warn', 'provider_warm_up_failed', { ...fields, code, category, duration_ms });
    }
  }

  return Object.freeze({
    /** Starts to load the model unless that is already running. The result is logged; failures are not thrown. */
    begin: () => {
      if (isRunning || closing.signal.aborted) return;
      isRunning = true;
      void run();
    },
    close: () => closing.abort(new VaultgraphError('SHUTTING_DOWN', {})),
  });
}

/** The identity of the first endpoint: as last reported, else as stored with the index. */
interface KnownModel<Identity> {
  learn(identity: Identity): void;
  get(signal: AbortSignal): Promise<Identity | undefined>;
}

export type StoredIdentity<Identity> = (signal: AbortSignal) => Promise<Identity | undefined>;
/** The fields in which two identities differ and on which answers depend; empty if they are surely the same. */
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

/** Why the endpoint cannot replace the first; undefined if it can. @throws what `identify` throws */
export async function refusalOf<Identity>(
  endpoint: ModelProvider<Identity>,
  known: KnownModel<Identity>,
  differences: Differences<Identity>,
  call: ProviderCall,
  signal: AbortSignal,
): Promise<string | undefined> {
  const expected = await known.get(signal);
  if (expected === undefined) return 'the model of the first endpoint is not known yet';
  const differing = differences(expected, await endpoint.identify(call, signal));
  return differing.length === 0 ? undefined : `serves another model: ${differing.join(', ')}`;
}
