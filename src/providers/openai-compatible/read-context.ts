// Measures how many tokens of a prompt a server reads, because some read fewer than the config says and report no error.
import { randomUUID } from 'node:crypto';
import { NEVER } from '../../base/until-aborted.ts';
import { isAboutOneInput } from '../model-server/failures.ts';
import { plausibleCount } from '../model-server/token-counts.ts';

/** Sends one prompt. @returns its tokens as the server counts them */
export type CountTokens = (prompt: string, signal: AbortSignal) => Promise<number | undefined>;

export interface ReadContextSettings {
  /** `context` in the config. */
  readonly configured: number;
  /** A prompt that takes longer is too long for every call. */
  readonly limitMs: number;
  /** How long no call is made before the measurement begins. */
  readonly idleMs: number;
}

/** One long prompt in the background, after the first answer: a model that no tool uses is not loaded, and no call waits for it. */
export class ReadContext {
  readonly #settings: ReadContextSettings;
  readonly #count: CountTokens;
  #tokens: number;
  #finding: string;
  #isKnown = false;
  #calls = 0;
  #timer: NodeJS.Timeout | undefined;
  #interrupt = new AbortController();

  constructor(settings: ReadContextSettings, count: CountTokens) {
    this.#settings = settings;
    this.#count = count;
    this.#tokens = settings.configured;
    this.#finding = `not known yet whether it reads ${settings.configured} tokens`;
  }

  /** As configured, or as measured if that is less. */
  get tokens(): number {
    return this.#tokens;
  }

  /** One line for the user. */
  get finding(): string {
    return this.#finding;
  }

  /** Ends a measurement that is running, so that the call need not wait for it; one begins after the call if there was none yet. */
  async during<T>(call: () => Promise<T>): Promise<T> {
    this.#calls += 1;
    this.close();
    try {
      const answer = await call();
      if (this.#calls === 1 && !this.#isKnown) this.#begin();
      return answer;
    } finally {
      this.#calls -= 1;
    }
  }

  /** Sends one prompt of the configured size. A failure is a finding. @throws the signal's reason */
  async measure(signal: AbortSignal): Promise<void> {
    const { configured, limitMs } = this.#settings;
    const lapse = AbortSignal.timeout(limitMs);
    const interrupted = this.#interrupt.signal;
    // The beginning is a new one each time: some servers do not count what they have in a cache.
    const prompt = `${randomUUID()} ${'the '.repeat(configured)}`;
    const [outcome] = await Promise.allSettled([this.#count(prompt, AbortSignal.any([signal, lapse, interrupted]))]);
    signal.throwIfAborted();
    if (outcome.status === 'fulfilled') this.#learn(outcome.value);
    else if (lapse.aborted) this.#know(`it did not read ${configured} tokens within ${limitMs} ms`);
    else if (isAboutOneInput(outcome.reason)) this.#know('it refuses what is longer than it reads');
  }

  /** Ends a measurement that is running or waits. */
  close(): void {
    clearTimeout(this.#timer);
    this.#interrupt.abort();
    this.#interrupt = new AbortController();
  }

  #begin(): void {
    this.#timer = setTimeout(() => void this.measure(NEVER), this.#settings.idleMs).unref();
  }

  /** Every tokenizer makes at least a token of each word, so fewer tokens than words are a prompt that was cut. */
  #learn(counted: number | undefined): void {
    const { configured } = this.#settings;
    const tokens = plausibleCount(counted);
    this.#tokens = Math.min(configured, tokens ?? configured);
    if (tokens === undefined) this.#know('it counts no tokens, so a prompt that it cuts cannot be noticed');
    else if (tokens < configured) this.#know(`it reads ${tokens} of the ${configured} tokens in \`context\``);
    else this.#know(`it reads ${configured} tokens`);
  }

  #know(finding: string): void {
    this.#finding = finding;
    this.#isKnown = true;
  }
}
