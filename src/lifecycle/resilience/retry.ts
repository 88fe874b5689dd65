// Sends a request again where the matrix says so, and tells every wait.
import { CONNECTION_ERRORS, type ErrorCode, toVaultgraphError, type VaultgraphError } from '../../base/errors.ts';
import type { ProviderCall } from '../../contracts/provider-call.ts';
import type { Alarm } from './alarm.ts';
import type { Clock } from './clock.ts';
import type { Layer } from './layer.ts';
import { type Again, nextAttempt, type RetrySettings } from './retry-matrix.ts';

export interface RetryParts {
  readonly settings: RetrySettings;
  readonly clock: Clock;
  /** Rings when the provider answered somebody: whoever waits tries again at once. */
  readonly alarm: Alarm;
  readonly onRetry: (error: VaultgraphError, again: Again) => void;
}

/** What surfaces is the last failure. */
export function retryLayer(parts: RetryParts): Layer {
  return async (request, call, signal) => {
    const course = beginCourse(parts.clock);
    for (;;) {
      try {
        return await request(call, signal);
      } catch (thrown) {
        signal.throwIfAborted();
        const error = toVaultgraphError(thrown);
        const again = nextAttempt(error, course.behind(error, call), parts.settings, parts.clock.random);
        if (again === undefined) throw error;
        await waitOut(parts, error, again, call, signal);
      }
    }
  };
}

function beginCourse({ now }: Clock) {
  const began = now();
  const alike = new Map<ErrorCode, number>();
  let failed = 0;
  return {
    behind({ code }: VaultgraphError, { priority, msLeft }: ProviderCall) {
      failed += 1;
      alike.set(code, (alike.get(code) ?? 0) + 1);
      return { priority, failed, alike: alike.get(code) ?? 1, elapsedMs: now() - began, msLeft: msLeft() };
    },
  };
}

async function waitOut(
  { clock, alarm, onRetry }: RetryParts,
  error: VaultgraphError,
  again: Again,
  { trace, onWait }: ProviderCall,
  signal: AbortSignal,
): Promise<void> {
  const began = clock.now();
  // What it will wait is told at once, what it did wait afterwards: the alarm may have cut it short.
  const at = trace.retries.push({ code: error.code, waited_ms: again.waitMs }) - 1;
  trace.phase = 'backoff';
  onRetry(error, again);
  onWait(`retry ${again.attempt}: ${causeWords(error)}`);
  await alarm.rest(again.waitMs, signal, () => {
    trace.phase = 'queue';
  });
  trace.retries[at] = { code: error.code, waited_ms: Math.round(clock.now() - began) };
  signal.throwIfAborted();
}

const CAUSE_WORDS: Partial<Record<ErrorCode, string>> = {
  PROVIDER_BUSY: 'server busy',
  PROVIDER_RATE_LIMITED: 'too many requests',
};

function causeWords({ code, details }: VaultgraphError): string {
  const { cause_code, status } = details as { readonly cause_code?: string; readonly status?: number };
  if (cause_code !== undefined) return CONNECTION_ERRORS[cause_code] ?? `cannot connect (${cause_code})`;
  return CAUSE_WORDS[code] ?? (status === undefined ? code : `HTTP ${status}`);
}
