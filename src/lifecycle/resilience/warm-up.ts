// Has a model loaded behind the calls, once at a time. Knows no call.
import { toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { ProviderName } from './layer.ts';

export interface WarmUp {
  /** Begins a load unless one goes on. Its end is logged, and thrown to nobody. */
  begin(): void;
  close(): void;
}

/** @param load ends by its own limit */
export function createWarmUp(
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
