// A provider that answers a prompt with one value of a given shape.
import * as z from 'zod';
import type { ModelProvider, ProviderCall } from './provider-call.ts';

export interface LLMRequest<T> {
  /** What the model has to do, in the program's own words; never contains text of a note. */
  readonly instructions: string;
  /** The material; text of notes in it is marked as data. */
  readonly prompt: string;
  /**
   * The shape of the answer. The server gets it as JSON Schema, without text lengths, patterns and formats; the answer is validated
   * against all of it. Every server supports strict objects without optional keys.
   */
  readonly schema: z.ZodType<T>;
  /** An answer that is cut at this limit is a failure. */
  readonly maxAnswerTokens: number;
}

export interface LLMAnswer<T> {
  readonly value: T;
  /** The count of the server; absent if it does not count. */
  readonly promptTokens?: number;
  readonly answerTokens?: number;
}

/** Checks whether a model answers at all; contains nothing of a note. */
export const SAMPLE_REQUEST: LLMRequest<{ word: string }> = Object.freeze({
  instructions: 'Answer in JSON with one key, word: the one word of the text between the marks.',
  prompt: '<text>harbour</text>',
  schema: z.strictObject({ word: z.string().min(1) }),
  maxAnswerTokens: 64,
});

/** Tokens that the server's own chat template may add to the two texts of a request. */
export const FRAME_TOKENS = 64;

/** What made an answer; answers with the same identity are interchangeable. */
export interface LLMIdentity {
  /** The provider's type. */
  readonly provider: string;
  readonly model: string;
  /** Digest of the model's weights; null if the server does not report one. */
  readonly digest: string | null;
}

/**
 * A model that answers a prompt with a value of a given shape.
 * @example
 * const { value } = await provider.generate(SAMPLE_REQUEST, call, signal); // { word: 'harbour' }
 */
export interface LLMProvider extends ModelProvider<LLMIdentity> {
  /**
   * The most tokens of instructions, prompt, answer and `FRAME_TOKENS` together, as `sizeOf` estimates the texts. More fails with
   * PROVIDER_INPUT_TOO_LONG before anything is sent. Becomes less if the server turns out to read less.
   */
  readonly contextTokens: number;

  /**
   * Sends one request, always with the same options, so that a deterministic model gives the same answer.
   * @throws PROVIDER_*, EGRESS_BLOCKED; with `details.level` `item` if the cause is this prompt or this answer: cut, invalid, empty,
   * refused or too long
   */
  generate<T>(request: LLMRequest<T>, call: ProviderCall, signal: AbortSignal): Promise<LLMAnswer<T>>;
}
