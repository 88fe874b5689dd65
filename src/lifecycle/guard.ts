// Holds every method of a provider to its limit.
import { checkLimit, withStallLimit } from '../base/async/limits.ts';
import { VaultgraphError } from '../base/errors.ts';
import type { TimeLimits } from '../contracts/capability.ts';
import type { ProvidedCapability } from '../contracts/provider.ts';

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
    return withStallLimit(
      limitMs,
      lapse,
      signal,
      (_beat, stop) => work(...callArgs, stop),
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
    capability,
    provider: type,
    model,
    attempts: 1,
    elapsed_ms: elapsedMs,
    level: 'call',
    ...(endpoint === undefined ? {} : { endpoint }),
    phase: isLoad ? 'load' : 'headers',
    timeout_ms: limitMs,
    clipped: false,
    cold_start: isLoad,
  });
}
