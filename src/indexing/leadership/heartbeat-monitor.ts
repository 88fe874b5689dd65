// How long a holder of the lease has shown no sign of life to an observer that was awake itself.
import type { Clock } from '../../base/clock.ts';
import type { Lease } from '../../contracts/lease.ts';

export interface Stillness {
  saw(lease: Pick<Lease, 'token' | 'beats'>): void;
  lastedMs(): number;
}

/** @param longestGapMs between two looks no more than this counts: whoever slept does not know what others did meanwhile */
export function createStillness(clock: Clock, longestGapMs: number): Stillness {
  let last: Pick<Lease, 'token' | 'beats'> | undefined;
  let lookedAt = 0;
  let lastedMs = 0;
  return {
    saw({ token, beats }) {
      const now = clock.now();
      const isSame = last?.token === token && last.beats === beats;
      lastedMs = isSame ? lastedMs + Math.min(now - lookedAt, longestGapMs) : 0;
      last = { token, beats };
      lookedAt = now;
    },
    lastedMs: () => lastedMs,
  };
}
