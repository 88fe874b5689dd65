// Limits the requests of each client to a rate: a bucket for each, which fills up with time.

interface Bucket {
  tokens: number;
  at: number;
}

export class RequestRate {
  readonly #perSecond: number;
  readonly #buckets = new Map<string, Bucket>();

  /** A client may send the requests of two seconds at once. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Counts a request. False if it is one too many. @param now in milliseconds */
  take(client: string, now: number): boolean {
    const most = 2 * this.#perSecond;
    const bucket = this.#buckets.get(client) ?? { tokens: most, at: now };
    this.#buckets.set(client, bucket);
    bucket.tokens = Math.min(most, bucket.tokens + ((now - bucket.at) / 1_000) * this.#perSecond);
    bucket.at = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }
}
