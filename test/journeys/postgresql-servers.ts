// Servers on several data folders and copies of a vault that share one PostgreSQL store.
import type { TestContext } from 'node:test';
import type { TestServer } from '../postgresql/server.ts';
import { configFile, openSession, runBeside, type Session, temporaryFolder } from './session.ts';
import type { SharedIndex, SharedSetting } from './sharing-journeys.ts';
import { keepCopies } from './vault-copies.ts';

const SCHEMA = 'vault';

interface Place {
  readonly vault: string;
  readonly dataFolder: string;
}

export interface PostgresServers extends SharedIndex {
  readonly database: string;
  /** Starts the server of a place again, or for the first time. */
  openAt(at: number, env?: Readonly<Record<string, string>>): Promise<Session>;
  place(at: number): Place;
  readonly config: string;
}

/** @param store more keys of `providers.store` */
export async function sharePostgres(
  context: TestContext,
  server: TestServer,
  { notes, config: keys, isSynced = true }: SharedSetting & { readonly isSynced?: boolean },
  store: Readonly<Record<string, unknown>> = {},
): Promise<PostgresServers> {
  const database = await server.freshDatabase();
  const config = configFile(
    context,
    JSON.stringify({ ...keys, providers: { store: section(server, database, store) } }),
  );
  const copies = keepCopies(context, notes, isSynced);
  const places: Place[] = [];
  const place = (at: number): Place => {
    while (places.length <= at)
      places.push({ vault: copies.copy(places.length), dataFolder: temporaryFolder(context) });
    return places[at] as Place;
  };
  let opened = 0;
  const openAt: PostgresServers['openAt'] = (at, env = {}) => openSession(context, { ...place(at), config, env });
  return {
    ...{ database, config, place, openAt, hasCopies: true },
    ...place(0),
    open: () => openAt(opened++),
    run: (...args) => {
      const { vault, dataFolder } = place(0);
      return runBeside(context, [...args, '--vault', vault, '--data-dir', dataFolder, '--config', config]);
    },
    token: async () => {
      // The token itself follows the clock of the server; each leader begins one history.
      const leaders = `SELECT count(*)::int AS token FROM ${SCHEMA}.histories`;
      const [row] = await server.sql<{ token: number }>(leaders, database);
      return row?.token ?? 0;
    },
    fingerprint: () =>
      server.sql(`SELECT * FROM ${SCHEMA}.head, (SELECT token, beats, holder FROM ${SCHEMA}.lease) lease`, database),
  };
}

function section(server: TestServer, database: string, more: Readonly<Record<string, unknown>>) {
  const { host, port, user, password } = server;
  return { type: 'postgresql', ...{ host, port, database, user, password, schema: SCHEMA, tls: 'off' }, ...more };
}
