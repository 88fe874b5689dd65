// Polls a cheap change mark of the store, and does more only when it changed or a while has passed.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { errorOf } from '../../base/outcome.ts';
import { NEVER } from '../../base/until-aborted.ts';
import type { SharedStore } from '../../contracts/lease.ts';

/** All in milliseconds. */
export interface PollTimes {
  /** Between two polls: usually, and for a while after another process asked for something. */
  readonly poll: number;
  readonly fastPoll: number;
  /** The longest time without a full check, even if no process wrote anything. */
  readonly recheck: number;
}

export interface PollLoopParts {
  readonly store: Pick<SharedStore, 'mark'>;
  readonly clock: Clock;
  readonly times: PollTimes;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** The loop ends when this is false. */
  readonly isOn: () => boolean;
  /** @param hasChanged whether any process wrote since the last poll. @returns whether other processes have open requests */
  readonly onPoll: (hasChanged: boolean) => Promise<boolean>;
}

/** A client that asked once usually asks again soon; an idle process should cost almost nothing. */
const FAST_FOR_MS = 10_000;

export class PollLoop {
  readonly #parts: PollLoopParts;
  #isRunning = false;
  #mark: number | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #fastUntil = Number.NEGATIVE_INFINITY;
  #lastErrorCode: string | undefined;

  constructor(parts: PollLoopParts) {
    this.#parts = parts;
  }

  /** Has no effect while the loop runs. */
  start(): void {
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    const { isOn, signal, clock, times } = this.#parts;
    this.#isRunning = true;
    while (isOn() && !signal.aborted) {
      this.#report(await errorOf(this.#poll()));
      await clock.sleep(clock.now() < this.#fastUntil ? times.fastPoll : times.poll, signal);
    }
    this.#isRunning = false;
  }

  async #poll(): Promise<void> {
    const { store, clock, times, onPoll } = this.#parts;
    const mark = await store.mark(NEVER);
    const hasChanged = mark !== this.#mark;
    if (!hasChanged && clock.now() - this.#checkedAt < times.recheck) return;
    this.#checkedAt = clock.now();
    if (await onPoll(hasChanged)) this.#fastUntil = clock.now() + FAST_FOR_MS;
    // Last, so that a change whose check failed is checked again.
    this.#mark = mark;
  }

  /** Repeated errors are logged once. */
  #report(error: Awaited<ReturnType<typeof errorOf>>): void {
    const { log, signal } = this.#parts;
    if (error !== undefined && error.code !== this.#lastErrorCode && !signal.aborted)
      log('warn', 'lease_look_failed', { code: error.code, error_id: error.errorId });
    this.#lastErrorCode = error?.code;
  }
}
