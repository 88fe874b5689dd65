// Holds answers back until the provider proves that the model that made them is still the model of the generation.
import type { VaultgraphError } from '../../base/errors.ts';
import { errorOf } from '../../base/outcome.ts';
import type { Answers } from './notes-to-embed.ts';

/** A comparison is due after this many requests, or after this time. The first ones come after 1, 2, 4 and so on, for jobs that end soon. */
export interface ComparisonPace {
  readonly requests: number;
  readonly everyMs: number;
}

/** For a server that reports a digest, which costs it nothing. */
export const AFTER_EACH_REQUEST: ComparisonPace = Object.freeze({ requests: 1, everyMs: 0 });
/** For one that must embed sentences: few enough requests that little is lost when the process is killed. */
export const AFTER_SOME_REQUESTS: ComparisonPace = Object.freeze({ requests: 16, everyMs: 60_000 });

/** How long a provider that has just failed may take to say which model it has. */
const FAILED_PATIENCE_MS = 2_000;

export class HeldAnswers {
  readonly #compare: (patienceMs: number) => Promise<void>;
  readonly #pace: ComparisonPace;
  #held: Answers[] = [];
  #confirmed: Answers[] = [];
  #comparing: Promise<void> | undefined;
  #comparedAt = performance.now();
  /** After how many requests the next one is due. */
  #due = 1;
  #failure: VaultgraphError | undefined;

  /** @param compare throws if another model answers now, or none within `patienceMs` */
  constructor(compare: (patienceMs: number) => Promise<void>, pace: ComparisonPace) {
    this.#compare = compare;
    this.#pace = pace;
  }

  /** Starts a comparison if one is due, beside the next request. Waits only for one that takes longer than the requests. */
  async add(answers: Answers): Promise<void> {
    this.#held.push(answers);
    const { requests, everyMs } = this.#pace;
    const isDue = this.#held.length >= this.#due || performance.now() - this.#comparedAt >= everyMs;
    if (isDue) this.#begin();
    if (this.#held.length > 2 * requests) await this.#comparing;
  }

  /** The answers confirmed since the last call, in order. @throws the error of a comparison */
  confirmed(): readonly Answers[] {
    if (this.#failure !== undefined) throw this.#failure;
    return this.#confirmed.splice(0);
  }

  /** All answers that are still held. @throws as `confirmed` */
  async last(): Promise<readonly Answers[]> {
    while (this.#failure === undefined && (this.#held.length > 0 || this.#comparing !== undefined)) {
      this.#begin();
      await this.#comparing;
    }
    return this.confirmed();
  }

  /** What a comparison begun now shows, after a request that failed. Never rejects. */
  async failure(): Promise<VaultgraphError | undefined> {
    await this.#comparing;
    this.#begin(FAILED_PATIENCE_MS);
    await this.#comparing;
    return this.#failure;
  }

  /** Confirms only answers that came before it began. */
  #begin(patienceMs = Number.POSITIVE_INFINITY): void {
    if (this.#comparing !== undefined || this.#failure !== undefined) return;
    const covered = this.#held.length;
    this.#due = Math.min(2 * this.#due, this.#pace.requests);
    this.#comparing = errorOf(this.#compare(patienceMs)).then((failure) => {
      this.#comparing = undefined;
      this.#comparedAt = performance.now();
      this.#failure = failure;
      if (failure === undefined) this.#confirmed.push(...this.#held.splice(0, covered));
    });
  }
}
