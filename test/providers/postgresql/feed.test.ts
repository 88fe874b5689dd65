// Runs the contract suite of feeds on that of PostgreSQL; what servers on several machines have of one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { NEVER } from '../../../src/base/async/waits.ts';
import { Database } from '../../../src/providers/postgresql/connection/database.ts';
import { beginAgain } from '../../../src/providers/postgresql/schema/begin-again.ts';
import { prepareSchema } from '../../../src/providers/postgresql/schema/prepare-schema.ts';
import { STEPS } from '../../../src/providers/postgresql/schema/steps.ts';
import { assertEach } from '../../assert-each.ts';
import { body, edit, type FeedHome, feedLaws, LIMITS, records, scan, TEXTS, told } from '../../contracts/feed.ts';
import { asPaths, changes, signal } from '../../contracts/store/law.ts';
import { describePostgres } from '../../postgresql/describe-postgres.ts';
import type { TestServer } from '../../postgresql/server.ts';
import { backUp, restore } from './backups.ts';
import { settingsFor } from './postgres-index.ts';
import { createMachines } from './servers-on-one-index.ts';

/** Each store is that of a server on a machine of its own. */
function homeOn(server: TestServer, schema: string): FeedHome {
  const { host, port, user, password } = server;
  const machines = createMachines({ host, port, user, password, database: 'postgres', schema });
  const named = (sql: string): string =>
    sql.replace(/\b(changes|meta)\b/, (name) => `${schema}.${name === 'meta' ? 'feed' : 'feed_changes'}`);
  return {
    open: async (limits = {}) => {
      const { capability: store, feed, close } = await machines.open({}, { feed: { ...LIMITS, ...limits } });
      assert.ok(feed);
      return { store, feed, close };
    },
    loseIndex: async () => {
      const database = new Database(settingsFor(server, 'postgres', schema), 1, () => undefined);
      await database.transaction('rebuild', NEVER, beginAgain);
      await database.close();
    },
    whileLocked: async (work) => {
      const holder = new pg.Client({ host, port, user, password, database: 'postgres' });
      await holder.connect();
      await holder.query(`BEGIN; LOCK TABLE ${schema}.feed_files`);
      await work();
      await holder.end();
    },
    run: async (...sql) => {
      for (const one of sql) await server.sql(named(one));
    },
    remove: async () => {
      await server.sql(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      machines.remove();
    },
  };
}

describePostgres('the feed of changes in PostgreSQL', (server) => {
  let schemas = 0;
  const create = (): FeedHome => {
    schemas += 1;
    return homeOn(server(), `feed_${schemas}`);
  };
  feedLaws('PostgreSQL', create);

  test('servers on two machines write and read one feed, whichever leads', async () => {
    const home = create();
    const [one, other] = [await home.open(), await home.open()];
    const lead = (store: typeof one.store) => store.takeLease({ client: 'a test', jobs: [] }, signal);
    await lead(one.store);
    await scan(one.store, TEXTS);
    await edit(one.store, 'A.md', body('x'));
    const given = await other.feed.state(signal);
    await other.feed.remember('seen \u0000 \ud800', given?.last ?? 0, signal);
    await one.store.releaseLease(signal);
    await lead(other.store);
    await other.store.apply(changes({ removed: asPaths('B.md') }), signal);
    await assert.rejects(edit(one.store, 'A.md', body('late')), { code: 'INDEX_CONFLICT' });
    for (const { feed } of [one, other]) {
      assert.deepEqual(await told(feed), ['edited A.md', 'deleted B.md']);
      assertEach(await feed.checkpoints(signal), ({ name }) => name, ['seen \u0000 \ud800']);
      const state = await feed.state(signal);
      assert.notEqual(state?.id, given?.id);
      assert.equal(state?.earlier?.get(given?.id ?? ''), 1, 'positions of the leader before are known');
    }
    for (const { close } of [one, other]) await close();
    await home.remove();
  });

  test('positions that a restored backup does not have are not known, and those before it are', async () => {
    const home = create();
    const schema = `feed_${schemas}`;
    const [one, other] = [await home.open(), await home.open()];
    const lead = (store: typeof one.store) => store.takeLease({ client: 'a test', jobs: [] }, signal);
    await lead(one.store);
    await scan(one.store, TEXTS);
    await edit(one.store, 'A.md', body('kept'));
    const given = await one.feed.state(signal);
    await backUp(server(), schema);
    await edit(one.store, 'A.md', body('lost'));
    await one.store.releaseLease(signal);
    await lead(other.store);
    await edit(other.store, 'A.md', body('lost again'));
    const lost = await one.feed.state(signal);
    await restore(server(), schema);
    await one.store.progress(new AbortController().signal);
    await lead(other.store);
    for (const word of ['new', 'newer', 'newest']) await edit(other.store, 'A.md', body(word));
    const state = await one.feed.state(signal);
    assert.deepEqual([given?.last, lost?.last, state?.last], [1, 3, 4]);
    assert.equal(state?.earlier?.get(given?.id ?? ''), 1);
    assert.equal(state?.earlier?.get(lost?.id ?? ''), undefined);
    for (const { close } of [one, other]) await close();
    await home.remove();
  });

  test('a schema that is migrated through another step keeps its index and its feed, and an earlier program leaves it alone', async () => {
    const home = create();
    const schema = `feed_${schemas}`;
    const first = await home.open();
    await scan(first.store, TEXTS);
    await edit(first.store, 'A.md', body('x'));
    const { revision } = await first.store.progress(signal);
    const prepared = (steps: readonly string[]) => {
      const database = new Database(settingsFor(server(), 'postgres', schema), 1, () => undefined);
      return prepareSchema(database, () => false, NEVER, steps).finally(() => database.close());
    };
    const made = [...STEPS, 'CREATE TABLE IF NOT EXISTS $schema.made_up AS SELECT count(*) FROM $schema.files'];
    await Promise.all([prepared(made), prepared(made)]);
    await prepared(made);
    const rows = `SELECT version, (SELECT count FROM ${schema}.made_up)::int AS files FROM ${schema}.head`;
    assert.deepEqual(await server().sql(rows), [{ version: STEPS.length + 1, files: Object.keys(TEXTS).length }]);
    assert.equal((await first.store.progress(signal)).revision, revision);
    assert.deepEqual(await told(first.feed), ['edited A.md']);
    await first.close();
    const earlier = await home.open();
    await assert.rejects(earlier.store.progress(signal), { code: 'STORE_SCHEMA_TOO_NEW' });
    await earlier.close();
    await home.remove();
  });

  test('a migration of the schema that fails changes nothing', async () => {
    const home = create();
    const schema = `feed_${schemas}`;
    const { store, close } = await home.open();
    await scan(store, TEXTS);
    const database = new Database(settingsFor(server(), 'postgres', schema), 1, () => undefined);
    const steps = [
      ...STEPS,
      'CREATE TABLE IF NOT EXISTS $schema.half (x integer)',
      'INSERT INTO $schema.nowhere VALUES (1)',
    ];
    await assert.rejects(prepareSchema(database, () => false, NEVER, steps));
    await database.close();
    const names = `SELECT count(*)::int AS half FROM pg_class WHERE relname = 'half' AND relnamespace = '${schema}'::regnamespace`;
    assert.deepEqual(await server().sql(names), [{ half: 0 }]);
    await edit(store, 'A.md', body('y'));
    await close();
    await home.remove();
  });

  test('a table that is emptied or lost by itself makes no file new and hides no change: the feed begins again', async () => {
    for (const lost of ['TRUNCATE $.feed_files', 'TRUNCATE $.feed_changes', 'DROP TABLE $.feed_files, $.files']) {
      const home = create();
      const { store, feed, close } = await home.open();
      await scan(store, TEXTS);
      await edit(store, 'A.md', body('x'));
      await server().sql(lost.replaceAll('$', `feed_${schemas}`));
      const isDropped = lost.startsWith('DROP');
      if (isDropped) {
        const database = new Database(settingsFor(server(), 'postgres', `feed_${schemas}`), 1, () => undefined);
        await prepareSchema(database, () => true, NEVER);
        await database.close();
      }
      await (isDropped ? scan(store, TEXTS) : edit(store, 'A.md', body('y')));
      await edit(store, 'B.md', body('z'));
      assert.deepEqual((await told(feed)).slice(-1), ['edited B.md'], lost);
      assert.ok(
        (await told(feed)).every((one) => one.startsWith('edited')),
        lost,
      );
      assert.equal((await feed.state(signal))?.forgotten, 1, lost);
      await close();
      await home.remove();
    }
  });

  test('a row that is not as it was written is no answer, and the feed begins again', async () => {
    for (const damage of [
      `UPDATE $.feed_changes SET record = replace(record, 'A.md', 'Z.md')`,
      `UPDATE $.feed_files SET about = replace(about, 'A.md', 'Z.md')`,
      `UPDATE $.feed_files SET lines = set_byte(lines, 5, (get_byte(lines, 5) + 1) % 256)`,
    ]) {
      const schema = `feed_${schemas + 1}`;
      const home = create();
      const { store, feed, close } = await home.open();
      await scan(store, TEXTS);
      await edit(store, 'A.md', body('x'));
      assert.deepEqual(await feed.faults(signal), []);
      await server().sql(damage.replace('$', schema));
      const [fault] = await feed.faults(signal);
      assert.match(fault ?? '', /is not what was written/);
      assert.equal(await feed.state(signal), undefined);
      await edit(store, 'A.md', body('y'));
      assert.deepEqual(await told(feed), ['edited A.md']);
      assert.equal((await records(feed))[0]?.seq, 2, 'numbers go on');
      await close();
      await home.remove();
    }
  });

  test('a call that meets a damaged record fails, and one that meets a locked table or no server does', async () => {
    const home = create();
    const schema = `feed_${schemas}`;
    const { store, feed, close } = await home.open();
    await scan(store, TEXTS);
    await edit(store, 'A.md', body('x'));
    await home.whileLocked(async () => {
      await assert.rejects(feed.read({ after: 0, upTo: 9 }, signal), { code: 'STORE_BUSY' });
    });
    await server().sql(`UPDATE ${schema}.feed_changes SET record = 'x'`);
    await assert.rejects(feed.read({ after: 0, upTo: 9 }, signal), { code: 'STORE_UNAVAILABLE' });
    assert.equal(await feed.state(signal), undefined);
    await close();
    await home.remove();
  });
});
