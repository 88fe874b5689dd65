// Provides a manual clock and a fixed source of random numbers.
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../../src/lifecycle/resilience/retry.ts';

export interface HandClock extends Clock {
  /** Ends what is due within `ms`, in order, and lets what follows from it happen. */
  move(ms: number): Promise<void>;
  /** Milliseconds of the present waits. */
  waits(): readonly number[];
}

interface Sleeper {
  readonly due: number;
  readonly ms: number;
  readonly wake: () => void;
}

/** Whatever can happen without time passing has happened. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 5; round += 1) await turn();
}

/** @param chance what `random` answers */
export function handClock(chance = 0.5): HandClock {
  let time = 1_000;
  const sleepers = new Set<Sleeper>();
  return {
    now: () => time,
    random: () => chance,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const sleeper: Sleeper = {
          due: time + ms,
          ms,
          wake: () => {
            sleepers.delete(sleeper);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal.addEventListener('abort', sleeper.wake);
        if (signal.aborted) sleeper.wake();
      }),
    waits: () => [...sleepers].map(({ ms }) => ms),
    async move(ms) {
      const until = time + ms;
      for (;;) {
        await settle();
        const [next] = [...sleepers].filter(({ due }) => due <= until).sort((one, other) => one.due - other.due);
        if (next === undefined) break;
        time = next.due;
        next.wake();
      }
      time = until;
    },
  };
}
