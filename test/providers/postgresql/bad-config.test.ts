// A wrong password, host, database, schema or server: each fails with a code and the key of the config, and no output has a secret.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { toPostgresError } from '../../../src/providers/postgresql/connection/failures.ts';
import { connectionSettings, postgresqlConfig } from '../../../src/providers/postgresql/postgresql-provider.ts';
import { signal } from '../../contracts/store/law.ts';
import { describePostgres } from '../../postgresql/describe-postgres.ts';
import type { TestServer } from '../../postgresql/server.ts';
import { pairsIn, writePair } from './pairs.ts';
import { openStore, type StoreConfig, storeConfig } from './postgres-index.ts';

const SECRET = 'not/the password?';

interface Wrong {
  readonly what: string;
  readonly config: (server: TestServer) => StoreConfig;
  readonly code: string;
  readonly key: string;
}

const WRONG: readonly Wrong[] = [
  {
    what: 'password',
    config: (server) => storeConfig(server, 'postgres', { password: SECRET }),
    ...{ code: 'STORE_UNAVAILABLE', key: 'providers.store.password' },
  },
  {
    what: 'user',
    config: (server) => storeConfig(server, 'postgres', { user: 'nobody', password: SECRET }),
    ...{ code: 'STORE_UNAVAILABLE', key: 'providers.store.password' },
  },
  {
    what: 'database',
    config: (server) => storeConfig(server, 'no_such_database'),
    ...{ code: 'STORE_UNAVAILABLE', key: 'providers.store.database' },
  },
  {
    what: 'host',
    config: (server) => storeConfig(server, 'postgres', { host: 'no-such-host.invalid' }),
    ...{ code: 'STORE_UNAVAILABLE', key: 'providers.store.host' },
  },
  {
    what: 'port',
    config: (server) => storeConfig(server, 'postgres', { port: 1 }),
    ...{ code: 'STORE_UNAVAILABLE', key: 'providers.store.host' },
  },
  {
    what: 'demand for TLS',
    config: (server) => storeConfig(server, 'postgres', { tls: 'require' }),
    ...{ code: 'STORE_UNAVAILABLE', key: 'providers.store.tls' },
  },
  {
    what: 'URL',
    config: ({ host, port }) => ({
      url: `postgresql://postgres:${encodeURIComponent(SECRET)}@${host}:${port}/postgres`,
      ...{ schema: 'vault', tls: 'off' },
    }),
    ...{ code: 'STORE_UNAVAILABLE', key: 'providers.store.' },
  },
];

const NO_WRITES = `CREATE FUNCTION vault.no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'quotes a note'; END $$`;
const REFUSED = {
  code: 'STORE_ERROR',
  fixBy: 'user',
  hint: /triggers, rules, constraints.*If it finds none, please report/s,
};

/** What an administrator or another program does to an index of the role, and what its calls and `doctor` say. */
interface Act {
  readonly sql: string;
  /** In the database of the index. */
  readonly within?: true;
  readonly reading?: object;
  readonly writing?: object;
  /** The status and words of `doctor`; undefined where no connection is made. */
  readonly inspected?: readonly [status: string, words: RegExp];
}

const ACTS: Readonly<Record<string, (role: string, database: string) => Act>> = {
  'a trigger that fails': () => ({
    sql: `${NO_WRITES}; CREATE TRIGGER odd BEFORE INSERT ON vault.files EXECUTE FUNCTION vault.no()`,
    ...{ within: true, writing: REFUSED, inspected: ['failing', /trigger odd on files.*writing fails: files:/s] },
  }),
  'a constraint': () => ({
    sql: 'ALTER TABLE vault.files ADD CONSTRAINT small CHECK (size < 0) NOT VALID',
    ...{ within: true, writing: REFUSED, inspected: ['failing', /constraint small on files.*writing fails/s] },
  }),
  'a column': () => ({
    sql: 'ALTER TABLE vault.files ADD odd int NOT NULL DEFAULT 1; ALTER TABLE vault.files ALTER odd DROP DEFAULT',
    ...{ within: true, writing: REFUSED, inspected: ['warning', /column odd of files/] },
  }),
  'row security': () => ({
    sql: 'ALTER TABLE vault.files ENABLE ROW LEVEL SECURITY; ALTER TABLE vault.files FORCE ROW LEVEL SECURITY',
    within: true,
    writing: { code: 'STORE_UNAVAILABLE', message: /row security/ },
    inspected: ['failing', /row security applies to files/],
  }),
  'a limit of the role': (role) => ({
    sql: `ALTER ROLE ${role} CONNECTION LIMIT 0`,
    reading: { code: 'STORE_BUSY', hint: /ALTER ROLE … CONNECTION LIMIT/ },
  }),
  'a limit of the database': (_, database) => ({
    sql: `ALTER DATABASE ${database} CONNECTION LIMIT 0`,
    reading: { code: 'STORE_BUSY', hint: /ALTER DATABASE … CONNECTION LIMIT/ },
  }),
  'a database that is closed': (_, database) => ({
    sql: `ALTER DATABASE ${database} ALLOW_CONNECTIONS false`,
    reading: { code: 'STORE_UNAVAILABLE', message: /accepts no connections/ },
  }),
  'a database that the role may not enter': (_, database) => ({
    sql: `ALTER DATABASE ${database} OWNER TO postgres; REVOKE CONNECT ON DATABASE ${database} FROM public`,
    reading: { code: 'STORE_UNAVAILABLE', message: /GRANT CONNECT/ },
  }),
  'a role that may not log in': (role) => ({
    sql: `ALTER ROLE ${role} NOLOGIN`,
    reading: { code: 'STORE_UNAVAILABLE', message: /may not log in/ },
  }),
};

describePostgres('a PostgreSQL store that is not configured well', (server) => {
  for (const { what, config, code, key } of WRONG)
    test(`a wrong ${what} opens, and each call fails with ${code} and ${key}`, async () => {
      const { store, probe, close } = await openStore(config(server()));
      for (const call of [() => store.progress(signal), () => writePair(store, 1), () => store.lease(signal)]) {
        const error = await call().then(
          () => assert.fail('the call succeeded'),
          (thrown: unknown) => thrown,
        );
        assert.ok(error instanceof VaultgraphError, inspect(error));
        assert.equal(error.code, code);
        assert.ok(`${error.message} ${error.hint}`.includes(key), `${error.message} ${error.hint}`);
        assertNoSecret(error);
      }
      const { ok, detail, failure } = await probe(signal);
      assert.deepEqual([ok, failure?.code], [false, code]);
      assertNoSecret(detail);
      await close();
    });

  for (const [what, act] of Object.entries(ACTS))
    test(`${what} is named as what it is, by calls and by doctor`, async () => {
      const database = await server().freshDatabase();
      const role = `of_${database}`;
      await server().sql(`CREATE ROLE ${role} LOGIN PASSWORD 'x'; ALTER DATABASE ${database} OWNER TO ${role}`);
      const config = storeConfig(server(), database, { user: role, password: 'x' });
      const first = await openStore(config);
      await writePair(first.store, 1);
      await first.close();
      const { sql, within, reading, writing = reading, inspected } = act(role, database);
      for (const one of within ? [sql] : sql.split(';')) await server().sql(one, within && database);
      const { store, inspect: look, close } = await openStore(config);
      if (reading !== undefined) await assert.rejects(store.progress(new AbortController().signal), reading);
      await assert.rejects(writePair(store, 2), writing ?? {});
      if (inspected === undefined) await assert.rejects(async () => look?.(signal), reading ?? {});
      else {
        const found = ((await look?.(signal)) ?? []).filter(({ status }) => status !== 'ok');
        assert.equal(found.at(-1)?.status, inspected[0]);
        assert.match(found.map(({ detail }) => detail).join('\n'), inspected[1]);
        assert.doesNotMatch(inspect(found), /quotes a note/);
      }
      await close();
    });

  test('a schema of another program is left alone', async () => {
    const database = await server().freshDatabase();
    await server().sql(
      "CREATE SCHEMA vault; CREATE TABLE vault.head (title text); INSERT INTO vault.head VALUES ('kept')",
      database,
    );
    const { store, close } = await openStore(storeConfig(server(), database));
    for (const call of [() => store.progress(signal), () => writePair(store, 1)])
      await assert.rejects(call, (error: VaultgraphError) => {
        assert.equal(error.code, 'STORE_UNAVAILABLE');
        assert.match(`${error.message} ${error.hint}`, /providers\.store\.schema/);
        return true;
      });
    await close();
    const tables = "SELECT relname FROM pg_class WHERE relnamespace = 'vault'::regnamespace AND relkind = 'r'";
    assert.deepEqual(await server().sql(tables, database), [{ relname: 'head' }]);
    assert.deepEqual(await server().sql('SELECT * FROM vault.head', database), [{ title: 'kept' }]);
  });

  test('S2 a schema of a newer version is left alone', async () => {
    const config = storeConfig(server(), await server().freshDatabase());
    const database = String(config.database);
    const first = await openStore(config);
    await writePair(first.store, 1);
    await first.close();
    await server().sql('UPDATE vault.head SET version = version + 1', database);
    const [before] = await server().sql('SELECT * FROM vault.head', database);
    const newer = await openStore(config);
    for (const call of [() => newer.store.progress(signal), () => writePair(newer.store, 2)])
      await assert.rejects(call, { code: 'STORE_SCHEMA_TOO_NEW' });
    await newer.close();
    assert.deepEqual((await server().sql('SELECT * FROM vault.head', database))[0], before);
  });

  test('a server that refuses the user may refuse connections without encryption instead', () => {
    const settings = connectionSettings(postgresqlConfig.parse(storeConfig(server(), 'postgres')), {});
    // As pg_hba.conf with hostssl alone refuses it.
    const thrown = Object.assign(new Error('refused'), { code: '28000', routine: 'ClientAuthentication' });
    const error = toPostgresError(thrown, { op: 'open', settings, startedAt: 0 }) as VaultgraphError;
    assert.equal(error.code, 'STORE_UNAVAILABLE');
    assert.match(`${error.message} ${error.hint}`, /not encrypted \(tls: off\).*providers\.store\.user/);
  });

  test('a database in another encoding is refused', async () => {
    await server().sql("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'");
    const { store, close } = await openStore(storeConfig(server(), 'latin'));
    await assert.rejects(store.progress(signal), (error: VaultgraphError) => {
      assert.equal(error.code, 'STORE_UNAVAILABLE');
      assert.match(`${error.message} ${error.hint}`, /UTF8.*providers\.store\.database/);
      return true;
    });
    await close();
  });

  test('a schema that is dropped under way fails with its code, never with an answer of the copy, and can be made again', async () => {
    const database = await server().freshDatabase();
    const { store, close } = await openStore(storeConfig(server(), database));
    await writePair(store, 1);
    await server().sql('DROP SCHEMA vault CASCADE', database);
    for (const call of [() => pairsIn(store), () => store.progress(signal), () => writePair(store, 2)])
      await assert.rejects(call, (error: VaultgraphError) => {
        assert.equal(error.code, 'STORE_UNAVAILABLE');
        assert.match(`${error.message} ${error.hint}`, /providers\.store\.schema/);
        return true;
      });
    await close();
    const again = await openStore(storeConfig(server(), database));
    assert.deepEqual(await pairsIn(again.store), new Set(), 'a new schema is empty');
    await writePair(again.store, 3);
    assert.deepEqual(await pairsIn(again.store), new Set([3]));
    await again.close();
  });

  test('a server that is too old is refused', async () => {
    const { port } = server();
    const [version] = await server().sql<{ number: string }>("SELECT current_setting('server_version_num') AS number");
    // What the server says of its version arrives as that of PostgreSQL 12.
    const old = createServer((client) => {
      const origin = connect(port, '127.0.0.1');
      client.pipe(origin);
      origin.on('data', (bytes) => {
        const text = bytes.toString('latin1').replaceAll(version?.number ?? '', '120022');
        client.write(Buffer.from(text, 'latin1'));
      });
      for (const socket of [client, origin]) socket.on('close', () => [client, origin].map((each) => each.destroy()));
    });
    await once(old.listen(0, '127.0.0.1'), 'listening');
    const place = { port: (old.address() as AddressInfo).port, schema: 'old' };
    const { store, close } = await openStore(storeConfig(server(), 'postgres', place));
    await assert.rejects(store.progress(signal), (error: VaultgraphError) => {
      assert.equal(error.code, 'STORE_UNAVAILABLE');
      assert.match(`${error.message} ${error.hint}`, /PostgreSQL 12, and 13 .*providers\.store\.host/);
      return true;
    });
    await close();
    old.close();
    assert.deepEqual(await server().sql("SELECT FROM pg_namespace WHERE nspname = 'old'"), [], 'nothing was made');
  });

  test('a program that is not PostgreSQL, and one that says nothing, fail with a code', async () => {
    for (const greeting of ['HTTP/1.1 400 Bad Request\r\n\r\n', '']) {
      const foreign = createServer((socket) => {
        socket.on('error', () => undefined);
        if (greeting !== '') socket.end(greeting);
      });
      await once(foreign.listen(0, '127.0.0.1'), 'listening');
      const { port } = foreign.address() as AddressInfo;
      const { store, close } = await openStore(storeConfig(server(), 'postgres', { port, timeout: 1_000 }));
      await assert.rejects(store.progress(signal), { code: 'STORE_UNAVAILABLE' });
      await close();
      foreign.close();
    }
  });
});

function assertNoSecret(shown: unknown): void {
  const text = inspect(shown, { depth: 10 });
  for (const secret of [SECRET, encodeURIComponent(SECRET), 'pass word/4711?', encodeURIComponent('pass word/4711?')])
    assert.ok(!text.includes(secret), `a secret is in ${text}`);
}
