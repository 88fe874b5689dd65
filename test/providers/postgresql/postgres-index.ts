// Opens stores on one schema of a test server and removes their folders when they are closed.
import type { Opened } from '../../../src/contracts/provider.ts';
import type { Store } from '../../../src/contracts/store.ts';
import type { ConnectionSettings } from '../../../src/providers/postgresql/connection/settings.ts';
import { LIMITS } from '../../contracts/feed.ts';
import type { TestServer } from '../../postgresql/server.ts';
import { createMachines } from './servers-on-one-index.ts';

/** A section of the config, without its type. */
export type StoreConfig = Readonly<Record<string, unknown>>;

export interface PostgresStore extends Omit<Opened<Store>, 'capability'> {
  readonly store: Store;
}

const SCHEMA = 'vault';

/** The config of a schema in a database of the server. */
export function storeConfig(server: TestServer, database: string, more: StoreConfig = {}): StoreConfig {
  const { host, port, user, password } = server;
  return { host, port, database, user, password, schema: SCHEMA, tls: 'off', ...more };
}

/** The store of a server on a machine of its own. */
export async function openStore(config: StoreConfig): Promise<PostgresStore> {
  const machines = createMachines(config, { feed: LIMITS });
  const { capability: store, ...opened } = await machines.open().catch((thrown: unknown) => {
    machines.remove();
    throw thrown;
  });
  return {
    ...{ ...opened, store },
    close: async () => {
      await opened.close();
      machines.remove();
    },
  };
}

/** For a connection of the test itself. */
export function settingsFor(server: TestServer, database: string, schema = SCHEMA): ConnectionSettings {
  const { host, port, user, password } = server;
  return { host, port, database, user, password, schema, tls: 'off', ca: undefined, pool: 2, timeout: 5_000 };
}
