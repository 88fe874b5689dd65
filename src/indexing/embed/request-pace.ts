// Adjusts the size and number of requests to the server: they grow while texts are answered faster, and two run at a time if that helps.
import type { EmbeddingProvider } from '../../contracts/embedding.ts';

type Batch = EmbeddingProvider['batch'];

/** A request that was answered at once, without a refusal. */
export interface AnsweredRequest {
  readonly items: number;
  readonly characters: number;
  readonly beganMs: number;
  readonly endedMs: number;
}

interface Setting {
  readonly items: number;
  /** Requests under way at a time. */
  readonly lanes: number;
}

/** Parsing an answer with more numbers would hold up other calls. */
const MAX_NUMBERS = 131_072;
/** Requests that are measured before the next setting is tried, per lane. */
const TRIAL_REQUESTS = 3;
/** The server, or what else it computes, may have changed by then. */
const RETRY_AFTER_REQUESTS = 100;
/** A setting is kept if it embeds at least this many times as much text in the same time. */
const MIN_GAIN = 1.1;
/** A search may have to wait for a request that is under way: a longer one grows only with a large gain, which shows that its length hardly matters. */
const MAX_REQUEST_MS = 1_000;
const LARGE_GAIN = 1.5;
const MAX_GROWING_MS = 5_000;

export class RequestPace {
  readonly #batch: Batch;
  #maxItems: number;
  #now: Setting;
  #best: (Setting & { readonly rate: number }) | undefined;
  #isSettled: boolean;
  #settledFor = 0;
  #trial: AnsweredRequest[] = [];

  /** @param dims numbers of one vector */
  constructor(batch: Batch, dims: number) {
    this.#batch = batch;
    this.#maxItems = Math.max(batch.items, Math.min(batch.maxItems ?? batch.items, Math.floor(MAX_NUMBERS / dims)));
    this.#now = { items: batch.items, lanes: 1 };
    this.#isSettled = batch.maxItems === undefined;
  }

  get lanes(): number {
    return this.#now.lanes;
  }

  /** The limits of the next request. */
  get limits(): Pick<Batch, 'items' | 'characters'> {
    const { items, characters } = this.#batch;
    return { items: this.#now.items, characters: Math.floor((characters / items) * this.#now.items) };
  }

  answered(request: AnsweredRequest): void {
    const isTooLong = request.endedMs - request.beganMs > 2 * MAX_GROWING_MS;
    if (isTooLong && this.#now.items > this.#batch.items) this.#settle({ items: this.#batch.items, lanes: 1 });
    this.#settledFor += 1;
    if (this.#isSettled && this.#settledFor >= RETRY_AFTER_REQUESTS) this.#explore(this.#now.items);
    if (this.#isSettled) return;
    this.#trial.push(request);
    if (this.#trial.length >= TRIAL_REQUESTS * this.#now.lanes) this.#judge();
  }

  /**
   * A request that had to be sent again in parts. Large ones are then expensive, so they begin again with small ones.
   * @param isTextAtFault whether a text was refused alone too; otherwise the request was too large
   */
  refused(items: number, isTextAtFault: boolean): void {
    this.#trial = [];
    if (items <= this.#batch.items) return;
    if (!isTextAtFault) this.#maxItems = Math.max(this.#batch.items, Math.floor(items / 2));
    this.#explore(this.#batch.items);
  }

  #explore(items: number): void {
    this.#now = { items, lanes: 1 };
    this.#best = undefined;
    this.#isSettled = this.#batch.maxItems === undefined;
  }

  #judge(): void {
    const trial = this.#trial.splice(0);
    const rate = rateOf(trial, this.#now.lanes);
    const gain = rate / (this.#best?.rate ?? 0);
    const isBetter = gain >= MIN_GAIN;
    if (isBetter) this.#best = { ...this.#now, rate };
    const best = this.#best ?? this.#now;
    const next = { items: Math.min(2 * this.#now.items, this.#maxItems), lanes: 1 };
    const mayGrow = isBetter && next.items > this.#now.items && isShort(trial, gain);
    if (this.#now.lanes > 1) this.#settle(best);
    else this.#now = mayGrow ? next : { items: best.items, lanes: 2 };
  }

  #settle({ items, lanes }: Setting): void {
    this.#now = { items, lanes };
    this.#isSettled = true;
    this.#settledFor = 0;
  }
}

/**
 * Characters in a millisecond. Of requests one after the other the fastest counts: other work on the machine only makes them slower. Of
 * two at a time the middle one, since the first of them begins alone.
 */
function rateOf(trial: readonly AnsweredRequest[], lanes: number): number {
  const rates = trial
    .map(({ characters, beganMs, endedMs }) => characters / Math.max(endedMs - beganMs, Number.MIN_VALUE))
    .sort((one, other) => other - one);
  return lanes * (rates[lanes === 1 ? 0 : Math.floor(rates.length / 2)] ?? 0);
}

function isShort(trial: readonly AnsweredRequest[], gain: number): boolean {
  const longest = Math.max(...trial.map(({ beganMs, endedMs }) => endedMs - beganMs));
  return longest <= (gain >= LARGE_GAIN ? MAX_GROWING_MS : MAX_REQUEST_MS);
}
