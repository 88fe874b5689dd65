// Creates a provider's error by its code, for fakes and tests.
import { type DetailsOf, type ErrorCode, type ProviderDetails, VaultgraphError } from '../../src/base/errors.ts';

export type ProviderCode = Extract<ErrorCode, `PROVIDER_${string}`>;
/** Details of the code in addition to those of every provider failure. */
export type OwnDetails<C extends ProviderCode> = Omit<DetailsOf<C>, keyof ProviderDetails>;

const USUAL: ProviderDetails = {
  capability: 'embedding',
  provider: 'fake',
  model: 'hashed-words',
  attempts: 1,
  elapsed_ms: 1,
  level: 'call',
};

/** @param some the differences from a failed call of the fake */
export function providerFailure<C extends ProviderCode>(
  code: C,
  own: OwnDetails<C>,
  some: Partial<ProviderDetails> = {},
  retryAfterMs?: number,
): VaultgraphError<C> {
  const details = { ...USUAL, ...some, ...own } as unknown as DetailsOf<C>;
  return new VaultgraphError(code, details, retryAfterMs === undefined ? {} : { retryAfterMs });
}
