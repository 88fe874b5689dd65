// Finds texts that an embedding server cut without an error, by the tokens that it counts and then by their vectors.
import * as z from 'zod';
import type { BatchResult } from '../../base/batch.ts';
import { toVaultgraphError, type VaultgraphError } from '../../base/errors.ts';
import { dotProduct } from '../../contracts/fingerprint.ts';
import { sizeOf } from '../../markdown/chunk/text-size.ts';
import type { Attempt } from './attempt.ts';
import { badResponse, isAboutOneInput, tooLongInput, unsuitableModel } from './failures.ts';

/** The vectors of one request, and the tokens of its texts as the server counted them together; undefined if it did not. */
interface Embedded {
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
  const shorterAnswer = await request([shorter], ids);
  // One word over and over has the same vector at any length, but fewer tokens.
  return (
    shorterAnswer.tokens === tokens &&
    dotProduct(whole.result, shorterAnswer.vectors.succeeded[0]?.result) >= SAME_VECTOR
  );
}

/** Few tokens have as many Chinese characters. Of other scripts without spaces, some models make one unknown token of a whole line. */
const IDEOGRAPHS_PER_TOKEN = 8;
const HAS_WORD = /[\p{L}\p{N}]/u;
const IDEOGRAPH = /\p{Script=Han}/gu;

/** A lower bound for every tokenizer: no token crosses a blank. */
export function leastTokens(text: string): number {
  let tokens = 0;
  for (const word of text.split(/\s+/))
    if (HAS_WORD.test(word)) tokens += Math.max(1, (word.match(IDEOGRAPH)?.length ?? 0) / IDEOGRAPHS_PER_TOKEN);
  return Math.floor(tokens);
}

/** The smallest context of a model. A server that counts less counts something else, or leaves out what it has in a cache. */
const MIN_CONTEXT = 256;

/** The count if it can be one of a long text; some servers report 0. */
export const plausibleCount = (tokens: number | undefined): number | undefined =>
  tokens === undefined || tokens < MIN_CONTEXT ? undefined : tokens;

/** A count in an answer. Another value is as good as none: nothing else depends on it. */
export const COUNT = z.int().min(0).optional().catch(undefined);

// Checks the vectors in a server's answer and scales them to unit length.

interface ExpectedVectors {
  readonly ids: readonly string[];
  /** The length that the config asks for. */
  readonly dimensions?: number | undefined;
  /** The length of the model's vectors, if known. */
  readonly dims?: number | undefined;
}

/**
 * @param raw as parsed from JSON, one vector per id in the same order
 * @returns vectors of unit length, all equally long; `failed` has those that are zero or not finite, as errors of level `item`
 * @throws PROVIDER_BAD_RESPONSE for a wrong count, shape or length, PROVIDER_MODEL_UNSUITABLE if the length is not `dimensions`
 */
export function checkVectors(raw: unknown, expected: ExpectedVectors, attempt: Attempt): BatchResult<Float32Array> {
  const { ids } = expected;
  if (!Array.isArray(raw) || raw.length !== ids.length)
    throw badResponse(`${ids.length} vectors`, Array.isArray(raw) ? `${raw.length}` : 'not a list', attempt);
  const vectors = raw.map((each) => numbersIn(each, attempt));
  checkLengths(vectors, expected, attempt);
  const succeeded: { id: string; result: Float32Array }[] = [];
  const failed: { id: string; error: VaultgraphError }[] = [];
  for (const [at, id] of ids.entries()) {
    const result = unitVector(vectors[at] as readonly number[]);
    if (typeof result === 'string') failed.push({ id, error: badResponse('finite numbers', result, attempt, 'item') });
    else succeeded.push({ id, result });
  }
  return { succeeded, failed };
}

/** JSON cannot express NaN and infinity; servers write null instead. */
function numbersIn(raw: unknown, attempt: Attempt): readonly number[] {
  const isList = Array.isArray(raw) && raw.length > 0;
  if (!isList || !raw.every((each) => each === null || typeof each === 'number'))
    throw badResponse('a list of numbers', Array.isArray(raw) && !isList ? 'an empty list' : 'something else', attempt);
  return raw.map((each) => each ?? Number.NaN);
}

function checkLengths(vectors: readonly (readonly number[])[], expected: ExpectedVectors, attempt: Attempt): void {
  const lengths = [...new Set(vectors.map(({ length }) => length))];
  if (lengths.length > 1) throw badResponse('vectors of one length', `lengths ${lengths.join(', ')}`, attempt);
  const [length] = lengths;
  const { dimensions, dims } = expected;
  if (length === undefined) return;
  if (dimensions !== undefined && length !== dimensions) {
    const reason = `its vectors have ${length} numbers, the config asks for ${dimensions}`;
    throw unsuitableModel(reason, attempt, [], length);
  }
  if (dimensions === undefined && dims !== undefined && length !== dims)
    throw badResponse(`vectors of ${dims} numbers`, `${length}`, attempt);
}

/** Returns what is wrong with the vector, if anything. Divides by the largest component first, so that the sum of squares is finite. */
function unitVector(numbers: readonly number[]): Float32Array | string {
  let largest = 0;
  for (const each of numbers) {
    if (!Number.isFinite(each)) return 'a vector that is not finite';
    largest = Math.max(largest, Math.abs(each));
  }
  if (largest === 0) return 'a vector of zeros';
  let sum = 0;
  for (const each of numbers) sum += (each / largest) ** 2;
  const length = Math.sqrt(sum);
  return Float32Array.from(numbers, (each) => each / largest / length);
}
