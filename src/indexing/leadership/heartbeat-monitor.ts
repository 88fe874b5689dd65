// Measures how long the holder of the lease has sent no heartbeat, as seen by a process that was awake itself.
import type { Clock } from '../../base/clock.ts';
import type { Lease } from '../../contracts/lease.ts';

type Heartbeat = Pick<Lease, 'token' | 'heartbeats'>;

export class HeartbeatMonitor {
  readonly #clock: Clock;
  readonly #maxGapMs: number;
  #last: Heartbeat | undefined;
  #observedAt = 0;
  #silentMs = 0;

  /** @param maxGapMs the most that counts between two observations: a process that slept missed what others did meanwhile */
  constructor(clock: Clock, maxGapMs: number) {
    this.#clock = clock;
    this.#maxGapMs = maxGapMs;
  }

  get silentMs(): number {
    return this.#silentMs;
  }

  observe({ token, heartbeats }: Heartbeat): void {
    const now = this.#clock.now();
    const isSame = this.#last?.token === token && this.#last.heartbeats === heartbeats;
    this.#silentMs = isSame ? this.#silentMs + Math.min(now - this.#observedAt, this.#maxGapMs) : 0;
    this.#last = { token, heartbeats };
    this.#observedAt = now;
  }
}
