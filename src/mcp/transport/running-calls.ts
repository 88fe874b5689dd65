// The calls under way, and how they are brought to an end. Knows no tool and no transport.
import { setTimeout as sleep } from 'node:timers/promises';
import { VaultgraphError } from '../../base/errors.ts';

export interface RunningCalls {
  /** Runs `work` under a signal that `client` aborts, and the server when it ends. */
  run<T>(client: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Lets the running calls end by themselves for `graceMs`, then aborts them with SHUTTING_DOWN, as every later one. */
  drain(graceMs: number, lastMs: number): Promise<void>;
}

export function createRunningCalls(): RunningCalls {
  const running = new Set<Promise<unknown>>();
  const ending = new AbortController();
  const settled = (waitMs: number): Promise<unknown> =>
    Promise.race([Promise.allSettled(running), sleep(waitMs, undefined, { ref: false })]);
  return {
    run: async (client, work) => {
      const call = work(AbortSignal.any([client, ending.signal]));
      running.add(call);
      return call.finally(() => running.delete(call));
    },
    drain: async (graceMs, lastMs) => {
      await settled(graceMs);
      ending.abort(new VaultgraphError('SHUTTING_DOWN', {}));
      await settled(lastMs);
    },
  };
}
