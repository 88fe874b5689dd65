// When to try again what failed: after a while, then after twice as long, up to a limit.

export interface Backoff {
  /** What was tried at this moment failed. */
  failed(at: number): void;
  succeeded(): void;
  /** No sooner than this; at once after a success. */
  againAt(): number;
}

/** @param longestMs 'first' is doubled up to it */
export function createBackoff(firstMs: number, longestMs: number): Backoff {
  let pauseMs = firstMs;
  let again = Number.NEGATIVE_INFINITY;
  return {
    failed(at) {
      again = at + pauseMs;
      pauseMs = Math.min(longestMs, pauseMs * 2);
    },
    succeeded() {
      pauseMs = firstMs;
      again = Number.NEGATIVE_INFINITY;
    },
    againAt: () => again,
  };
}
