// How the services beside a failing one are at this moment, for the failure's reader. Opt-in; knows no tool and no vendor.
import type { Category, VaultgraphError } from '../base/errors.ts';
import type { LoadedProvider } from './probed-provider.ts';

/** By capability, `ok` or what is wrong with it. */
export type OtherHealth = (error: VaultgraphError, limitMs: number) => Promise<Readonly<Record<string, string>>>;

/** What a caller did wrong says nothing of any service. */
const ABOUT_SERVICES: readonly Category[] = ['vault', 'store', 'index', 'provider'];
/** Details are small; `doctor` has the whole story. */
const MAX_DETAIL_LENGTH = 100;

/** Asks every provider but the one that failed, side by side, each for as long as the limit says. Never throws. */
export function createOtherHealth(providers: readonly LoadedProvider[]): OtherHealth {
  return async (error, limitMs) => {
    if (!ABOUT_SERVICES.includes(error.category) || limitMs <= 0) return {};
    const failing = capabilityOf(error);
    const others = providers.filter(({ capability }) => capability !== failing && capability !== 'writer');
    const rows = await Promise.all(others.map(async (other) => [other.capability, await stateOf(other, limitMs)]));
    return Object.fromEntries(rows);
  };
}

function capabilityOf({ category, details }: VaultgraphError): string {
  return 'capability' in details && category === 'provider' ? String(details.capability) : category;
}

async function stateOf(provider: LoadedProvider, limitMs: number): Promise<string> {
  const { ok, detail, failure } = await provider.probe(new AbortController().signal, limitMs);
  if (ok) return 'ok';
  return failure === undefined ? detail.slice(0, MAX_DETAIL_LENGTH) : failure.code;
}
