// Counts the time of a call, without the time that it waits for a person.

/** Work stops this much before the limit of the call, so that a batch still answers with what it has. */
const CLOSING_MS = 500;

/** The part of a call's limit that its work may use. */
export function workMs(limitMs: number): number {
  return limitMs - Math.min(CLOSING_MS, limitMs / 10);
}

interface Alarm {
  /** Milliseconds that the call has used by then. */
  readonly atMs: number;
  readonly ring: () => void;
}

/** Runs from its creation. */
export class CallClock {
  /** Infinity for none. */
  readonly limitMs: number;
  readonly #alarms = new Set<Alarm>();
  #timers: NodeJS.Timeout[] = [];
  #usedMs = 0;
  /** Undefined while it is stopped. */
  #runsSince: number | undefined = performance.now();

  constructor(limitMs: number) {
    this.limitMs = limitMs;
  }

  /** Milliseconds that the work may still use. */
  msLeft(): number {
    return Math.max(0, workMs(this.limitMs) - this.#used());
  }

  /** Calls `ring` once the call has used `atMs` milliseconds; never if that is Infinity. */
  at(atMs: number, ring: () => void): void {
    if (!Number.isFinite(atMs)) return;
    const alarm = { atMs, ring };
    this.#alarms.add(alarm);
    this.#start(alarm);
  }

  /** The clock is stopped until `wait` ends. */
  async outside<T>(wait: () => Promise<T>): Promise<T> {
    this.#pause();
    try {
      return await wait();
    } finally {
      this.#runsSince = performance.now();
      for (const alarm of this.#alarms) this.#start(alarm);
    }
  }

  /** No alarm rings afterwards. */
  stop(): void {
    this.#alarms.clear();
    this.#pause();
  }

  #pause(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = [];
    this.#usedMs = this.#used();
    this.#runsSince = undefined;
  }

  #start(alarm: Alarm): void {
    const ring = (): void => {
      this.#alarms.delete(alarm);
      alarm.ring();
    };
    this.#timers.push(setTimeout(ring, Math.max(0, alarm.atMs - this.#used())));
  }

  #used(): number {
    return this.#usedMs + (this.#runsSince === undefined ? 0 : performance.now() - this.#runsSince);
  }
}
