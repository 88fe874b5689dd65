// Finds texts that an embedding server cut without an error, by the tokens that it counts and then by their vectors.
import type { BatchResult } from '../../base/batch.ts';
import { toVaultgraphError } from '../../base/errors.ts';
import { dotProduct } from '../../contracts/fingerprint.ts';
import { sizeOf } from '../../markdown/chunk/text-size.ts';
import type { Attempt } from './attempt.ts';
import { isAboutOneInput, tooLongInput } from './failures.ts';
import { leastTokens } from './token-counts.ts';

/** The vectors of one request, and the tokens of its texts as the server counted them together; undefined if it did not. */
export interface Embedded {
  readonly vectors: BatchResult<Float32Array>;
  readonly tokens: number | undefined;
}

/** One request. @param texts as they are sent */
export type RequestVectors = (texts: readonly string[], ids: readonly string[]) => Promise<Embedded>;

/** No server cuts texts with fewer words, so their count shows whether it counts tokens at all. */
const MIN_WORDS = 64;
/** Servers compute the same text with an error far below this, and a text without its end is less similar. */
const SAME_VECTOR = 0.9999;
const SHARE_WITHOUT_END = 0.9;
/** A text that was not cut and has fewer tokens than this share of its words was not counted in tokens. */
const MIN_SHARE_OF_WORDS = 0.5;

const MAX_TOKENS = 512;
/** Other text has more tokens for its length than English prose, with few exceptions. */
const SHARE_OF_PROSE = 0.85;
const MAX_SHARE = 0.8;
/** More would take longer than one call may; the caller sends fewer at a time. */
const MAX_ALONE = 16;

/** Makes a text as long as a chunk may be for a model with this context; no two words in it are the same. */
export const longSample = (contextTokens: number): string =>
  Array.from({ length: Math.min(contextTokens, MAX_TOKENS) }, (_, at) => (100_003 * (at + 1)).toString(36)).join(' ');

export class SilentCuts {
  /** Once it is false it stays so: a server counts tokens, or it does not. */
  #countsTokens = true;
  /** The share of the estimated tokens below which a count is not plausible. English prose teaches it, and each text with fewer that was read whole. */
  #share = 0;
  /** The tokens of a text that was cut. */
  #limit: number | undefined;

  /** Adds to a line for the user where texts are cut, or that this cannot be noticed. */
  reportedWith(line: string): string {
    if (!this.#countsTokens) return `${line}; it counts no tokens, so a text that it cuts cannot be noticed`;
    return this.#limit === undefined ? line : `${line}; it cuts texts at ${this.#limit} tokens`;
  }

  /**
   * Texts with too few tokens are sent again one by one, and one whose vector is the same without its end was cut. Then it is known
   * where the server cuts: so was every text with as many tokens.
   * @returns also the cut ones of several texts, as failed
   * @throws PROVIDER_INPUT_TOO_LONG of level `item` for a text that was cut, and for more texts than are sent again here
   */
  async embed(
    texts: readonly string[],
    ids: readonly string[],
    request: RequestVectors,
    attempt: Attempt,
  ): Promise<Embedded> {
    const embedded = await request(texts, ids);
    const { tokens = 0 } = embedded;
    const [{ least, size, words }, limit] = [this.#boundsOf(texts), this.#limit];
    if (!this.#countsTokens || (tokens >= least && !this.#mayBeAtLimit(texts, tokens))) return embedded;
    if (tokens === 0 || least < MIN_WORDS) this.#countsTokens = tokens >= words * MIN_SHARE_OF_WORDS;
    else if (texts.length > MAX_ALONE) throw tooLongInput(least, tokens, attempt);
    else if (texts.length > 1) return { vectors: await this.#eachAlone(texts, ids, request, attempt), tokens };
    else if (tokens === limit) throw tooLongInput(Math.max(least, tokens), limit, attempt);
    else {
      if (await isSameWithoutEnd(texts, ids, embedded, request)) {
        this.#limit = tokens;
        throw tooLongInput(least, tokens, attempt);
      }
      this.#share = Math.min(this.#share, tokens / size);
      this.#countsTokens = tokens >= words * MIN_SHARE_OF_WORDS;
    }
    return embedded;
  }

  async #eachAlone(
    texts: readonly string[],
    ids: readonly string[],
    request: RequestVectors,
    attempt: Attempt,
  ): Promise<BatchResult<Float32Array>> {
    const succeeded: BatchResult<Float32Array>['succeeded'][number][] = [];
    const failed: BatchResult<Float32Array>['failed'][number][] = [];
    for (const [at, text] of texts.entries()) {
      const id = ids[at] as string;
      const [alone] = await Promise.allSettled([this.embed([text], [id], request, attempt)]);
      if (alone.status === 'fulfilled') {
        succeeded.push(...alone.value.vectors.succeeded);
        failed.push(...alone.value.vectors.failed);
      } else if (isAboutOneInput(alone.reason)) failed.push({ id, error: toVaultgraphError(alone.reason) });
      else throw alone.reason;
    }
    return { succeeded, failed };
  }

  #boundsOf(texts: readonly string[]) {
    const words = texts.reduce((sum, text) => sum + leastTokens(text), 0);
    const size = texts.reduce((sum, text) => sum + sizeOf(text).tokens, 0);
    return { words, size, least: Math.max(words, Math.floor(size * this.#share)) };
  }

  /** @param texts of plain English, too short to be cut */
  learn(texts: readonly string[], tokens: number | undefined): void {
    const size = texts.reduce((sum, text) => sum + sizeOf(text).tokens, 0);
    this.#share = Math.min(MAX_SHARE, (SHARE_OF_PROSE * (tokens ?? 0)) / size);
  }

  #mayBeAtLimit(texts: readonly string[], tokens: number): boolean {
    const limit = this.#limit;
    if (limit === undefined) return false;
    if (texts.length > 1) return texts.some((text) => sizeOf(text).tokens >= limit);
    // More than the limit: the server was started with another one.
    if (tokens > limit) this.#limit = undefined;
    return tokens === limit;
  }
}

async function isSameWithoutEnd(
  [text = '']: readonly string[],
  ids: readonly string[],
  { vectors, tokens }: Embedded,
  request: RequestVectors,
): Promise<boolean> {
  const [whole] = vectors.succeeded;
  if (whole === undefined) return false;
  const shorter = text.slice(0, Math.floor(text.length * SHARE_WITHOUT_END)).toWellFormed();
  const other = await request([shorter], ids);
  // One word over and over has the same vector at any length, but fewer tokens.
  return other.tokens === tokens && dotProduct(whole.result, other.vectors.succeeded[0]?.result) >= SAME_VECTOR;
}
