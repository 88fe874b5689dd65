// A provider that scores how well each of several texts answers a query.
import type { ModelProvider, ProviderCall } from './provider-call.ts';

/** What made the scores. */
export interface RerankIdentity {
  /** The provider's type. */
  readonly provider: string;
  readonly model: string;
}

/** Checks whether a model answers at all; contains nothing of a note. */
export const SAMPLE_RERANK = Object.freeze({
  query: 'When does the tide turn?',
  documents: Object.freeze(['The tide turns at noon.', 'She planted beans along the southern wall of the garden.']),
});

/**
 * A model that scores texts.
 * @example
 * const scores = await provider.rerank('When does the tide turn?', ['At noon.', 'She planted beans.'], call, signal); // [2.1, -8.4]
 */
export interface RerankProvider extends ModelProvider<RerankIdentity> {
  /** How many hits of a list are reordered, and the most documents of one request. */
  readonly top: number;
  /** How much its scores decide beside those of the list, from 0 to 1; absent where that is estimated from the scores. */
  readonly weight?: number | undefined;
  /** Tokens of the query and one document together that the model reads. */
  readonly contextTokens: number;

  /**
   * Sends one request.
   * @returns a finite score for each document, in their order; a higher one is a better answer, other scores can be of any range.
   * A model in this process may score only the first ones, as many as its time is enough for
   * @throws PROVIDER_*, EGRESS_BLOCKED
   */
  rerank(
    query: string,
    documents: readonly string[],
    call: ProviderCall,
    signal: AbortSignal,
  ): Promise<readonly number[]>;
}
