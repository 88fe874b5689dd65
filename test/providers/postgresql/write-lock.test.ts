// The lock that lets one server at a time write notes, on a real server.
import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { VaultgraphError } from '../../../src/base/errors.ts';
import type { WriteLock } from '../../../src/contracts/session.ts';
import { Database } from '../../../src/providers/postgresql/connection/database.ts';
import { createWriteLock } from '../../../src/providers/postgresql/sharing/write-lock.ts';
import { signal } from '../../contracts/store/law.ts';
import { describePostgres } from '../../postgresql/describe-postgres.ts';
import { openStore, settingsFor, storeConfig } from './postgres-index.ts';

describePostgres('the lock of servers that write copies of a vault', (server) => {
  async function twoServers() {
    const database = await server().freshDatabase();
    const config = storeConfig(server(), database);
    const stores = [await openStore(config), await openStore(config)] as const;
    const locks = stores.map(({ writeLock }) => writeLock as WriteLock);
    const sql = (text: string) => server().sql<{ holder: string | null; token: number }>(text, database);
    const close = () => Promise.all(stores.map((store) => store.close()));
    return { locks: locks as unknown as readonly [WriteLock, WriteLock], sql, database, close };
  }

  test('one piece of work runs at a time, and the lock is free afterwards, also if the work fails', async () => {
    const { locks, sql, close } = await twoServers();
    let running = 0;
    const ended: string[] = [];
    const work = (name: string) => async () => {
      running += 1;
      assert.equal(running, 1, 'no other work runs meanwhile');
      await sleep(20);
      running -= 1;
      ended.push(name);
      if (name === 'a2') throw new VaultgraphError('SHUTTING_DOWN', {});
    };
    const outcomes = await Promise.allSettled(
      ['a1', 'b1', 'a2', 'b2', 'a3', 'b3'].map((name) => locks[name[0] === 'a' ? 0 : 1].hold(signal, work(name))),
    );
    assert.equal(ended.length, 6);
    assert.deepEqual(
      outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : [])),
      ['SHUTTING_DOWN'],
    );
    assert.equal((await sql('SELECT holder FROM vault.write_lock'))[0]?.holder, null);
    await close();
  });

  test('a lock that is held is named with its machine, and one that ended is taken; its holder frees no other', async () => {
    const { locks, sql, database, close } = await twoServers();
    await locks[1].hold(signal, async () => undefined);
    const direct = new Database(settingsFor(server(), database), 2, () => undefined);
    const impatient = createWriteLock(direct, async () => undefined, 100);
    await locks[0].hold(signal, async () => {
      await assert.rejects(
        impatient.hold(signal, async () => assert.fail('it ran')),
        (error: VaultgraphError) => {
          assert.equal(error.code, 'STORE_BUSY');
          assert.ok(error.message.includes(hostname()), error.message);
          assert.match(error.hint, /One server at a time writes notes/);
          return true;
        },
      );
      await sql(`UPDATE vault.write_lock SET expires_at = now() - interval '1 second'`);
      await impatient.hold(signal, async () => {
        // The first holder has lost it: its end must not free it.
      });
    });
    const held = Promise.withResolvers<void>();
    const freed = Promise.withResolvers<void>();
    const first = locks[0].hold(signal, async () => {
      held.resolve();
      await freed.promise;
    });
    await held.promise;
    await sql(`UPDATE vault.write_lock SET expires_at = now() - interval '1 second'`);
    await impatient.hold(signal, async () => {
      freed.resolve();
      await first;
      assert.equal((await sql('SELECT holder FROM vault.write_lock'))[0]?.holder, hostname(), 'still held');
    });
    await direct.close();
    await close();
  });

  test('the machine of a change is known to all servers until it is undone or as old as the change log keeps it', async () => {
    const { locks, sql, close } = await twoServers();
    const [one, other] = locks;
    await one.hold(signal, async () => {
      await one.record({ id: 'chg_1' });
      await one.record({ id: 'chg_1' });
      await one.record({ id: 'chg_2' });
    });
    const known = () => Promise.all(['chg_1', 'chg_2', 'chg_3', 'chg_4'].map((id) => other.machineOf(id, signal)));
    assert.deepEqual(await known(), [hostname(), hostname(), undefined, undefined]);
    await one.hold(signal, () => one.record({ id: 'chg_3', undoes: 'chg_1' }));
    assert.deepEqual(await known(), [undefined, hostname(), hostname(), undefined]);
    await sql(`UPDATE vault.changes SET made_at = now() - interval '91 days' WHERE id = 'chg_2'`);
    await one.hold(signal, () => one.record({ id: 'chg_4' }));
    assert.deepEqual(await known(), [undefined, undefined, hostname(), hostname()]);
    await close();
  });

  test('a call that is cancelled while it waits runs nothing', async () => {
    const { locks, close } = await twoServers();
    const cancelled = new AbortController();
    await locks[0].hold(signal, async () => {
      const waiting = locks[1].hold(cancelled.signal, async () => assert.fail('it ran'));
      cancelled.abort(new VaultgraphError('SHUTTING_DOWN', {}));
      await assert.rejects(waiting, { code: 'SHUTTING_DOWN' });
    });
    await close();
  });
});
