// A few threads for all file operations: what hangs keeps its thread, and once all hang, calls fail at once.
import { Worker } from 'node:worker_threads';
import { VaultgraphError } from '../../base/errors.ts';
import { rememberThread } from '../../base/worker-threads.ts';
import { type FileAnswer, type FileTask, PULSE_CELLS } from './file-task.ts';
import { type OnAbort, type Outcome, performTask, type Thread } from './perform-task.ts';

/** Two may hang and reading goes on. */
const THREADS = 3;
/** A large vault's listing would let it grow to several times that, and nothing gives it back. */
const YOUNG_HEAP_MIB = 8;

export interface FileThreads {
  /**
   * @param onAbort `leave` where it is not given
   * @throws the signal's reason; VAULT_UNAVAILABLE with ETIMEDOUT while every thread hangs; SHUTTING_DOWN; INTERNAL when the thread ends
   */
  run(task: FileTask, signal: AbortSignal, onAbort?: OnAbort): Promise<Outcome>;
  /** Does not wait for threads that hang: nothing can end them but the end of the process. */
  close(): Promise<void>;
}

interface Waiter {
  go(thread: Thread): void;
  refuse(error: unknown): void;
}

/**
 * @param setup handed to each thread beside its own `pulse`
 * @param patienceMs how long a thread may show no sign of life before it counts as stuck
 * @param most threads at a time
 */
export function openFileThreads(script: URL, setup: object, patienceMs: number, most: number = THREADS): FileThreads {
  const threads = new Set<Thread>();
  const waiting = new Set<Waiter>();
  let closed = false;

  async function run(task: FileTask, signal: AbortSignal, onAbort: OnAbort = 'leave'): Promise<Outcome> {
    signal.throwIfAborted();
    if (closed) throw new VaultgraphError('SHUTTING_DOWN', {});
    const thread = takeThread() ?? (await nextFreeThread(signal));
    return performTask(thread, task, patienceMs, signal, onAbort, refuseAllIfStuck);
  }

  function takeThread(): Thread | undefined {
    const idle = [...threads].find(({ busy }) => !busy) ?? (threads.size < most ? startThread() : undefined);
    if (idle !== undefined) idle.busy = true;
    else if (allStuck()) throw hangs();
    return idle;
  }

  function startThread(): Thread {
    const pulse = new Int32Array(new SharedArrayBuffer(PULSE_CELLS * Int32Array.BYTES_PER_ELEMENT));
    // Its standard output is kept apart, for ours belongs to the protocol; reading it would keep the process alive.
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_HEAP_MIB };
    const options = { name: 'vaultgraph-files', workerData: { ...setup, pulse }, stdout: true, resourceLimits };
    const worker = rememberThread(new Worker(script, options));
    const thread: Thread = { worker, pulse, busy: false, stuck: false, settle: () => {} };
    worker.unref();
    worker.on('message', (answer: FileAnswer) => {
      thread.settle(answer);
      hand(thread);
    });
    worker.on('error', (cause) => {
      threads.delete(thread);
      thread.settle(new VaultgraphError('INTERNAL', { kind: 'file_thread' }, { cause }));
      if (waiting.size > 0) hand(startThread());
    });
    threads.add(thread);
    return thread;
  }

  function hand(thread: Thread): void {
    thread.stuck = false;
    const [next] = waiting;
    thread.busy = next !== undefined;
    next?.go(thread);
  }

  function nextFreeThread(signal: AbortSignal): Promise<Thread> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => waiter.refuse(signal.reason);
      const leave = (): void => {
        waiting.delete(waiter);
        signal.removeEventListener('abort', giveUp);
      };
      const waiter: Waiter = {
        go(thread) {
          leave();
          resolve(thread);
        },
        refuse(error) {
          leave();
          reject(error);
        },
      };
      signal.addEventListener('abort', giveUp);
      waiting.add(waiter);
    });
  }

  const allStuck = (): boolean => threads.size === most && [...threads].every(({ stuck }) => stuck);
  const refuseAll = (error: VaultgraphError): void => {
    for (const waiter of [...waiting]) waiter.refuse(error);
  };
  const refuseAllIfStuck = (): void => {
    if (allStuck()) refuseAll(hangs());
  };

  async function close(): Promise<void> {
    closed = true;
    refuseAll(new VaultgraphError('SHUTTING_DOWN', {}));
    const ending = [...threads].map(({ worker, stuck, settle }) => {
      settle(new VaultgraphError('SHUTTING_DOWN', {}));
      const ended = worker.terminate();
      return stuck ? undefined : ended;
    });
    await Promise.all(ending);
  }

  return Object.freeze({ run, close });
}

function hangs(): VaultgraphError {
  return new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'ETIMEDOUT' });
}
