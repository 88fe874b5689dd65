// Moves the index of a vault from SQLite to PostgreSQL and back: no note is read again, and each exports the same.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { describePostgres } from '../postgresql/describe-postgres.ts';
import type { TestServer } from '../postgresql/server.ts';
import { configFile, copyOfFixture, indexFile, runBeside, temporaryFolder } from './session.ts';

const VAULTS = ['tiny', 'links', 'unicode', 'broken', 'island'];

/** Runs the program on one vault and one data folder, with the config of one of the two stores. */
async function createPlace(context: TestContext, server: TestServer, fixture: string) {
  const database = await server.freshDatabase();
  const { host, port, user, password } = server;
  const store = { type: 'postgresql', host, port, user, password, database, tls: 'off' };
  const configs = {
    sqlite: configFile(context, '{}'),
    postgresql: configFile(context, JSON.stringify({ providers: { store } })),
  };
  const dataFolder = temporaryFolder(context);
  const vault = copyOfFixture(context, fixture);
  const place = ['--vault', vault, '--data-dir', dataFolder];
  const run = async (store: keyof typeof configs, ...args: string[]) => {
    const ended = await runBeside(context, [...args, ...place, '--config', configs[store]]);
    return { ...ended, json: args.includes('--json') ? JSON.parse(ended.stdout) : undefined };
  };
  return { dataFolder, vault, configs, run };
}

describePostgres('index --store', (server) => {
  for (const fixture of VAULTS)
    test(`moves the index of ${fixture} to PostgreSQL and back`, async (context) => {
      const { dataFolder, run } = await createPlace(context, server(), fixture);
      // Files that cannot be read leave it done in part.
      const { status } = await run('sqlite', 'index');
      assert.ok(status === 0 || status === 2);
      const { stdout: exported } = await run('sqlite', 'export');
      const moved = await run('postgresql', 'index', '--store', 'postgresql', '--json');
      assert.equal(moved.status, 0, moved.stderr);
      assert.equal(moved.json.counts.indexed, 0, 'no note is read again');
      assert.match(moved.stderr, /The feed of changes is moved: 0 records/);
      assert.equal((await run('postgresql', 'export')).stdout, exported);
      rmSync(indexFile(dataFolder));
      const back = await run('sqlite', 'index', '--store', 'sqlite', '--json');
      assert.equal(back.json.counts.indexed, 0, 'no note is read again');
      assert.equal((await run('sqlite', 'export')).stdout, exported);
    });

  test('the feed of changes goes on in the other store, there and back', async (context) => {
    const { dataFolder, vault, configs, run } = await createPlace(context, server(), 'links');
    const changed = async (store: keyof typeof configs, args: object) => {
      const { stdout, stderr } = await run(store, 'call', 'list_changes', JSON.stringify(args));
      const { ok, data, error } = JSON.parse(stdout);
      if (!ok) return error.message;
      const list: { change: string; path: string; sections?: object[] }[] = data.changes;
      assert.ok(data.position, stderr);
      return { list: list.map(({ change, path }) => `${change} ${path}`).sort(), position: data.position, data };
    };
    const write = async (store: keyof typeof configs, name: string, text = `# ${name}\n\n## Part\n\ntext\n`) => {
      writeFileSync(join(vault, `${name}.md`), text);
      assert.equal((await run(store, 'index')).status, 0);
    };
    await run('sqlite', 'index');
    await write('sqlite', 'One');
    const { position: first } = await changed('sqlite', { remember: 'weekly' });
    await write('sqlite', 'Two');
    await write('sqlite', 'Three');
    assert.match(
      (await run('postgresql', 'index', '--store', 'postgresql')).stderr,
      /is moved: 3 records, 1 remembered/,
    );
    const there = await changed('postgresql', { since: first });
    assert.deepEqual(there.list, ['created Three.md', 'created Two.md']);
    assert.deepEqual((await changed('postgresql', { since: 'weekly' })).list, there.list);
    // What is known of the lines of each note is moved, too.
    await write('postgresql', 'Two', '# Two\n\n## Part\n\nother text\n');
    const edited = await changed('postgresql', { since: there.position, remember: 'in the database' });
    assert.deepEqual(edited.data.changes[0].sections, [{ heading: 'Two > Part', added: 1, removed: 1 }]);
    rmSync(indexFile(dataFolder));
    const from = ['--from', configs.postgresql];
    const back = await run('sqlite', 'index', '--store', 'sqlite', ...from);
    assert.match(back.stderr, /is moved: 4 records, 2 remembered/);
    await write('sqlite', 'Four');
    for (const [since, expected] of [
      [first, ['created Four.md', 'created Three.md', 'created Two.md']],
      [there.position, ['created Four.md', 'edited Two.md']],
      ['in the database', ['created Four.md']],
    ] as const)
      assert.deepEqual((await changed('sqlite', { since })).list, expected);
    // Once more, and with changes of both.
    rmSync(indexFile(dataFolder));
    assert.match((await run('sqlite', 'index', '--store', 'sqlite', ...from)).stderr, /was moved before/);
    await write('postgresql', 'Five');
    rmSync(indexFile(dataFolder));
    assert.match(
      (await run('sqlite', 'index', '--store', 'sqlite', ...from)).stderr,
      /changes of its own.*are refused/,
    );
    const { position } = await changed('postgresql', {});
    assert.match(await changed('sqlite', { since: position }), /no longer kept/);
    assert.deepEqual((await changed('sqlite', { since: 'in the database' })).list, [
      'created Five.md',
      'created Four.md',
    ]);
    const { status, stderr } = await run('sqlite', 'index', '--from', configs.postgresql);
    assert.equal(status, 64, stderr);
  });

  test('says why an index cannot be copied', async (context) => {
    const { run } = await createPlace(context, server(), 'tiny');
    const refusals: [store: 'sqlite' | 'postgresql', to: string, status: number, reason: RegExp][] = [
      [
        'postgresql',
        'postgresql',
        78,
        /the index of "sqlite" cannot be copied: there is no such index on this machine/,
      ],
      ['sqlite', 'postgresql', 78, /the store of the config is "sqlite"/],
      ['sqlite', 'postgres', 64, /Allowed choices are sqlite, postgresql/],
    ];
    for (const [store, to, expected, reason] of refusals) {
      const { status, stderr } = await run(store, 'index', '--store', to);
      assert.equal(status, expected, stderr);
      assert.match(stderr, reason);
    }
    assert.equal((await run('sqlite', 'index')).status, 0);
    assert.equal((await run('postgresql', 'index')).status, 0);
    assert.match((await run('postgresql', 'index', '--store', 'postgresql')).stderr, /only to an empty one/);
    assert.match(
      (await run('postgresql', 'index', '--store', 'sqlite')).stderr,
      /the store of the config is "postgresql"/,
    );
    assert.equal((await run('postgresql', 'index', '--store', 'postgresql', '--rebuild')).status, 64);
  });

  test('each of several vaults has an index of its own', async (context) => {
    const { host, port, user, password } = server();
    const database = await server().freshDatabase();
    const store = { type: 'postgresql', host, port, user, password, database, tls: 'off' };
    const vaults = { tiny: { path: copyOfFixture(context, 'tiny') }, 'the-empty': { path: temporaryFolder(context) } };
    const config = configFile(context, JSON.stringify({ vaults, providers: { store } }));
    const common = ['--json', '--config', config, '--data-dir', temporaryFolder(context)];
    for (const times of ['first', 'second']) {
      const { status, stdout, stderr } = await runBeside(context, ['index', ...common]);
      assert.equal(status, 0, stderr);
      const removed = JSON.parse(stdout).vaults.map((one: { counts: { removed: number } }) => one.counts.removed);
      assert.deepEqual(removed, [0, 0], `${times} time`);
    }
    const schemas = await server().sql<{ name: string }>(
      `SELECT nspname AS name FROM pg_namespace WHERE nspname LIKE 'vaultgraph%' ORDER BY 1`,
      database,
    );
    assert.deepEqual(
      schemas.map(({ name }) => name),
      ['vaultgraph_the_empty', 'vaultgraph_tiny'],
    );
  });
});
