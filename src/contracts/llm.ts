// The contract of a provider that answers a prompt with one value of a given shape.
import * as z from 'zod';
import type { ModelProvider } from './model-provider.ts';
import type { ProviderCall } from './provider-call.ts';

export interface LLMRequest<T> {
  /** What the model is to do, in the program's own words; text of a note never stands here. */
  readonly instructions: string;
  /** What it is to do it with; text of notes stands in it marked as data. */
  readonly prompt: string;
  /**
   * The shape of the answer: the server is given it as JSON Schema, without lengths of texts, patterns and formats, and what comes
   * back is held against all of it. Strict objects without optional keys are what every server can hold a model to.
   */
  readonly schema: z.ZodType<T>;
  /** An answer that was cut there is a failure, never a short answer. */
  readonly maxAnswerTokens: number;
}

export interface LLMAnswer<T> {
  readonly value: T;
  /** As the server counted them; absent where it does not. */
  readonly promptTokens?: number;
  readonly answerTokens?: number;
}

/** Whoever wants to know whether a model answers at all asks this: nothing of a note is in it. */
export const SAMPLE_REQUEST: LLMRequest<{ word: string }> = Object.freeze({
  instructions: 'Answer in JSON with one key, word: the one word of the text between the marks.',
  prompt: '<text>harbour</text>',
  schema: z.strictObject({ word: z.string().min(1) }),
  maxAnswerTokens: 64,
});

/** What a server's own marks round the two texts of a request may take, in tokens. */
export const FRAME_TOKENS = 64;

/** What made an answer: two of the same may be taken for each other. */
export interface LLMIdentity {
  /** The provider's type. */
  readonly provider: string;
  readonly model: string;
  /** Of the weights; null where the server tells none. */
  readonly digest: string | null;
}

export interface LLMProvider extends ModelProvider<LLMIdentity> {
  /**
   * Tokens that instructions, prompt, answer and `FRAME_TOKENS` may have together, the texts as `sizeOf` estimates them. More is
   * PROVIDER_INPUT_TOO_LONG before anything is sent.
   */
  readonly contextTokens: number;

  /**
   * One request, with the same options each time, so that a model that can repeats itself.
   * @throws PROVIDER_*, EGRESS_BLOCKED; with `details.level` `item` where the fault lies in this prompt or this answer: cut short,
   * against the schema, empty, refused, too long
   */
  generate<T>(request: LLMRequest<T>, call: ProviderCall, signal: AbortSignal): Promise<LLMAnswer<T>>;
}
