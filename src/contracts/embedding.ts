// The contract of a provider that turns texts into vectors.
import type { BatchResult } from '../base/batch.ts';
import type { ErrorCode } from '../base/errors.ts';
import type { ModelProvider } from './model-provider.ts';
import type { ProviderCall } from './provider-call.ts';

export interface EmbeddingInput {
  /** Of the caller's choosing, unique within a request. */
  readonly id: string;
  /** Holds more than white space. */
  readonly text: string;
  /** Of the note, for models whose prefix names it. */
  readonly title?: string;
}

/** Models may embed a question and what answers it differently. */
export type EmbeddingPurpose = 'query' | 'document';

/** What two vectors must have in common to be comparable. */
export interface EmbeddingIdentity {
  /** The provider's type. */
  readonly provider: string;
  readonly model: string;
  /** Of the weights; null where the server tells none. */
  readonly digest: string | null;
  /** Where there is no digest, the vectors of `SAMPLE_SENTENCES` stand for it; otherwise empty. */
  readonly samples: readonly Float32Array[];
  readonly dims: number;
  readonly queryPrefix: string;
  readonly documentPrefix: string;
  /** What becomes of a text beyond the model's context. */
  readonly truncation: 'refused' | 'silent';
}

/** Embedded as documents wherever a server tells no digest of its model. */
export const SAMPLE_SENTENCES = Object.freeze([
  'The harbour lies quiet before the morning tide.',
  'A list of numbers was sorted from small to large.',
  'She planted beans along the southern wall of the garden.',
]);

export interface EmbeddingProvider extends ModelProvider<EmbeddingIdentity> {
  /** What one request may hold; characters count the texts as they are sent. */
  readonly batch: { readonly items: number; readonly characters: number };
  /** Tokens of one text that the model surely reads. */
  readonly contextTokens: number;

  /**
   * One request within `batch`. Each vector is finite, of unit length and as long as the others. `failed` holds single bad vectors.
   * A refusal of the whole request because of one text is thrown with `details.level` `item`: sent alone, the others pass.
   * @throws PROVIDER_*, EGRESS_BLOCKED
   */
  embed(
    inputs: readonly EmbeddingInput[],
    purpose: EmbeddingPurpose,
    call: ProviderCall,
    signal: AbortSignal,
  ): Promise<BatchResult<Float32Array>>;
}

/** What tools and the indexer are granted: a provider, and the one to step down to where the config names one. */
export interface Embedding extends EmbeddingProvider {
  readonly fallback?: {
    readonly provider: EmbeddingProvider;
    /** The failures for which it may stand in. */
    readonly useOn: readonly ErrorCode[];
  };
}
