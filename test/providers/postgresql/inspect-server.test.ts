// Checks what `doctor` reports about a PostgreSQL server: on a real server with three roles, and from facts that are hard to make.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type pg from 'pg';
import {
  inspectServer,
  type RunQuery,
  readServerFacts,
  type ServerFacts,
} from '../../../src/providers/postgresql/inspect-server.ts';
import { describePostgres } from '../../postgresql/describe-postgres.ts';

describePostgres('the facts of a PostgreSQL server', (server) => {
  /** Reads the facts as a role whose password is its name. */
  async function factsFor(user: string, database: string): Promise<ServerFacts> {
    return factsOf(await server().connect(database, user, user));
  }

  const statusFor = async (user: string, database: string): Promise<readonly string[]> => {
    const found = inspectServer(await factsFor(user, database));
    return found.map(({ status, detail }) => `${status}: ${detail}`).filter((line) => line.includes(user));
  };

  test('say what each role may do, before and after the schema exists', async () => {
    const database = await server().freshDatabase();
    const sql = (text: string) => server().sql(text, database);
    for (const role of ['writer', 'reader', 'stranger']) await sql(`CREATE ROLE ${role} LOGIN PASSWORD '${role}'`);
    await sql(`GRANT CREATE ON DATABASE ${database} TO writer`);
    const before = await factsFor('writer', database);
    assert.deepEqual([before.canUse, before.canCreate, before.tables], [true, true, []]);
    assert.equal((await factsFor('reader', database)).canUse, false);
    await sql('CREATE SCHEMA vault AUTHORIZATION writer');
    assert.deepEqual(await statusFor('reader', database), ['failing: reader may not use schema vault']);
    await sql('GRANT USAGE ON SCHEMA vault TO reader');
    assert.deepEqual(await statusFor('reader', database), [
      'failing: reader may not create the tables of the index in schema vault',
    ]);
    await sql('CREATE TABLE vault.head (revision bigint); CREATE TABLE vault.files (path text)');
    await sql('ALTER TABLE vault.head OWNER TO writer; ALTER TABLE vault.files OWNER TO writer');
    assert.deepEqual(await statusFor('writer', database), ['ok: writer may read and write schema vault']);
    assert.deepEqual(await statusFor('reader', database), ['failing: reader may not read files, head']);
    await sql('GRANT SELECT ON ALL TABLES IN SCHEMA vault TO reader');
    assert.deepEqual(await statusFor('reader', database), [
      'ok: reader may only read schema vault: this server can only follow',
    ]);
    await sql('GRANT INSERT, UPDATE, DELETE ON vault.head TO reader');
    assert.deepEqual(await statusFor('reader', database), [
      'failing: reader may write some tables of schema vault and not others',
    ]);
    assert.deepEqual(await statusFor('stranger', database), ['failing: stranger may not use schema vault']);
  });

  test('say the version, encoding, sizes and dead rows', async () => {
    const database = await server().freshDatabase();
    await server().sql('CREATE SCHEMA vault; CREATE TABLE vault.head (filler text)', database);
    await server().sql('ALTER TABLE vault.head SET (autovacuum_enabled = off)', database);
    await server().sql("INSERT INTO vault.head SELECT repeat('x', 500) FROM generate_series(1, 12000)", database);
    await server().sql('DELETE FROM vault.head', database);
    await server().sql('SELECT pg_stat_force_next_flush()', database);
    const facts = await factsOf(await server().connect(database));
    assert.deepEqual([facts.encoding, facts.isLocal, facts.isEncrypted, facts.isStandby], ['UTF8', true, false, false]);
    assert.ok(facts.versionText.startsWith(String(Math.floor(facts.versionNumber / 10_000))), facts.versionText);
    const [head] = facts.tables;
    assert.ok(head !== undefined && head.bytes > 12_000 * 500, `${head?.bytes} bytes`);
    const found = inspectServer(facts);
    assert.ok(found.some(({ detail }) => /^the index takes \d+\.\d MiB: head \d+\.\d MiB$/.test(detail)));
    const bloat = found.at(-1);
    assert.deepEqual([bloat?.status, bloat?.detail], ['warning', 'most rows are dead in head (12000)']);
    assert.match(bloat?.hint ?? '', /^VACUUM vault\.head,/);
  });
});

async function factsOf(client: pg.Client): Promise<ServerFacts> {
  try {
    const run: RunQuery = async (text, values) => (await client.query(text, [...values])).rows;
    return await readServerFacts(run, 'vault', async () => undefined);
  } finally {
    await client.end();
  }
}

const SOUND: ServerFacts = {
  ...{ versionNumber: 180_004, versionText: '18.4', encoding: 'UTF8', collation: 'C', user: 'ann', schema: 'vault' },
  ...{
    canUse: true,
    canCreate: true,
    isStandby: false,
    isReadOnly: false,
    isEncrypted: true,
    isLocal: false,
    autovacuum: true,
  },
  ...{ connections: 3, maxConnections: 100, roundTripMs: 0.4, clockSkewMs: 12 },
  tables: [
    {
      name: 'files',
      bytes: 5_242_880,
      live: 100,
      dead: 3,
      canRead: true,
      canWrite: true,
      isHidden: false,
      column: 'key',
    },
  ],
  ...{ hidden: [], added: [], refused: undefined },
};

const CASES: readonly (readonly [what: string, facts: Partial<ServerFacts>, status: string, hint: RegExp])[] = [
  ['an old version', { versionNumber: 120_001, versionText: '12.1' }, 'failing', /upgrade the server to PostgreSQL 13/],
  ['another encoding', { encoding: 'LATIN1' }, 'failing', /ENCODING UTF8/],
  ['plain text over a network', { isEncrypted: false }, 'warning', /providers\.store\.tls/],
  ['a clock that is ahead', { clockSkewMs: 60_000 }, 'warning', /synchronize/],
  ['a clock that is behind', { clockSkewMs: -60_000 }, 'warning', /synchronize/],
  ['few connections left', { connections: 95 }, 'warning', /providers\.store\.pool/],
  ['a database in read-only mode', { isReadOnly: true }, 'warning', /default_transaction_read_only/],
  ['no autovacuum', { autovacuum: false }, 'warning', /autovacuum/],
];

describe('what is reported of a PostgreSQL server', () => {
  test('is all well of a sound one, and of a standby', () => {
    for (const facts of [
      SOUND,
      { ...SOUND, isStandby: true, isReadOnly: true },
      { ...SOUND, isEncrypted: false, isLocal: true },
    ])
      assert.deepEqual(
        inspectServer(facts).filter(({ status }) => status !== 'ok'),
        [],
      );
  });

  for (const [what, changed, status, hint] of CASES)
    test(`names ${what}`, () => {
      const found = inspectServer({ ...SOUND, ...changed }).filter((each) => each.status !== 'ok');
      assert.deepEqual([found.length, found[0]?.status], [1, status]);
      assert.match(found[0]?.hint ?? '', hint);
    });
});
