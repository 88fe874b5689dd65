// A small pool of threads for all file operations: a hanging operation blocks its thread, and once all hang, calls fail at once.
import { VaultgraphError } from '../../base/errors.ts';
import { dialectForThread } from '../../base/threads/dialect.ts';
import type { FileTask } from './file-task.ts';
import { type OnAbort, type Outcome, ThreadHandle } from './thread-handle.ts';

/** Reading continues while two of them hang. */
const MAX_THREADS = 3;
/** A call waits so long for a thread that is at work before another one starts, which takes longer than most tasks. */
const START_AFTER_MS = 30;
/** A thread holds some 14 MiB. It ends after this time without a task. */
const IDLE_MS = 10_000;
/** The idle time of a thread besides the first. */
const EXTRA_IDLE_MS = 2_000;

export interface FileThreads {
  /**
   * @param onAbort `leave` by default
   * @throws the signal's reason; VAULT_UNAVAILABLE with ETIMEDOUT while every thread hangs; SHUTTING_DOWN; INTERNAL when the thread fails
   */
  run(task: FileTask, signal: AbortSignal, onAbort?: OnAbort): Promise<Outcome>;
  /** Does not wait for threads that hang: only the end of the process ends them. */
  close(): Promise<void>;
}

interface Waiter {
  resolve(thread: ThreadHandle): void;
  reject(error: unknown): void;
}

export class FileThreadPool implements FileThreads {
  readonly #startThread: () => ThreadHandle;
  readonly #maxThreads: number;
  readonly #idleMs: number;
  readonly #threads = new Set<ThreadHandle>();
  readonly #waiting = new Set<Waiter>();
  /** Threads that have no task yet. */
  readonly #starting = new Set<ThreadHandle>();
  #isClosed = false;
  #idleTimer: NodeJS.Timeout | undefined;

  /**
   * @param setup `workerData` of each thread, besides `sharedState`
   * @param patienceMs how long a thread may go without a heartbeat before it counts as stuck
   */
  constructor(script: URL, setup: object, patienceMs: number, maxThreads = MAX_THREADS, idleMs = IDLE_MS) {
    this.#maxThreads = maxThreads;
    this.#idleMs = idleMs;
    const workerData = { ...setup, ...dialectForThread() };
    this.#startThread = () => {
      const thread = new ThreadHandle(script, workerData, patienceMs, {
        onStarted: (started) => this.#starting.delete(started) && this.#handOver(started),
        onAnswer: (free) => this.#handOver(free),
        onStuck: () => this.#areAllStuck() && this.#rejectWaiting(hangs()),
        onFailure: (failed) => this.#replace(failed),
      });
      this.#threads.add(thread);
      return thread;
    };
  }

  async run(task: FileTask, signal: AbortSignal, onAbort: OnAbort = 'leave'): Promise<Outcome> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new VaultgraphError('SHUTTING_DOWN', {});
    const thread = this.#takeThread() ?? (await this.#nextFreeThread(signal));
    return thread.perform(task, signal, onAbort);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    this.#rejectWaiting(new VaultgraphError('SHUTTING_DOWN', {}));
    await Promise.all([...this.#threads].map((thread) => thread.close()));
  }

  /** Files that the listing of the whole vault in progress has found so far; 0 if there is none. */
  listed(): number {
    return [...this.#threads].reduce((sum, thread) => sum + thread.listed(), 0);
  }

  /** Ends idle threads. The first one gets the next task; the others were started for several calls at once. */
  #endIdle(): void {
    clearTimeout(this.#idleTimer);
    const [first] = this.#threads;
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    for (const thread of this.#threads) {
      if (thread.isBusy) continue;
      const left = thread.freeSince + (thread === first ? this.#idleMs : Math.min(this.#idleMs, EXTRA_IDLE_MS)) - now;
      if (left > 0) {
        next = Math.min(next, left);
      } else {
        this.#threads.delete(thread);
        void thread.close();
      }
    }
    if (next < Number.POSITIVE_INFINITY) this.#idleTimer = setTimeout(() => this.#endIdle(), next).unref();
  }

  #takeThread(): ThreadHandle | undefined {
    const idle = [...this.#threads].find(({ isBusy }) => !isBusy);
    if (idle === undefined && this.#areAllStuck()) throw hangs();
    if (idle !== undefined) idle.isBusy = true;
    return idle;
  }

  #isAnyAtWork(): boolean {
    return [...this.#threads].some(({ isStuck }) => !isStuck);
  }

  /** One at a time. Once it has started it takes the task that waits longest, unless another thread has taken it before. */
  #startAnother(): void {
    if (this.#threads.size === this.#maxThreads || this.#starting.size > 0) return;
    const thread = this.#startThread();
    thread.isBusy = true;
    this.#starting.add(thread);
  }

  /** Gives a free thread to the caller that has waited longest. */
  #handOver(thread: ThreadHandle): void {
    const [next] = this.#waiting;
    thread.isBusy = next !== undefined;
    next?.resolve(thread);
    this.#endIdle();
  }

  #replace(failed: ThreadHandle): void {
    this.#threads.delete(failed);
    this.#starting.delete(failed);
    if (this.#waiting.size > 0) this.#handOver(this.#startThread());
  }

  #nextFreeThread(signal: AbortSignal): Promise<ThreadHandle> {
    return new Promise((resolve, reject) => {
      // At once and not in a `finally`: a waiter that has left must not be given a thread.
      const leave = (): void => {
        this.#waiting.delete(waiter);
        clearInterval(timer);
        signal.removeEventListener('abort', onAbort);
      };
      const waiter: Waiter = {
        resolve: (thread) => {
          leave();
          resolve(thread);
        },
        reject: (error) => {
          leave();
          reject(error);
        },
      };
      const onAbort = (): void => waiter.reject(signal.reason);
      if (!this.#isAnyAtWork()) this.#startAnother();
      const timer = setInterval(() => this.#startAnother(), START_AFTER_MS);
      signal.addEventListener('abort', onAbort);
      this.#waiting.add(waiter);
    });
  }

  #areAllStuck(): boolean {
    return this.#threads.size === this.#maxThreads && [...this.#threads].every(({ isStuck }) => isStuck);
  }

  #rejectWaiting(error: VaultgraphError): void {
    for (const waiter of [...this.#waiting]) waiter.reject(error);
  }
}

const hangs = (): VaultgraphError => new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'ETIMEDOUT' });
