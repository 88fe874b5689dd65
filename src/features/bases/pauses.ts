// Lets other calls run during a long computation.
import { setImmediate as yieldToOthers } from 'node:timers/promises';

const MAX_WORK_MS = 5;

export type Pause = () => Promise<void> | undefined;

/**
 * The returned function is called after every small step, and waits if the work has lasted some milliseconds.
 * @throws the reason of an aborted signal
 */
export function createPause(signal: AbortSignal): Pause {
  let since = performance.now();
  return () => {
    if (performance.now() - since < MAX_WORK_MS) return undefined;
    signal.throwIfAborted();
    return yieldToOthers().then(() => {
      since = performance.now();
    });
  };
}
