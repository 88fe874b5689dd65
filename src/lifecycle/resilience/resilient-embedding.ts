// An embedding provider behind its layers: a twin of it that keeps its time and its temper.
import type { BatchResult } from '../../base/batch.ts';
import type { TimeLimits } from '../../contracts/capability.ts';
import type { EmbeddingIdentity, EmbeddingProvider } from '../../contracts/embedding.ts';
import { fingerprintDifferences } from '../../contracts/fingerprint.ts';
import type { ResilientParts } from './resilient-parts.ts';
import { layeredProvider, type Resilient } from './resilient-provider.ts';

export type EmbeddingParts = ResilientParts<EmbeddingProvider, TimeLimits<EmbeddingProvider>, EmbeddingIdentity>;

/** Nobody is asked for it, so it proves nothing of the provider. */
const NOTHING: BatchResult<Float32Array> = Object.freeze({ succeeded: [], failed: [] });

export function resilientEmbedding(parts: EmbeddingParts): Resilient<EmbeddingProvider> {
  const { send, shared, ...told } = layeredProvider('embedding', parts, differencesOf);
  const { batch, contextTokens } = parts.endpoints[0];
  const embed: EmbeddingProvider['embed'] = async (inputs, purpose, call, signal) => {
    signal.throwIfAborted();
    if (inputs.length === 0) return NOTHING;
    const sending = { limit: parts.limits.embed, proves: true };
    return send(sending, (at, inner, stop) => at.embed(inputs, purpose, inner, stop), call, signal);
  };
  return Object.freeze({ ...told, provider: Object.freeze({ ...shared, batch, contextTokens, embed }) });
}

/** How texts are cut is not the provider's affair. */
function differencesOf(expected: EmbeddingIdentity, found: EmbeddingIdentity): readonly string[] {
  const chunker = '';
  return fingerprintDifferences({ ...expected, chunker }, { ...found, chunker });
}
