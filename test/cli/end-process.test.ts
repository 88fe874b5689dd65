// Checks the last step of a process in child processes: without obstacles, and with system calls that do not return.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const SRC = join(import.meta.dirname, '../../src');

const CASES: readonly { readonly name: string; readonly work: string; readonly end: number | string }[] = [
  { name: 'nothing', work: '', end: 5 },
  {
    name: 'a thread that waits',
    work: `thread("process.getBuiltinModule('node:worker_threads').parentPort.on('message', () => {})")`,
    end: 5,
  },
  { name: 'a thread that never yields', work: `thread('for (;;);')`, end: 5 },
  {
    name: 'a thread in a system call',
    work: `thread("process.getBuiltinModule('node:fs').openSync(process.argv.at(-1), 'r')")`,
    end: 'SIGKILL',
  },
  { name: 'a file operation that hangs', work: `void fs.promises.open(process.argv[1], 'r')`, end: 'SIGKILL' },
  { name: 'a file operation that ends', work: `void fs.promises.readFile(process.execPath)`, end: 5 },
];

/** What ends by itself may take its time on a busy machine. */
const waitFor = (end: number | string): number | undefined => (end === 'SIGKILL' ? undefined : 50_000);

for (const { name, work, end } of CASES) {
  test(`M10 the process exits despite ${name}`, (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-leave-'));
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const script = `import fs from 'node:fs';
      import { startThread } from ${JSON.stringify(join(SRC, 'base/threads/worker-threads.ts'))};
      import { exitProcess } from ${JSON.stringify(join(SRC, 'cli/end-process.ts'))};
      let started = Promise.resolve();
      const thread = (code) => {
        const script = new URL('data:text/javascript,' + encodeURIComponent(code));
        const worker = startThread(script, { argv: [process.argv[1]], execArgv: [] });
        started = new Promise((resolve) => worker.once('online', resolve));
      };
      ${work};
      const held = setInterval(() => undefined, 1_000);
      await started;
      clearInterval(held);
      setTimeout(() => exitProcess(5, ${waitFor(end)}), 300);`;
    const args = ['--input-type=module', '-e', script, pipe];
    const { status, signal, stderr } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      timeout: 60_000,
      killSignal: 'SIGTERM',
    });
    assert.equal(signal ?? status, end, stderr);
  });
}
