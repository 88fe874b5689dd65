// Proves that another endpoint serves the very model the vectors are of, before a text is sent there. Sends no text itself.
import type { EmbeddingIdentity, EmbeddingProvider } from '../../contracts/embedding.ts';
import { fingerprintDifferences } from '../../contracts/fingerprint.ts';
import type { ProviderCall } from '../../contracts/provider-call.ts';

/** What the first endpoint serves: as it said last, else what the stored vectors were made by. */
export interface KnownModel {
  learn(identity: EmbeddingIdentity): void;
  get(signal: AbortSignal): Promise<EmbeddingIdentity | undefined>;
}

export function createKnownModel(stored: (signal: AbortSignal) => Promise<EmbeddingIdentity | undefined>): KnownModel {
  let last: EmbeddingIdentity | undefined;
  return Object.freeze({
    learn: (identity: EmbeddingIdentity) => {
      last = identity;
    },
    get: async (signal: AbortSignal) => last ?? stored(signal),
  });
}

/** Why the endpoint may not stand in; undefined where it may. @throws what `identify` throws */
export async function refusalOf(
  endpoint: EmbeddingProvider,
  known: KnownModel,
  call: ProviderCall,
  signal: AbortSignal,
): Promise<string | undefined> {
  const expected = await known.get(signal);
  if (expected === undefined) return 'nobody knows yet which model the first endpoint serves';
  const found = await endpoint.identify(call, signal);
  const chunker = '';
  const differing = fingerprintDifferences({ ...expected, chunker }, { ...found, chunker });
  return differing.length === 0 ? undefined : `serves another model: ${differing.join(', ')}`;
}
