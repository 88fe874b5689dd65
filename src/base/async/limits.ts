// Limits the time of a promise, and aborts its work at the limit.
import pTimeout from 'p-timeout';
import { VaultgraphError } from '../errors.ts';

/** What came out of work whose caller had gone: its answer, or a failure that is not the abort itself. */
export type Late<T> = PromiseSettledResult<T>;

/** The longest delay of a timer; beyond it p-timeout sets no timer. */
const MAX_LIMIT_MS = 2 ** 31 - 1;

/**
 * Runs `work` until it ends, the limit lapses or `signal` aborts. In both latter cases the caller gets the reason at once,
 * and the same reason aborts the signal of `work`.
 * @param limitMs above 0; Infinity for none
 * @param makeError called only at the limit, with the milliseconds that passed
 * @param onLate what still arrives afterwards; without it, late answers are dropped
 * @throws what `makeError` made, the signal's reason, or what `work` threw; INTERNAL for a limit that no timer can hold
 */
export async function withLimit<T>(
  limitMs: number,
  makeError: (elapsedMs: number) => VaultgraphError,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
  onLate: (late: Late<T>) => void = () => undefined,
): Promise<T> {
  if (limitMs !== Number.POSITIVE_INFINITY) checkLimit(limitMs);
  signal.throwIfAborted();
  const stop = new AbortController();
  const began = performance.now();
  const running = work(stop.signal);
  watchLate(running, [stop.signal, signal], onLate);
  const lapse = (): never => {
    throw makeError(Math.round(performance.now() - began));
  };
  try {
    return await pTimeout(running, { milliseconds: limitMs, fallback: lapse, signal });
  } catch (thrown) {
    stop.abort(thrown);
    throw thrown;
  }
}

/** A timer that is so much too late says that the process was stopped, or that its machine slept; then no work went on either. */
const ASLEEP_MS = 5_000;

/**
 * Like `withLimit`, for work whose caller has a limit of its own, or none: each call of `beat` restarts the limit, and so does the end of a sleep
 * of the machine.
 * @throws as `withLimit`
 */
export async function withStallLimit<T>(
  limitMs: number,
  makeError: (elapsedMs: number) => VaultgraphError,
  signal: AbortSignal,
  work: (beat: () => void, signal: AbortSignal) => Promise<T>,
  onLate?: (late: Late<T>) => void,
): Promise<T> {
  checkLimit(limitMs);
  const stall = new AbortController();
  const began = performance.now();
  let due = began + limitMs;
  const restart = (): void => {
    due = performance.now() + limitMs;
    timer.refresh();
  };
  const lapse = (): void => {
    if (performance.now() > due + ASLEEP_MS) restart();
    else stall.abort(makeError(Math.round(performance.now() - began)));
  };
  const timer = setTimeout(lapse, limitMs);
  const follow = (): void => stall.abort(signal.reason);
  signal.addEventListener('abort', follow, { once: true });
  if (signal.aborted) follow();
  try {
    return await withLimit(Number.POSITIVE_INFINITY, makeError, stall.signal, (stop) => work(restart, stop), onLate);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', follow);
  }
}

/** @throws INTERNAL */
export function checkLimit(limitMs: number): void {
  if (limitMs > 0 && limitMs <= MAX_LIMIT_MS) return;
  throw new VaultgraphError('INTERNAL', { kind: `no timer can hold a limit of ${limitMs} ms` });
}

/** Work that ends with the reason of the abort, or an error caused by it, is not late. */
function watchLate<T>(running: Promise<T>, signals: readonly AbortSignal[], onLate: (late: Late<T>) => void): void {
  const aborted = (): AbortSignal | undefined => signals.find((signal) => signal.aborted);
  running.then(
    (value) => {
      if (aborted() !== undefined) onLate({ status: 'fulfilled', value });
    },
    (thrown: unknown) => {
      const reason: unknown = aborted()?.reason;
      const obeyed = thrown === reason || (thrown instanceof Error && thrown.cause === reason);
      if (reason !== undefined && !obeyed) onLate({ status: 'rejected', reason: thrown });
    },
  );
}
