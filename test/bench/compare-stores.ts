// Measures SQLite and PostgreSQL on one generated vault and prints their figures side by side.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProxy, type TestProxy } from '../postgresql/proxy.ts';
import { startServer, type TestServer } from '../postgresql/server.ts';
import type { BenchSetting } from './bench-setting.ts';
import type { Ledger } from './figures.ts';
import { columnsAsJson, columnsAsText } from './store-columns.ts';
import type { StoreFigureName } from './store-figures.ts';
import { type MeasuredStore, takeStoreMeasures } from './store-measures.ts';

/** Half a millisecond each way: a network of one data centre. */
const DELAY = { toServer: 0.5, toClient: 0.5 };
/** Without them nothing would wait for a disk, as it does in use. */
const SETTINGS = { fsync: 'on', full_page_writes: 'on', shared_buffers: '128MB', max_wal_size: '2GB' };

/** Of a larger vault only PostgreSQL over its socket is measured: each column indexes the whole vault. */
const MAX_COMPARED_NOTES = 100_000;

const INDEX_BYTES = `SELECT sum(pg_total_relation_size(c.oid))::float8 AS bytes
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'bench' AND c.relkind = 'r'`;

export async function compareStores(
  setting: BenchSetting,
  newLedger: (about: string) => Ledger<StoreFigureName>,
  json: boolean,
): Promise<void> {
  const server = await startServer({ source: 'npm', settings: SETTINGS });
  const proxy = await startProxy(server);
  proxy.delay(DELAY);
  try {
    const overSocket = await postgresStore('PostgreSQL, socket', setting, server);
    const stores =
      setting.vault.plan.notes.length > MAX_COMPARED_NOTES
        ? [overSocket]
        : [
            { name: 'SQLite', setting },
            overSocket,
            await postgresStore('PostgreSQL, 1 ms away', setting, server, proxy),
          ];
    const columns = stores.map((store) => ({ store, ledger: newLedger(store.name) }));
    for (const { store, ledger } of columns) await takeStoreMeasures(store, ledger);
    const shown = columns.map(({ store: { name }, ledger }) => ({ name, ledger }));
    process.stdout.write(`${json ? columnsAsJson(setting, shown) : columnsAsText(setting, shown)}\n`);
  } finally {
    await proxy.close();
    await server.stop();
  }
}

async function postgresStore(
  name: string,
  setting: BenchSetting,
  server: TestServer,
  proxy?: TestProxy,
): Promise<MeasuredStore> {
  const { user, password, socketFolder } = server;
  const database = await server.freshDatabase();
  const place =
    proxy === undefined ? { host: socketFolder, port: server.port } : { host: proxy.host, port: proxy.port };
  const store = { type: 'postgresql', ...place, ...{ database, user, password, schema: 'bench', tls: 'off' } };
  const config = join(setting.workFolder, `${database}.yaml`);
  writeFileSync(config, JSON.stringify({ providers: { store } }));
  return {
    name,
    setting: { ...setting, config },
    serverBytes: async () => {
      const [row] = await server.sql<{ bytes: number }>(INDEX_BYTES, database);
      return row?.bytes ?? 0;
    },
    ...(proxy && { roundTrips: () => proxy.roundTrips }),
  };
}
