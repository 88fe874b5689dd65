// S4, S5 on PostgreSQL: a full disk, locks held elsewhere, a slow statement, and no connection left.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import type { VaultgraphError } from '../../../src/base/errors.ts';
import type { Store } from '../../../src/contracts/store.ts';
import { changes, found, signal } from '../../contracts/store/law.ts';
import { describePostgres } from '../../postgresql/describe-postgres.ts';
import { until } from '../../until.ts';
import { pairsIn, writePair } from './pairs.ts';
import { openStore, type PostgresStore, storeConfig } from './postgres-index.ts';

/** Its mounts are its own and end with it. */
const OWN_MOUNTS = ['unshare', '--mount'];
const canMount = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', tmpdir()]).status === 0;
const skipsDisk = process.env.VAULTGRAPH_SKIP_POSTGRES === '1' || !canMount;
if (!canMount) process.stdout.write('NOT RUN: PostgreSQL on a full disk, because this user may not mount a tmpfs\n');

describe('S5 PostgreSQL on a full disk', { skip: skipsDisk }, () => {
  test('fails with STORE_FULL, keeps what was confirmed, and writes again once there is room', async () => {
    const root = mkdtempSync(join(tmpdir(), 'vaultgraph-small-'));
    // The account of the server enters it.
    chmodSync(root, 0o755);
    const [command = '', ...args] = [
      ...OWN_MOUNTS,
      process.execPath,
      join(import.meta.dirname, 'small-disk-child.ts'),
      root,
    ];
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const said = await text(child.stdout);
    rmSync(root, { recursive: true, force: true });
    assert.deepEqual(said.trim().split('\n'), [
      'full STORE_FULL',
      'found 1',
      'foundElsewhere 1',
      'sameRevision true',
      'freed done',
      'foundAgain 2',
    ]);
  });
});

describePostgres('a busy PostgreSQL server', (server) => {
  /** A store with one pair, in a database of its own. */
  async function filledStore(more: Readonly<Record<string, unknown>>): Promise<PostgresStore & { database: string }> {
    const database = await server().freshDatabase();
    const opened = await openStore(storeConfig(server(), database, more));
    await writePair(opened.store, 1);
    return { ...opened, database };
  }

  test('S4 a row lock held elsewhere ends a write in STORE_BUSY, and does not delay reads', async () => {
    const { store, close, database } = await filledStore({ timeout: 1_500 });
    const holder = await server().connect(database);
    await holder.query('BEGIN; SELECT * FROM vault.head FOR UPDATE; SELECT * FROM vault.lease FOR UPDATE');
    await assert.rejects(writePair(store, 2), { code: 'STORE_BUSY', retryable: true });
    assert.deepEqual(await pairsIn(store), new Set([1]));
    await holder.query('ROLLBACK');
    await holder.end();
    await writePair(store, 3);
    assert.deepEqual(await pairsIn(store), new Set([1, 3]), 'the write that failed has not come later');
    await close();
  });

  test('S4 a statement that takes too long ends with its code, also on the server', async () => {
    const { store, close, database } = await filledStore({ timeout: 1_000 });
    const holder = await server().connect(database);
    await holder.query('BEGIN; LOCK TABLE vault.head, vault.lease, vault.files IN ACCESS EXCLUSIVE MODE');
    for (const call of [() => store.progress(signal), () => writePair(store, 2)])
      await assert.rejects(call, { code: 'STORE_BUSY', retryable: true });
    const waiting = `SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE datname = '${database}' AND wait_event_type = 'Lock'`;
    await until(async () => (await server().sql<{ count: number }>(waiting))[0]?.count === 0, 'nothing waits');
    await holder.query('ROLLBACK');
    await holder.end();
    assert.deepEqual(await pairsIn(store), new Set([1]));
    await close();
  });

  test('S4 a lock on any table ends a question and the opening long before the limit of a statement, and says what it is', async () => {
    const { store, close, database } = await filledStore({});
    // Questions of one call share what it has learned.
    const call = () => new AbortController().signal;
    for (const [table, ask] of [
      ['head', () => store.progress(call())],
      ['head', () => store.names(call())],
      ['lease', () => store.lease(call())],
      ['jobs', () => store.keptJobs(call())],
      ['requests', () => store.mark(call())],
      ['answers', () => store.cachedAnswer('no such key', call())],
    ] as const) {
      const holder = await server().connect(database);
      await holder.query(`BEGIN; LOCK TABLE vault.${table} IN ACCESS EXCLUSIVE MODE`);
      await assert.rejects(ask, (error: VaultgraphError) => {
        const { code, details, hint } = error;
        assert.deepEqual([code, 'sqlstate' in details && details.sqlstate], ['STORE_BUSY', '55P03'], table);
        assert.match(hint, /locks a table or row.*pg_stat_activity/, 'not the limit of the statement');
        return true;
      });
      if (table === 'head') {
        const late = await openStore(storeConfig(server(), database));
        await assert.rejects(late.store.progress(signal), { code: 'STORE_BUSY' });
        await late.close();
      }
      await holder.query('ROLLBACK');
      await holder.end();
      await ask();
    }
    await close();
  });

  test('a pool without a free connection ends in STORE_BUSY, and serves again', async () => {
    const { store, close, database } = await filledStore({ timeout: 1_500, pool: 1 });
    const holder = await server().connect(database);
    await holder.query('BEGIN; SELECT * FROM vault.head FOR UPDATE; SELECT * FROM vault.lease FOR UPDATE');
    // Some wait for the lock, the rest for a connection.
    const writes = await Promise.allSettled([2, 3, 4, 5].map((number) => writePair(store, number)));
    for (const write of writes)
      assert.equal(write.status === 'rejected' ? write.reason.code : write.status, 'STORE_BUSY');
    await holder.query('ROLLBACK');
    await holder.end();
    await writePair(store, 6);
    assert.deepEqual(await pairsIn(store), new Set([1, 6]));
    await close();
  });

  test('a server without a free connection ends in STORE_BUSY, and serves again', async () => {
    const { close, database } = await filledStore({ timeout: 2_000 });
    await server().sql(`ALTER DATABASE ${database} CONNECTION LIMIT 0`);
    await server().sql("CREATE ROLE guest LOGIN PASSWORD 'guest'");
    const guest = storeConfig(server(), database, { user: 'guest', password: 'guest', timeout: 2_000 });
    const refused = await openStore(guest);
    await assert.rejects(refused.store.progress(signal), { code: 'STORE_BUSY', retryable: true });
    await server().sql(
      `ALTER DATABASE ${database} CONNECTION LIMIT -1; GRANT USAGE ON SCHEMA vault TO guest`,
      database,
    );
    await server().sql('GRANT SELECT ON ALL TABLES IN SCHEMA vault TO guest', database);
    assert.deepEqual(await pairsIn(refused.store), new Set([1]));
    await assert.rejects(writePair(refused.store, 2), { code: 'STORE_READONLY' }, 'a role that may only read');
    for (const each of [close, refused.close]) await each();
  });

  test('settings of the role or of the database change no value, and a role without the right to read is named as such', async () => {
    const { store, close, database } = await filledStore({});
    const exact = { modifiedMs: 1_700_000_000_123.456 };
    await store.apply(changes({ added: [found('Exact.md', exact)] }), signal);
    await server().sql("CREATE ROLE odd LOGIN PASSWORD 'odd'");
    const settings = {
      ...{ extra_float_digits: '-10', DateStyle: 'German', bytea_output: 'escape', TimeZone: 'Asia/Kathmandu' },
      ...{
        standard_conforming_strings: 'off',
        default_transaction_isolation: 'serializable',
        search_path: 'pg_catalog',
      },
    };
    for (const [name, value] of Object.entries(settings)) await server().sql(`ALTER ROLE odd SET ${name} = '${value}'`);
    const grants = 'GRANT USAGE ON SCHEMA vault TO odd; GRANT ALL ON ALL TABLES IN SCHEMA vault TO odd';
    await server().sql(`${grants}; GRANT ALL ON ALL SEQUENCES IN SCHEMA vault TO odd`, database);
    const odd = await openStore(storeConfig(server(), database, { user: 'odd', password: 'odd' }));
    await writePair(odd.store, 2);
    assert.deepEqual(await pairsIn(odd.store), new Set([1, 2]));
    const list = async (from: Store) => from.fileStates(new AbortController().signal);
    assert.deepEqual(await list(odd.store), await list(store));
    for (const each of [store, odd.store]) assert.deepEqual(await each.integrity(signal), []);
    await server().sql('REVOKE ALL ON vault.head FROM odd', database);
    const missing = { code: 'STORE_UNAVAILABLE', message: /may not read the tables/ };
    await assert.rejects(odd.store.progress(new AbortController().signal), missing);
    await server().sql(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
    await server().sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'odd'");
    const other = await openStore(storeConfig(server(), database));
    await assert.rejects(writePair(other.store, 3), { code: 'STORE_READONLY', hint: /default_transaction_read_only/ });
    for (const each of [close, odd.close, other.close]) await each();
  });

  test('two writers that wait for each other both succeed, or fail with a code', async () => {
    const { store, close, database } = await filledStore({});
    const other = await openStore(storeConfig(server(), database));
    const numbers = Array.from({ length: 40 }, (_, at) => at + 2);
    const writes = await Promise.allSettled(
      numbers.map((number) => writePair(number % 2 === 0 ? store : other.store, number)),
    );
    const failed = writes.flatMap((write) => (write.status === 'rejected' ? [write.reason.code] : []));
    for (const code of failed) assert.equal(code, 'STORE_BUSY');
    const found = await pairsIn(store);
    assert.equal(found.size, 1 + numbers.length - failed.length);
    assert.deepEqual(await pairsIn(other.store), found);
    for (const each of [close, other.close]) await each();
  });
});
