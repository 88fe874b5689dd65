// Gives memory back to the system: all that a server does not need once it has been idle for a while, and what is free under load.
import { collectGarbage, returnLargeBlocks, trimHeap } from '../base/system/memory.ts';

/** Checked at this interval, shorter than an idle thread lives; the memory is given back after four checks without a change. */
const CHECK_MS = 6_000;
const IDLE_CHECKS = 4;
/** Under load only what is free already is given back: after as many checks. */
const BUSY_CHECKS = 10;

interface Idleness {
  /** Changes with everything that the server does for a client or for the index. */
  readonly activity: () => string;
  /** Whether a call is in progress. */
  readonly isBusy: () => boolean;
  /** Drops what can be computed again; idle threads end by themselves. */
  readonly release: () => Promise<void>;
  /** Has a thread run, and an idle one live longer. */
  readonly wake: () => void;
}

export class IdleRelease {
  readonly #idleness: Idleness;
  readonly #checkMs: number;
  #timer: NodeJS.Timeout | undefined;
  #last = '';
  #idleChecks = 0;
  #busyChecks = 0;
  #isSettled = false;
  /** Never, before the start: a command needs no watch. */
  #wokenAt = Number.POSITIVE_INFINITY;

  constructor(idleness: Idleness, checkMs: number = CHECK_MS) {
    this.#idleness = idleness;
    this.#checkMs = checkMs;
  }

  /** The caller has just had a thread run. */
  start(): void {
    this.#wokenAt = performance.now();
    this.#timer ??= setInterval(() => this.#check(), this.#checkMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** A call can keep the main thread busy without end, and only another thread notices that: one runs during every call. */
  called(): void {
    if (performance.now() - this.#wokenAt >= this.#checkMs) this.#wake();
  }

  #wake(): void {
    this.#wokenAt = performance.now();
    this.#idleness.wake();
  }

  #check(): void {
    if (!this.#isSettled) this.#settle();
    this.#isSettled = true;
    const isBusy = this.#idleness.isBusy();
    if (isBusy) this.#wake();
    const now = this.#idleness.activity();
    this.#idleChecks = now === this.#last && !isBusy ? this.#idleChecks + 1 : 0;
    this.#last = now;
    if (this.#idleChecks === 0) this.#checkBusy();
    if (this.#idleChecks !== IDLE_CHECKS) return;
    // Memory that is not given back is no failure of any call.
    void Promise.allSettled([this.#release()]);
  }

  /** Not at the start, which it would delay, and not in a thread: to end one while it loads a native module ends the process. */
  #settle(): void {
    returnLargeBlocks();
    // To load the program grows the young part of the heap to 32 MiB, which it keeps under load: 25 milliseconds, once.
    void Promise.allSettled([collectGarbage()]);
  }

  #checkBusy(): void {
    this.#busyChecks = (this.#busyChecks + 1) % BUSY_CHECKS;
    if (this.#busyChecks === 0) trimHeap();
  }

  async #release(): Promise<void> {
    await this.#idleness.release();
    await collectGarbage();
    trimHeap();
  }
}
