// One direction of a connection through the test proxy: bytes wait for their time, in order.
import type { Socket } from 'node:net';

interface Waiting {
  /** Undefined: the sender has ended its side. */
  readonly bytes: Buffer | undefined;
  readonly due: number;
}

/** A timer of Node waits at least this long, and up to a millisecond longer than asked. */
const MIN_TIMER_MS = 2;

export class ProxyLane {
  readonly #to: Socket;
  readonly #isFrozen: () => boolean;
  readonly #queue: Waiting[] = [];
  #isScheduled = false;

  constructor(to: Socket, isFrozen: () => boolean) {
    this.#to = to;
    this.#isFrozen = isFrozen;
  }

  push(bytes: Buffer | undefined, delay: number): void {
    this.#queue.push({ bytes, due: performance.now() + delay });
    this.pass();
  }

  /** Passes on what is due. */
  pass(): void {
    while (!this.#isFrozen()) {
      const next = this.#queue[0];
      if (next === undefined) return;
      const wait = next.due - performance.now();
      if (wait > 0) {
        this.#schedule(wait);
        return;
      }
      this.#queue.shift();
      if (next.bytes === undefined) this.#to.end();
      else this.#to.write(next.bytes);
    }
  }

  /** The last two milliseconds pass in turns of the event loop, since a timer is not exact enough for them. */
  #schedule(wait: number): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const again = (): void => {
      this.#isScheduled = false;
      this.pass();
    };
    if (wait < MIN_TIMER_MS) setImmediate(again);
    else setTimeout(again, wait - 1);
  }
}
