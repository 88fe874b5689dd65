// Says when to retry what failed: after a pause that doubles with each failure, up to a limit.

/** Times are milliseconds of a clock that never goes back. */
export class Backoff {
  readonly #firstMs: number;
  readonly #maxMs: number;
  #pauseMs: number;
  #retryAt = Number.NEGATIVE_INFINITY;

  constructor(firstMs: number, maxMs: number) {
    this.#firstMs = firstMs;
    this.#maxMs = maxMs;
    this.#pauseMs = firstMs;
  }

  /** The time of the next try; in the past after a success. */
  get retryAt(): number {
    return this.#retryAt;
  }

  failed(now: number): void {
    this.#retryAt = now + this.#pauseMs;
    this.#pauseMs = Math.min(this.#maxMs, this.#pauseMs * 2);
  }

  succeeded(): void {
    this.#pauseMs = this.#firstMs;
    this.#retryAt = Number.NEGATIVE_INFINITY;
  }
}
