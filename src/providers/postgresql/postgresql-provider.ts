// Provides the store on PostgreSQL: its time limits, and how it is opened. Loads the driver only when it is used.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { VaultgraphError } from '../../base/errors.ts';
import type { Provider, ProviderContext } from '../../contracts/provider.ts';
import type { StoreDriver } from '../../contracts/store.ts';
import { setAside } from '../sqlite/database/index-file.ts';
import { sqliteProvider } from '../sqlite/provider.ts';
import type { ConnectionSettings } from './connection/settings.ts';
import { isCopy } from './copy/copy-file.ts';
import { openStoredCopy } from './copy/stored-copy.ts';
import { connectionSettings, type PostgresqlConfig, postgresqlConfig } from './postgresql-config.ts';

const limits = sqliteProvider.limits({});

export const postgresqlProvider = Object.freeze<Provider<'store', PostgresqlConfig>>({
  capability: 'store',
  type: 'postgresql',
  keepsFeed: true,
  config: postgresqlConfig,
  limits: () => limits,
  open: async (config: PostgresqlConfig, context: ProviderContext) => {
    const { openStore } = await import('./open-store.ts');
    return openStore(settingsOf(config, context), context, Object.keys(limits));
  },
  /** The copies on this machine, which are made again, and the index itself if it is damaged. */
  setAside: async (config: PostgresqlConfig, context: ProviderContext) => {
    const { repair } = await import('./sharing/repair.ts');
    await repair(settingsOf(config, context));
    const { dataFolder } = context;
    const names = existsSync(dataFolder) ? readdirSync(dataFolder).filter(isCopy) : [];
    return names.map((name) => setAside(join(dataFolder, name))).at(-1);
  },
  stored: async ({ dataFolder }: ProviderContext, driver?: StoreDriver) => openStoredCopy(dataFolder, driver),
});

function settingsOf(config: PostgresqlConfig, context: ProviderContext): ConnectionSettings {
  try {
    return connectionSettings(config, context);
  } catch (cause) {
    const details = {
      op: 'open',
      config_key: 'providers.store.ca',
      reason: 'the file with the certificates cannot be read',
    };
    throw new VaultgraphError('STORE_UNAVAILABLE', details, { cause });
  }
}
