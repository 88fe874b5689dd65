// Limits the requests of each client to a rate: a bucket for each, which fills up with time.

interface Bucket {
  tokens: number;
  at: number;
}

/** Of two seconds: as many requests may come at once. */
const BURST_SECONDS = 2;

export class RequestRate {
  readonly #perSecond: number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Counts a request. False if it is one too many. @param now in milliseconds */
  take(client: string, now: number): boolean {
    const bucket = this.#buckets.get(client) ?? { tokens: BURST_SECONDS * this.#perSecond, at: now };
    this.#buckets.set(client, bucket);
    bucket.tokens = this.#filled(bucket, now);
    bucket.at = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  /** Forgets the clients whose bucket is full again. */
  sweep(now: number): void {
    for (const [client, bucket] of this.#buckets)
      if (this.#filled(bucket, now) >= BURST_SECONDS * this.#perSecond) this.#buckets.delete(client);
  }

  #filled({ tokens, at }: Bucket, now: number): number {
    const most = BURST_SECONDS * this.#perSecond;
    return Math.min(most, tokens + ((now - at) / 1_000) * this.#perSecond);
  }
}
