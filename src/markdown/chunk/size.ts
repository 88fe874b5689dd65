// How large a chunk may be for a model.

/** Longer chunks blur what they are about, and several servers cut them unseen although their models could read more. */
const MAX_TOKENS = 450;
/** The rest is left to a prefix, and to a tokenizer that counts more than the estimate. */
const SHARE_OF_CONTEXT = 0.88;
/** Below it a chunk could not hold its path and a few words. */
const MIN_TOKENS = 16;

/** The `maxTokens` of chunks for a model that reads `contextTokens` of a text. */
export function chunkTokensFor(contextTokens: number): number {
  return Math.max(MIN_TOKENS, Math.min(MAX_TOKENS, Math.floor(contextTokens * SHARE_OF_CONTEXT)));
}
