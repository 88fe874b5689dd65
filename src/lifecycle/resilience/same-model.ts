// Proves that another endpoint serves the very model of the first, before a text is sent there. Sends no text itself.
import type { ModelProvider } from '../../contracts/model-provider.ts';
import type { ProviderCall } from '../../contracts/provider-call.ts';

/** What the first endpoint serves: as it said last, else what was stored of it. */
export interface KnownModel<Identity> {
  learn(identity: Identity): void;
  get(signal: AbortSignal): Promise<Identity | undefined>;
}

export type StoredIdentity<Identity> = (signal: AbortSignal) => Promise<Identity | undefined>;
/** What two identities differ in, as far as answers depend on it; empty where they are surely the same. */
export type Differences<Identity> = (expected: Identity, found: Identity) => readonly string[];

export function createKnownModel<Identity>(stored: StoredIdentity<Identity>): KnownModel<Identity> {
  let last: Identity | undefined;
  return Object.freeze({
    learn: (identity: Identity) => {
      last = identity;
    },
    get: async (signal: AbortSignal) => last ?? stored(signal),
  });
}

/** Why the endpoint may not stand in; undefined where it may. @throws what `identify` throws */
export async function refusalOf<Identity>(
  endpoint: ModelProvider<Identity>,
  known: KnownModel<Identity>,
  differences: Differences<Identity>,
  call: ProviderCall,
  signal: AbortSignal,
): Promise<string | undefined> {
  const expected = await known.get(signal);
  if (expected === undefined) return 'nobody knows yet which model the first endpoint serves';
  const differing = differences(expected, await endpoint.identify(call, signal));
  return differing.length === 0 ? undefined : `serves another model: ${differing.join(', ')}`;
}
