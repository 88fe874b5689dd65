// The one signal of a call: the caller's abort and the nearing deadline, each as a typed failure.
import { repeatFailure, VaultgraphError } from '../../base/errors.ts';

/** What a call needs after its last item to put its answer together: the work stops this much before the hard limit. */
const CLOSING_MS = 500;

export interface CallSignal {
  readonly signal: AbortSignal;
  close(): void;
}

/** Aborts when `signal` does, always with a VaultgraphError of this call alone: what it was aborted with, else CANCELLED. */
export function openTypedSignal(signal: AbortSignal): CallSignal {
  const typed = new AbortController();
  const follow = (): void => typed.abort(reasonOf(signal));
  if (signal.aborted) follow();
  else signal.addEventListener('abort', follow, { once: true });
  return { signal: typed.signal, close: () => signal.removeEventListener('abort', follow) };
}

/**
 * Aborts a little before `limitMs` are over, so that a batch still answers with what it has; and when `signal` does.
 * @param makeError the reason for the former
 */
export function openWorkSignal(limitMs: number, makeError: () => VaultgraphError, signal: AbortSignal): CallSignal {
  if (limitMs === Number.POSITIVE_INFINITY) return { signal, close: () => undefined };
  const nearing = new AbortController();
  const timer = setTimeout(() => nearing.abort(makeError()), workMs(limitMs));
  return { signal: AbortSignal.any([signal, nearing.signal]), close: () => clearTimeout(timer) };
}

/** Of a call's time, what its work may take. */
export function workMs(limitMs: number): number {
  return limitMs - Math.min(CLOSING_MS, limitMs / 10);
}

function reasonOf({ reason }: AbortSignal): VaultgraphError {
  return reason instanceof VaultgraphError
    ? repeatFailure(reason)
    : new VaultgraphError('CANCELLED', { committed: 'none' });
}
