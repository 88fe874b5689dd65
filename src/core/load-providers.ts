// Opens the providers that a config names, or the index that the other store has left.
import { quoted, VaultgraphError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { StoredIndex } from '../contracts/stored-index.ts';
import type { Config } from '../lifecycle/config/config.ts';
import { type LoadContext, load } from '../lifecycle/loader.ts';
import { providerCatalog } from '../providers/catalog.ts';

/** Opens the providers of the config's sections; the caller closes them. */
export function loadProviders(config: Config, log: Log, hooks: LoadContext['hooks']): ReturnType<typeof load> {
  const { sections, vaultRoot, dataFolder, stateFolder, viewId, name: vaultName, retry, breaker } = config;
  const resilience = { retry: { attempts: retry.attempts, jobAttempts: retry.job_attempts }, breaker };
  return load(sections, { vaultRoot, dataFolder, stateFolder, viewId, vaultName, log, resilience, hooks });
}

/**
 * The index that the other store has left on this machine, to be copied to the configured one. The caller closes it.
 * @param type of the other store @throws CONFIG_INVALID if there is none that can be copied; STORE_*
 */
export async function storedIndex(config: Config, type: string, log: Log): Promise<StoredIndex> {
  const { vaultRoot, dataFolder, stateFolder, viewId, name: vaultName, sections } = config;
  const stores = providerCatalog.filter(({ capability }) => capability === 'store');
  const own = sections.find(({ provider }) => provider.capability === 'store')?.provider.type;
  const context = { vaultRoot, dataFolder, stateFolder, viewId, vaultName, log };
  const stored = type === own ? `it is the store of the config` : await storeOf(type, stores)?.stored?.(context);
  if (typeof stored === 'object') return stored;
  const allowed = stores.map((store) => store.type).filter((one) => one !== own);
  const what = `the index of ${quoted(type)} cannot be copied: ${stored ?? 'there is no such store'}`;
  throw new VaultgraphError('CONFIG_INVALID', { faults: [{ file: '--from', what, allowed }] });
}

const storeOf = (type: string, stores: typeof providerCatalog) => stores.find((store) => store.type === type);
