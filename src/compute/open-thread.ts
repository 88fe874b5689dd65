// One worker thread that does one job at a time, as a promise.
import { Worker } from 'node:worker_threads';
import { VaultgraphError } from '../base/errors.ts';
import { rememberThread } from '../base/living-threads.ts';
import { threadScript } from '../base/thread-script.ts';
import type { Request } from './jobs.ts';

export interface Thread {
  /** False once the thread ended, for whatever reason. */
  isAlive(): boolean;
  /** One request at a time. @throws INTERNAL when the thread ends before it answers, or the request cannot be posted */
  ask(request: Request, transfer: ArrayBuffer[]): Promise<unknown>;
  /** Ends the thread at once, in the middle of its work if need be. */
  close(): Promise<void>;
}

const ENTRY = threadScript('thread', import.meta.url);

/** Starts a thread that keeps the process running only while it works. */
export function openThread(): Thread {
  const worker = rememberThread(new Worker(ENTRY, { name: 'vaultgraph', execArgv: [] }));
  let waiting: PromiseWithResolvers<unknown> | undefined;
  let fault: unknown;
  let alive = true;
  const fail = (cause: unknown) => waiting?.reject(new VaultgraphError('INTERNAL', { kind: 'compute' }, { cause }));

  // Standard output belongs to the protocol, whatever a package prints. (The option `stdout: true` would do the same, but a
  // stream read in that way keeps the process running.)
  worker.stdout.unpipe(process.stdout);
  worker.stdout.on('data', (chunk: Buffer) => process.stderr.write(chunk)).resume();
  worker.on('message', (output) => waiting?.resolve(output));
  worker.on('messageerror', fail);
  worker.on('error', (thrown) => {
    fault = thrown;
  });
  worker.on('exit', (code) => {
    alive = false;
    fail(fault ?? `the thread ended with code ${code}`);
  });
  worker.unref();

  async function ask(request: Request, transfer: ArrayBuffer[]): Promise<unknown> {
    waiting = Promise.withResolvers();
    worker.ref();
    try {
      post(worker, request, transfer);
      return await waiting.promise;
    } finally {
      waiting = undefined;
      worker.unref();
    }
  }

  return Object.freeze({
    isAlive: () => alive,
    ask,
    close: async () => {
      await worker.terminate();
    },
  });
}

function post(worker: Worker, request: Request, transfer: ArrayBuffer[]): void {
  try {
    worker.postMessage(request, transfer);
  } catch (cause) {
    throw new VaultgraphError('INTERNAL', { kind: 'compute' }, { cause });
  }
}
