// Runs work one at a time, in the order of the calls.
import { untilAborted } from './waits.ts';

export class Serial {
  #last: Promise<unknown> = Promise.resolve();

  /** @throws what `work` throws; the reason of the first signal that aborts before `work` begins, which then never does */
  async run<T>(work: () => T | Promise<T>, ...signals: readonly AbortSignal[]): Promise<T> {
    const before = this.#last;
    const turn = Promise.withResolvers<void>();
    this.#last = before.then(() => turn.promise);
    try {
      await untilAborted(before, ...signals);
      return await work();
    } finally {
      turn.resolve();
    }
  }

  /** Resolves when all work so far has ended, however it ended. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
