// Keeps long work from holding its thread: after each millisecond it lets other calls run.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** The part of one turn of the event loop that the work of all calls may take together. */
const MAX_TURN_MS = 1;

/** When the work of this turn began, as far as it is known here. */
let began: number | undefined;

/**
 * Call it before and between the steps of any long work. Waits for the next turn of the event loop if this one has lasted a
 * millisecond; otherwise undefined, so that a loop of short steps need not wait for a promise each time.
 * @throws the reason of an aborted signal
 */
export function letOthersRun(signal?: AbortSignal): Promise<void> | undefined {
  if (performance.now() - beginTurn() < MAX_TURN_MS) return undefined;
  signal?.throwIfAborted();
  return nextTurn().then(() => void beginTurn());
}

function beginTurn(): number {
  if (began === undefined) {
    began = performance.now();
    setImmediate(() => {
      began = undefined;
    });
  }
  return began;
}
