// A provider that turns texts into vectors.
import type { BatchResult } from '../base/batch.ts';
import type { ErrorCode } from '../base/errors.ts';
import type { ModelProvider, ProviderCall } from './provider-call.ts';

export interface EmbeddingInput {
  /** Chosen by the caller; unique within a request. */
  readonly id: string;
  /** Not only white space. */
  readonly text: string;
  /** Title of the note, for models whose prefix includes it. */
  readonly title?: string;
}

/** Some models embed questions and documents differently. */
export type EmbeddingPurpose = 'query' | 'document';

/** Two vectors can be compared only if all of this is equal. */
export interface EmbeddingIdentity {
  /** The provider's type. */
  readonly provider: string;
  readonly model: string;
  /** Digest of the model's weights; null if the server does not report one. */
  readonly digest: string | null;
  /** Without a digest, the vectors of `SAMPLE_SENTENCES` identify the model; otherwise empty. */
  readonly samples: readonly Float32Array[];
  readonly dims: number;
  readonly queryPrefix: string;
  readonly documentPrefix: string;
  /** What the server does with a text longer than the model's context. */
  readonly truncation: 'refused' | 'silent';
}

/** Embedded as documents if the server reports no digest of its model. */
export const SAMPLE_SENTENCES = Object.freeze([
  'The harbour lies quiet before the morning tide.',
  'A list of numbers was sorted from small to large.',
  'She planted beans along the southern wall of the garden.',
]);

/**
 * A model that turns texts into vectors.
 * @example
 * const { succeeded } = await provider.embed([{ id: 'a', text: 'When does the tide turn?' }], 'query', call, signal);
 */
export interface EmbeddingProvider extends ModelProvider<EmbeddingIdentity> {
  /**
   * Limits of one request; `characters` counts the texts as they are sent, prefix included. Where larger requests may be faster,
   * `maxItems` is the most texts that they may have, with as many times the characters; absent otherwise.
   */
  readonly batch: { readonly items: number; readonly characters: number; readonly maxItems?: number };
  /** Tokens of one text that the model reads for certain. */
  readonly contextTokens: number;
  /** Whether it may report the tokens of texts in the trace of a call. */
  readonly reportsTokens: boolean;

  /**
   * Sends one request within `batch`. Each vector is finite, of unit length and of the same dimension as the others. `failed` holds
   * texts whose vector is unusable. If one text makes the server refuse the whole request, the error has `details.level` `item`.
   * @throws PROVIDER_*, EGRESS_BLOCKED
   */
  embed(
    inputs: readonly EmbeddingInput[],
    purpose: EmbeddingPurpose,
    call: ProviderCall,
    signal: AbortSignal,
  ): Promise<BatchResult<Float32Array>>;
}

/** The capability of tools and the indexer: a provider, and its fallback if the config names one. */
export interface Embedding extends EmbeddingProvider {
  readonly fallback?: {
    readonly provider: EmbeddingProvider;
    /** The error codes on which it is used instead. */
    readonly useOn: readonly ErrorCode[];
  };
}

/** Parts of the names of widely used models that read some ten to a hundred languages. */
const MULTILINGUAL =
  /multilingual|distiluse|labse|bge-?m3|embedding-?gemma|qwen3?-embed|arctic-embed-?(?:.*v2|2)|nomic-embed-text-v2|jina-embeddings-v[34]|jina-clip-v2|granite-embedding:(?:107|278)m|text-embedding-(?:3|ada|004)|gemini-embed|embed-v4|voyage-[3-9]/i;

/** False also for a model whose name says nothing. */
export const isMultilingual = (model: string): boolean => MULTILINGUAL.test(model);
