// Makes what surfaces tell of the whole request: one attempt knows only of itself. Knows no provider.
import { type DetailsOf, type ErrorCode, VaultgraphError } from '../../base/errors.ts';
import type { Clock } from './clock.ts';
import type { Layer } from './layer.ts';

/** All attempts and the whole time, in place of those of the last attempt. */
export function totalsLayer(clock: Clock): Layer {
  return async (request, call, signal) => {
    const began = clock.now();
    const before = call.trace.attempts;
    try {
      return await request(call, signal);
    } catch (thrown) {
      throw withTotals(thrown, call.trace.attempts - before, Math.round(clock.now() - began));
    }
  };
}

function withTotals(thrown: unknown, attempts: number, elapsed_ms: number): unknown {
  if (!(thrown instanceof VaultgraphError)) return thrown;
  const { code, details, namedWaitMs, retry }: VaultgraphError = thrown;
  if (!('attempts' in details) || details.attempts === attempts) return thrown;
  const whole = { ...details, attempts, elapsed_ms } as DetailsOf<ErrorCode>;
  const wait = namedWaitMs === undefined ? {} : { retryAfterMs: namedWaitMs };
  return new VaultgraphError<ErrorCode>(code, whole, { cause: thrown, retry, ...wait });
}
