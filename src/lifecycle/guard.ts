// Limits the time of a promise, and aborts its work at the limit.
import pTimeout from 'p-timeout';
import { VaultgraphError } from '../base/errors.ts';
import type { TimeLimits } from '../contracts/capability.ts';
import type { ProvidedCapability } from '../contracts/provider.ts';

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

/**
 * Like `withLimit`, for long work that must keep making progress: each call of `beat` restarts the limit.
 * @throws as `withLimit`
 */
export async function withStallLimit<T>(
  limitMs: number,
  makeError: (elapsedMs: number) => VaultgraphError,
  signal: AbortSignal,
  work: (beat: () => void, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  checkLimit(limitMs);
  const stall = new AbortController();
  const began = performance.now();
  const timer = setTimeout(() => stall.abort(makeError(Math.round(performance.now() - began))), limitMs);
  const follow = (): void => stall.abort(signal.reason);
  signal.addEventListener('abort', follow, { once: true });
  if (signal.aborted) follow();
  const beat = (): void => void timer.refresh();
  try {
    return await withLimit(Number.POSITIVE_INFINITY, makeError, stall.signal, (stop) => work(beat, stop));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', follow);
  }
}

/** @throws INTERNAL */
function checkLimit(limitMs: number): void {
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

/** The provider whose work is limited. */
export interface Guarded {
  readonly capability: ProvidedCapability;
  readonly type: string;
  readonly model?: string;
  readonly endpoint?: string;
  /** Whether it is a server that other programs use too: a database. */
  readonly isServer?: boolean;
}

type Method = (...args: unknown[]) => Promise<unknown>;

/**
 * A frozen twin of `capability`, in which every method with a number in `limits` is held to it. Each method's last argument
 * is the caller's signal.
 * @param onLate called for every answer or failure that arrives after its caller had gone
 * @throws INTERNAL when `limits` and the capability's methods are not the same, or a limit cannot be held
 */
export function guardProvider<T extends object>(
  name: Guarded,
  capability: T,
  limits: TimeLimits<T>,
  onLate: (method: string) => void,
): T {
  const members = new Map<string, unknown>(Object.entries(capability));
  const limitOf = new Map<string, unknown>(Object.entries(limits));
  const methods = [...members].filter(([, value]) => typeof value === 'function').map(([method]) => method);
  checkNames(name, methods, [...limitOf.keys()]);
  const guarded = { ...capability } as Record<string, unknown>;
  for (const method of methods) {
    const limit = limitOf.get(method);
    if (limit === 'bounded') continue;
    checkLimit(Number(limit));
    guarded[method] = limited(name, method, (members.get(method) as Method).bind(capability), Number(limit), onLate);
  }
  return Object.freeze(guarded) as T;
}

/** @throws INTERNAL */
function checkNames({ capability, type }: Guarded, methods: readonly string[], limited: readonly string[]): void {
  const without = methods.filter((method) => !limited.includes(method));
  const unknown = limited.filter((method) => !methods.includes(method));
  if (without.length + unknown.length === 0) return;
  const kind = `limits of ${capability} ${type}: none for [${without.join()}], no such method [${unknown.join()}]`;
  throw new VaultgraphError('INTERNAL', { kind });
}

function limited(
  name: Guarded,
  method: string,
  work: Method,
  limitMs: number,
  onLate: (method: string) => void,
): Method {
  return async (...args) => {
    const signal = args.at(-1);
    if (!(signal instanceof AbortSignal)) throw new VaultgraphError('INTERNAL', { kind: `${method} without a signal` });
    const lapse = (elapsedMs: number) => lapseError(name, method, limitMs, elapsedMs);
    const callArgs = args.slice(0, -1);
    return withLimit(
      limitMs,
      lapse,
      signal,
      (stop) => work(...callArgs, stop),
      () => onLate(method),
    );
  };
}

/** What a caller reads when a provider did not end in time. */
export function lapseError(guarded: Guarded, operation: string, limitMs: number, elapsedMs: number): VaultgraphError {
  const { capability, type, model = type, endpoint } = guarded;
  if (capability === 'vault' || capability === 'writer')
    return new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'ETIMEDOUT' });
  if (capability === 'store') {
    const server = guarded.isServer ? { config_key: 'providers.store' } : {};
    return new VaultgraphError('STORE_BUSY', { op: operation, waited_ms: elapsedMs, unfinished: true, ...server });
  }
  const isLoad = operation === 'warmUp';
  return new VaultgraphError('PROVIDER_TIMEOUT', {
    ...{ capability, provider: type, model, attempts: 1, elapsed_ms: elapsedMs, level: 'call' },
    ...(endpoint === undefined ? {} : { endpoint }),
    ...{ phase: isLoad ? 'load' : 'headers', timeout_ms: limitMs, clipped: false, cold_start: isLoad },
  });
}
