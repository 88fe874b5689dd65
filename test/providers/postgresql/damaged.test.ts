// Rows in PostgreSQL that are not what was written there: no answer is made of them, the error names the database, and a server begins again.
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { VaultgraphError } from '../../../src/base/errors.ts';
import type { Opened } from '../../../src/contracts/provider.ts';
import type { Store } from '../../../src/contracts/store.ts';
import { changes, fill, found, signal } from '../../contracts/store/law.ts';
import { REPORT } from '../../contracts/store/sharing.ts';
import { EAST, embed, NORTH, opened } from '../../contracts/store/vector-vault.ts';
import { describePostgres } from '../../postgresql/describe-postgres.ts';
import { isLong } from '../../runner/effort.ts';
import { createMachines } from './servers-on-one-index.ts';

const EBB = `WHERE path = 'Ebb.md'`;

/** What a new copy meets. */
const DAMAGES: Readonly<Record<string, string>> = {
  'a content that is cut': `UPDATE files SET content = substring(content FOR 9) ${EBB}`,
  'a content without its end': `UPDATE files SET content = substring(content FOR octet_length(content) - 1) ${EBB}`,
  'a content with another byte': `UPDATE files SET content = set_byte(content, 30, get_byte(content, 30) # 8) ${EBB}`,
  'an empty content': `UPDATE files SET content = '' ${EBB}`,
  'no content': `UPDATE files SET content = NULL ${EBB}`,
  'no content that it knows of': `UPDATE files SET content = NULL, content_seq = NULL ${EBB}`,
  'the content of another file': `UPDATE files SET content = (SELECT content FROM files WHERE path = 'Flow.md') ${EBB}`,
  'another kind of file': `UPDATE files SET kind = 'folder' ${EBB}`,
  'a size that is no number': `UPDATE files SET size = 'NaN' ${EBB}`,
  'a negative size': `UPDATE files SET size = -1 ${EBB}`,
  'a time without end': `UPDATE files SET modified = 'Infinity' ${EBB}`,
  'another hash': `UPDATE files SET hash = 'x' ${EBB}`,
  'no hash': `UPDATE files SET hash = NULL ${EBB}`,
  'another path': `UPDATE files SET path = 'Ebc.md' ${EBB}`,
  'a file that is gone by one column': `UPDATE files SET gone = true ${EBB}`,
  'a set of changes to come': `UPDATE files SET seq = 999 ${EBB}`,
  'one file less': `DELETE FROM files ${EBB}`,
  'no files': 'TRUNCATE files',
  'a vector that is cut': 'UPDATE vectors SET embedding = substring(embedding FOR 8)',
  'a vector with another byte': 'UPDATE vectors SET embedding = set_byte(embedding, 6, 255)',
  'one vector less': `DELETE FROM vectors WHERE hash = 'low'`,
  'passages of another form': `UPDATE embedded SET chunks = '{}' ${EBB}`,
  'the passages of another note': `UPDATE embedded SET chunks = (SELECT chunks FROM embedded WHERE path = 'Flow.md') ${EBB}`,
  'other dimensions': 'UPDATE generations SET dims = 7',
  'another model': `UPDATE generations SET fingerprint = '{}'`,
  'another entry of the quarantine': `UPDATE quarantine SET entry = '[]'`,
  'a scan at no time': `UPDATE head SET scanned_at = 'noon'`,
  'a negative revision': 'UPDATE head SET revision = -1',
  'another number of files': 'UPDATE head SET living = living + 1',
};

async function fillIndex(store: Store): Promise<void> {
  await fill(store, { 'Ebb.md': 'low water', 'Flow.md': 'high water', 'Calm.md': 'still' });
  const generation = await opened(store);
  await embed(store, generation, {
    'Ebb.md': ['low water', ['low', EAST]],
    'Flow.md': ['high water', ['high', NORTH]],
  });
  const entry = { phase: 'parse', code: 'FILE_UNREADABLE', reason: 'x', attempts: 1 } as const;
  await store.apply(changes({ added: [found('Bad.md')], quarantined: [{ ...QUARANTINED, ...entry }] }), signal);
  await store.completeScan('2026-11-20T10:00:00.000Z', signal);
}
const QUARANTINED = { path: found('Bad.md').path };

describePostgres('a damaged index in PostgreSQL', (server) => {
  let schemas = 0;
  const setUp = async (serves: boolean) => {
    schemas += 1;
    const schema = `damaged_${schemas}`;
    const { host, port, user, password } = server();
    const section = { host, port, user, password, database: 'postgres', schema };
    const machines = createMachines(section, { serves });
    const run = (sql: string) => server().sql(`SET search_path = ${schema}; ${sql}`);
    const all: Opened<Store>[] = [];
    const open = async (): Promise<Opened<Store>> => {
      const one = await machines.open();
      all.push(one);
      return one;
    };
    const close = async (): Promise<void> => {
      for (const one of all) await one.close();
      machines.remove();
    };
    return { open, run, close, schema, copies: machines.copies };
  };

  const COPIED = ['files', 'vectors', 'embedded', 'generations', 'quarantine', 'head'];
  const keep = COPIED.map((name) => `CREATE TABLE kept.${name} AS TABLE ${name}`).join(';');
  const putBack = COPIED.map((name) => `TRUNCATE ${name}; INSERT INTO ${name} SELECT * FROM kept.${name}`).join(';');

  test('of every row that a new copy reads, the error names the database and what repairs it', async () => {
    const { open, run, close } = await setUp(false);
    const first = await open();
    await fillIndex(first.capability);
    await run(`CREATE SCHEMA kept; ${keep}`);
    // A copy of its own takes a second.
    for (const [at, [what, sql]] of Object.entries(DAMAGES).entries()) {
      if (!isLong && at % 10 !== 0) continue;
      await run(sql);
      const { capability: store } = await open();
      await assert.rejects(list(store), isOfDatabase(what));
      await assert.rejects(first.capability.counts(call()), { code: 'STORE_CORRUPT' }, `${what}: others know of it`);
      await run('UPDATE head SET damaged = NULL');
      const faults = await first.capability.integrity(signal).catch((thrown: Error) => [thrown.message]);
      assert.notDeepEqual(faults, [], `${what}: doctor finds it`);
      await run(`BEGIN; ${putBack}; COMMIT`);
    }
    assert.deepEqual(await first.capability.integrity(signal), []);
    await close();
  });

  test('a server that leads begins again within a heartbeat, at most once an hour, and other servers know of it', async () => {
    const { open, run, close } = await setUp(true);
    const [leader, other] = [await open(), await open()];
    await lead(leader.capability);
    await fillIndex(leader.capability);
    await run(DAMAGES['a content that is cut'] ?? '');
    await assert.rejects(list(other.capability), { code: 'STORE_CORRUPT', retryable: true, hint: /by itself/ });
    for (const { damage } of [other]) assert.equal(damage?.()?.code, 'STORE_CORRUPT');
    assert.equal((await leader.capability.lease(signal)).isMine, true);
    await leader.capability.publish({ report: REPORT, jobs: [], answers: [] }, signal);
    assert.equal((await leader.capability.lease(signal)).holder, undefined, 'the next leader compares the whole vault');
    for (const { capability } of [leader, other]) assert.deepEqual(await list(capability), []);
    for (const one of [leader, other]) {
      assert.equal(one.damage?.(), undefined);
      assert.match((await one.probe?.(signal))?.detail ?? '', /built again at .*, because it was damaged/);
    }
    await lead(leader.capability);
    await fillIndex(leader.capability);
    assert.equal((await list(other.capability)).length, 4);
    await run(DAMAGES['one file less'] ?? '');
    const late = await open();
    await assert.rejects(list(late.capability), {
      code: 'STORE_CORRUPT',
      retryable: false,
      hint: /less than an hour ago.*the next time is 20/,
    });
    await leader.capability.publish({ report: REPORT, jobs: [], answers: [] }, signal);
    assert.equal((await leader.capability.lease(signal)).isMine, true, 'nothing is emptied');
    await run(`UPDATE head SET rebuilt = now() - interval '61 minutes'`);
    await leader.capability.publish({ report: REPORT, jobs: [], answers: [] }, signal);
    assert.deepEqual(await list(late.capability), []);
    await close();
  });

  test('a lease, a job or a request that cannot be read does not keep servers from leading', async () => {
    const { open, run, close } = await setUp(true);
    const one = await open();
    const { capability: store } = one;
    await list(store);
    for (const sql of [
      `UPDATE lease SET holder = '{"pid": 1}', token = 5`,
      `UPDATE lease SET holder = 'x', report = 'y'`,
    ]) {
      await run(`${sql}; UPDATE head SET rebuilt = NULL`);
      await assert.rejects(store.lease(call()), isOfDatabase(sql));
      await assert.rejects(lead(store), isOfDatabase(sql));
      assert.equal((await lead(store)).isMine, true, sql);
    }
    await run(`INSERT INTO jobs (id, kind, has_ended, token, saved_at, job, request) VALUES ('j', 'scan', true, 1, 'x', '{}', '{}');
      INSERT INTO requests (request) VALUES ('[')`);
    const isMarked = async (): Promise<boolean> => Object((await run('SELECT damaged FROM head'))[0]).damaged !== null;
    await assert.rejects(store.keptJobs(call()), isOfDatabase('a job'));
    await assert.rejects(store.openRequests(call()), isOfDatabase('a request'));
    assert.equal(await isMarked(), false, 'what was read may be of the index that was just made again');
    await run('UPDATE head SET rebuilt = NULL');
    await assert.rejects(store.keptJobs(call()), isOfDatabase('a job'));
    assert.equal(await isMarked(), true);
    await store.publish({ report: REPORT, jobs: [], answers: [] }, signal);
    assert.deepEqual([await store.keptJobs(call()), await store.openRequests(call())], [[], []]);
    await close();
  });

  test('a database that is emptied or made again is used after a while, and nothing is answered from before', async () => {
    for (const [at, [what, sql]] of Object.entries(EMPTIED).entries()) {
      if (!isLong && at % 2 === 1) continue;
      const { open, run, close, schema, copies } = await setUp(true);
      const [leader, other] = [await open(), await open()];
      await lead(leader.capability);
      await fillIndex(leader.capability);
      assert.equal((await list(other.capability)).length, 4);
      const before = new Set(copies());
      await run(sql.replaceAll('$schema', schema));
      for (const { capability } of [other, leader, other, leader])
        await assert.rejects(list(capability), { code: 'STORE_UNAVAILABLE', message: /tables of the index are/ }, what);
      const now = performance.now();
      const clock = mock.method(performance, 'now', () => now + 60_000);
      assert.deepEqual(await list(other.capability), [], what);
      clock.mock.restore();
      assert.deepEqual(await list(leader.capability), [], what);
      await lead(leader.capability);
      await fillIndex(leader.capability);
      assert.equal((await list(other.capability)).length, 4, what);
      const left = copies().filter((name) => before.has(name));
      assert.deepEqual(left, [], `${what}: no copy of the tables before is left`);
      await run('DROP TABLE files');
      const published = leader.capability.publish({ report: REPORT, jobs: [], answers: [] }, signal);
      await assert.rejects(published, { code: 'STORE_UNAVAILABLE', message: /missing or empty/ }, what);
      await close();
    }
  });
});

const EMPTIED: Readonly<Record<string, string>> = {
  'emptied tables': `TRUNCATE ${['answers', 'changes', 'embedded', 'feed', 'feed_changes', 'feed_files', 'feed_gone', 'feed_names', 'files', 'generations', 'head', 'histories', 'jobs', 'lease', 'quarantine', 'requests', 'vectors', 'write_lock'].join(', ')}`,
  'a dropped schema': 'DROP SCHEMA $schema CASCADE',
  'a schema made again': 'DROP SCHEMA $schema CASCADE; CREATE SCHEMA $schema',
  'a lost state': 'TRUNCATE head',
};

const call = (): AbortSignal => new AbortController().signal;
const lead = (store: Store) => store.takeLease({ client: 'a test', jobs: [] }, signal);

async function list(store: Store): Promise<string[]> {
  // What reads the state also runs while the index is built.
  const files = await store.fileStates(call());
  return files.map(({ path }) => path);
}

const isOfDatabase = (what: string) => (thrown: VaultgraphError<'STORE_CORRUPT'>) => {
  assert.equal(thrown.code, 'STORE_CORRUPT', `${what}: ${thrown}`);
  assert.match(thrown.message, /the index on the PostgreSQL server at .*, schema "damaged_/);
  assert.match(thrown.hint, /doctor --rebuild-index/);
  return true;
};
