// The abort scope of a call: one signal and one deadline for all of its work.
import { repeatFailure, VaultgraphError } from '../../base/errors.ts';
import { type CallClock, workMs } from './call-clock.ts';

export interface ScopeOptions {
  /** Aborted with a VaultgraphError by the server, with anything else by the client. */
  readonly signal: AbortSignal;
  readonly clock: CallClock;
  readonly makeTimeout: () => VaultgraphError;
  /** Called if the work still ends with a result or an unrelated failure after its caller was answered. */
  readonly onLate: () => void;
}

/**
 * Runs `work` until it ends, the limit lapses or `signal` aborts. Its own signal aborts a little before the limit.
 * @throws the timeout, the reason of the abort as a failure of this call, or what `work` threw
 */
export async function runInScope<T>(options: ScopeOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { signal, clock, makeTimeout, onLate } = options;
  if (signal.aborted) throw reasonOf(signal);
  const scope = new AbortController();
  const caller = Promise.withResolvers<never>();
  let isAnswered = false;
  const giveUp = (reason: VaultgraphError): void => {
    isAnswered = true;
    caller.reject(reason);
    scope.abort(reason);
  };
  const onAbort = (): void => giveUp(reasonOf(signal));
  signal.addEventListener('abort', onAbort, { once: true });
  clock.at(workMs(clock.limitMs), () => scope.abort(makeTimeout()));
  clock.at(clock.limitMs, () => giveUp(makeTimeout()));
  const running = work(scope.signal);
  const checkLate = (isExpected: boolean): void => {
    if (isAnswered && !isExpected) onLate();
  };
  running.then(
    () => checkLate(false),
    (thrown) => checkLate(isAbort(thrown, scope.signal)),
  );
  try {
    return await Promise.race([running, caller.promise]);
  } finally {
    clock.stop();
    signal.removeEventListener('abort', onAbort);
  }
}

const isAbort = (thrown: unknown, { reason }: AbortSignal): boolean =>
  thrown === reason || (thrown instanceof Error && thrown.cause === reason);

/** A failure of this call alone: the server's own reason, else CANCELLED. */
function reasonOf({ reason }: AbortSignal): VaultgraphError {
  return reason instanceof VaultgraphError
    ? repeatFailure(reason)
    : new VaultgraphError('CANCELLED', { committed: 'none' });
}
