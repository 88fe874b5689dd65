// Tells a model on its way into memory from one that hangs, and has it loaded after a call that could not wait so long. Knows no limit.
import { VaultgraphError } from '../../base/errors.ts';
import type { ProviderCall } from '../../contracts/provider-call.ts';
import type { Layer } from './layer.ts';

/** A model that is in memory has answered most requests by then. */
const LOOK_AFTER_MS = 5_000;
/** Of the time there is, where that is short. */
const LOOK_AFTER_SHARE = 0.25;

export interface ColdStartParts {
  /** Whether the model is in memory; undefined where nobody can tell. */
  readonly loaded: (signal: AbortSignal) => Promise<boolean | undefined>;
  /** Has the model loaded behind the calls: a request that ends takes its load with it. */
  readonly warmUp: () => void;
}

/** Looks once while a request waits. */
export function coldStartLayer({ loaded, warmUp }: ColdStartParts): Layer {
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
