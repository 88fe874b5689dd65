// A process that another thread watches: waits for a line on stdin and then spins, or ends when stdin closes.
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { endIfStuck, watchMainThread } from '../../../src/base/threads/worker-threads.ts';

const LIMIT_MS = 800;

function spin(): void {
  writeSync(process.stdout.fd, 'spinning\n');
  for (;;) performance.now();
}

if (isMainThread) {
  endIfStuck(LIMIT_MS);
  // As a server has several threads, of which some end while it is idle.
  const threads = [1, 2, 3].map(() => new Worker(new URL(import.meta.url)));
  await Promise.all(threads.map((thread) => once(thread, 'message')));
  await threads[0]?.terminate();
  writeSync(process.stdout.fd, 'ready\n');
  process.on('SIGTERM', () => process.exit(0));
  process.stdin.on('data', spin);
  process.stdin.on('end', () => process.exit(0));
} else {
  watchMainThread();
  parentPort?.postMessage('ready');
  parentPort?.on('message', () => undefined);
}
