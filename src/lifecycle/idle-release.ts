// Gives memory back to the system: all that a server does not need once it has been idle for a while, and what is free under load.
import { trimHeap } from '../base/system/trim-heap.ts';

/** Checked at this interval; the memory is given back after two checks without a change. */
const CHECK_MS = 12_000;
const IDLE_CHECKS = 2;
/** Under load only what is free already is given back: after as many checks. */
const BUSY_CHECKS = 5;

interface Idleness {
  /** Changes with everything that the server does for a client or for the index. */
  readonly activity: () => string;
  /** Ends all threads and drops what can be computed again. */
  readonly release: () => Promise<void>;
  /** Starts a thread. */
  readonly wake: () => void;
}

export class IdleRelease {
  readonly #idleness: Idleness;
  readonly #checkMs: number;
  #timer: NodeJS.Timeout | undefined;
  #last = '';
  #idleChecks = 0;
  #busyChecks = 0;
  #isReleased = false;

  constructor(idleness: Idleness, checkMs: number = CHECK_MS) {
    this.#idleness = idleness;
    this.#checkMs = checkMs;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#check(), this.#checkMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** A call can keep the main thread busy without end, and only another thread notices that. */
  called(): void {
    if (!this.#isReleased) return;
    this.#isReleased = false;
    this.#idleness.wake();
  }

  #check(): void {
    const now = this.#idleness.activity();
    this.#idleChecks = now === this.#last ? this.#idleChecks + 1 : 0;
    this.#last = now;
    if (this.#idleChecks === 0) this.#checkBusy();
    if (this.#idleChecks !== IDLE_CHECKS) return;
    this.#isReleased = true;
    // Memory that is not given back is no failure of any call.
    void Promise.allSettled([this.#release()]);
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

/** Of the main thread, which then has only what is reachable; it takes some ten milliseconds. Node has no other function for it. */
async function collectGarbage(): Promise<void> {
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}
