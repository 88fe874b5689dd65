// A process that receives each signal that asks it to end, passes it on and continues until it ends itself.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
const skip = process.platform === 'win32' ? 'Windows ends a process that is sent a signal' : false;

test('each signal is heard and passed on, none ends the process, and it can end itself', { skip }, async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'signal-child.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => (await lines.next()).value;
  assert.equal(await next(), 'ready');
  for (const [signal, code] of Object.entries(SIGNALS) as [keyof typeof SIGNALS, number][]) {
    child.kill(signal);
    assert.equal(await next(), `passes ${signal}, ${signal} ${code}`);
  }
  assert.deepEqual(await ended, [null, 'SIGKILL']);
});
