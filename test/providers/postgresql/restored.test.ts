// A database that is restored from a backup is never answered for by a copy of what was lost, whatever the numbers are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorOf } from '../../../src/base/outcome.ts';
import type { Store } from '../../../src/contracts/store.ts';
import { fill, signal } from '../../contracts/store/law.ts';
import { REPORT } from '../../contracts/store/sharing.ts';
import { describePostgres } from '../../postgresql/describe-postgres.ts';
import { until } from '../../until.ts';
import { backUp, restore } from './backups.ts';
import { createMachines } from './servers-on-one-index.ts';

async function pathsIn(store: Store): Promise<string[]> {
  const page = { limit: 100, offset: 0 };
  const { notes } = await store.listNotes({}, 'path', 'asc', page, new AbortController().signal);
  return notes.map(({ path }) => path);
}

const lead = (store: Store) => store.takeLease({ client: 'a test', jobs: [] }, signal);

describePostgres('a PostgreSQL index restored from a backup', (server) => {
  const schemaOf = (name: string) => {
    const { host, port, user, password } = server();
    return createMachines({ host, port, user, password, database: 'postgres', schema: name });
  };

  test('copies of the lost history are made again when the numbers of the new one are the same', async () => {
    const machines = schemaOf('coincide');
    const [one, other, third] = [await machines.open(), await machines.open(), await machines.open()];
    const [a, b, c] = [one.capability, other.capability, third.capability];
    await lead(a);
    await fill(a, { 'Kept.md': 'in the backup' });
    assert.deepEqual(await pathsIn(c), ['Kept.md']);
    await a.releaseLease(signal);
    await backUp(server(), 'coincide');
    await lead(a);
    await fill(a, { 'Lost.md': 'after it' });
    assert.deepEqual(await pathsIn(b), ['Kept.md', 'Lost.md']);
    await restore(server(), 'coincide');
    assert.equal((await lead(c)).isMine, true);
    await fill(c, { 'New.md': 'instead' });
    for (const store of [b, a, c]) assert.deepEqual(await pathsIn(store), ['Kept.md', 'New.md']);
    await assert.rejects(fill(a, { 'Late.md': '' }), { code: 'INDEX_CONFLICT' });
    for (const { close } of [one, other, third]) await close();
    machines.remove();
  });

  test('a leader that lives through the restore loses the lease at its next heartbeat, and others see the restored state', async () => {
    const machines = schemaOf('living');
    const [one, other] = [await machines.open(), await machines.open()];
    const [a, b] = [one.capability, other.capability];
    await lead(a);
    await fill(a, { 'Kept.md': 'in the backup' });
    await backUp(server(), 'living');
    await fill(a, { 'Lost.md': 'after it' });
    assert.deepEqual(await pathsIn(b), ['Kept.md', 'Lost.md']);
    await restore(server(), 'living');
    assert.equal((await a.lease(signal)).isMine, true);
    await a.publish({ report: REPORT, jobs: [], answers: [] }, signal);
    assert.equal((await a.lease(signal)).holder, undefined);
    assert.equal((await lead(a)).isMine, true);
    await fill(a, { 'New.md': 'instead' });
    for (const store of [b, a]) assert.deepEqual(await pathsIn(store), ['Kept.md', 'New.md']);
    for (const { close } of [one, other]) await close();
    machines.remove();
  });

  test('a copy that is ahead of the database is thrown away by the first question', async () => {
    const machines = schemaOf('ahead');
    const [one, other] = [await machines.open(), await machines.open()];
    await lead(one.capability);
    await fill(one.capability, { 'Kept.md': '' });
    await backUp(server(), 'ahead');
    await fill(one.capability, { 'Lost.md': '' });
    assert.deepEqual(await pathsIn(other.capability), ['Kept.md', 'Lost.md']);
    await restore(server(), 'ahead');
    for (const { capability } of [other, one]) assert.deepEqual(await pathsIn(capability), ['Kept.md']);
    for (const { close } of [one, other]) await close();
    machines.remove();
  });

  test('a call that waits for its copy when other tables take the place of these ends as the next calls do', async () => {
    const machines = schemaOf('replaced');
    const [one, other] = [await machines.open(), await machines.open()];
    const [a, b] = [one.capability, other.capability];
    await lead(a);
    await fill(a, { 'Kept.md': '' });
    assert.deepEqual(await pathsIn(b), ['Kept.md']);
    await fill(a, { 'More.md': '' });
    const locking = await server().connect();
    const waiting = async (): Promise<number> => {
      const [row] = await server().sql<{ n: number }>('SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted');
      return row?.n ?? 0;
    };
    await locking.query('BEGIN; LOCK TABLE replaced.files IN ACCESS EXCLUSIVE MODE');
    const first = errorOf(pathsIn(b));
    await until(async () => (await waiting()) > 0, 'the copy waits');
    await server().sql('UPDATE replaced.head SET identity = gen_random_uuid()::text');
    const second = errorOf(pathsIn(b));
    let isOver = false;
    void Promise.race([first, second]).then(() => {
      isOver = true;
    });
    await until(async () => isOver || (await waiting()) > 1, 'the other copy waits, or the time of a call is over');
    await locking.query('ROLLBACK');
    for (const error of [await first, await second])
      assert.ok(error === undefined || ['STORE_BUSY', 'NOT_READY'].includes(error.code), error?.stack);
    assert.deepEqual(await pathsIn(b), ['Kept.md', 'More.md']);
    await locking.end();
    for (const { close } of [one, other]) await close();
    machines.remove();
  });
});
