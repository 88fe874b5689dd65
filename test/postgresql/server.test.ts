// Checks the PostgreSQL server that other tests use: its start, a crash, and its end with the tests.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { until } from '../until.ts';
import { describePostgres } from './describe-postgres.ts';

describePostgres('a PostgreSQL server of a test', (server) => {
  test('keeps what was confirmed when it is killed', async () => {
    const database = await server().freshDatabase();
    await server().sql('CREATE TABLE kept (number int); INSERT INTO kept VALUES (1), (2)', database);
    for (const signal of ['SIGKILL', 'SIGQUIT'] as const) {
      await server().kill(signal);
      await assert.rejects(server().sql('SELECT 1'), { code: 'ECONNREFUSED' });
      await server().restart();
      assert.deepEqual(await server().sql('SELECT sum(number)::int AS sum FROM kept', database), [{ sum: 3 }]);
    }
  });

  test('has databases that do not share tables', async () => {
    const [one, other] = [await server().freshDatabase(), await server().freshDatabase()];
    await server().sql('CREATE TABLE own ()', one);
    await assert.rejects(server().sql('SELECT * FROM own', other), { code: '42P01' });
  });

  test('asks for the password', async () => {
    await assert.rejects(server().connect('postgres', 'postgres', 'another'), { code: '28P01' });
  });

  test('ends when the process of the test is killed', async () => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'server-child.ts')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const { socketFolder, pid } = JSON.parse(line) as { socketFolder: string; pid: number };
    child.kill('SIGKILL');
    await until(() => !existsSync(dirname(socketFolder)) && !existsSync(`/proc/${pid}`), 'the server has ended');
  });
});
