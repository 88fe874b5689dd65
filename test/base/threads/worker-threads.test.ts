// A process whose main thread is stuck is ended by one of its threads, since no signal handler of it can run.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

async function watchedProcess(context: TestContext) {
  const script = join(import.meta.dirname, 'stuck-child.ts');
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'pipe'] });
  context.after(() => child.kill('SIGKILL'));
  const stderr = text(child.stderr);
  const exit = once(child, 'exit');
  await once(child.stdout, 'data');
  return { child, exit, stderr };
}

test('a main thread that spins is killed, although it had a handler for SIGTERM', async (context) => {
  const { child, exit, stderr } = await watchedProcess(context);
  child.stdin.write('spin\n');
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  assert.deepEqual(await exit, [null, 'SIGKILL']);
  const lines = (await stderr).split('\n').filter((line) => line.includes('main_thread_stuck'));
  assert.equal(lines.length, 1, 'only one thread writes it');
});

test('a main thread that waits is left alone', async (context) => {
  const { child, exit } = await watchedProcess(context);
  await sleep(2_000);
  child.stdin.end();
  assert.deepEqual(await exit, [0, null]);
});
