// One file thread as the main thread sees it: gives it a task and waits for the answer, a timeout or an abort.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { VaultgraphError } from '../../base/errors.ts';
import { startThread, threadFailure } from '../../base/threads/worker-threads.ts';
import {
  type AnswerTo,
  type FileAnswer,
  type FileTask,
  type FoundFile,
  HEARTBEATS,
  IS_WORKING,
  ITEMS_DONE,
  largeBuffersOf,
  MORE,
  STATE_CELLS,
  stopTask,
} from './file-task.ts';

/**
 * `stuck`: no heartbeat at work for the whole patience, after `items` finished ones; a change that is committed is finished once the disk
 * answers. The thread is used again then.
 */
export type Outcome =
  | { readonly state: 'answered'; readonly answer: FileAnswer }
  | { readonly state: 'stuck'; readonly items: number; readonly isCommitted: boolean };

/**
 * What an abort does to the caller: `leave` rejects at once, `wait` only asks the thread to stop where it still can. So does a function,
 * which is called at once if it cannot.
 */
export type OnAbort = 'leave' | 'wait' | (() => void);

export interface ThreadListener {
  /** The thread has started and takes a task at once. */
  onStarted(thread: ThreadHandle): void;
  /** The thread answered and is free for another task. */
  onAnswer(thread: ThreadHandle): void;
  /** The thread stopped making progress. */
  onStuck(): void;
  /** The thread ended by itself. */
  onFailure(thread: ThreadHandle): void;
}

/** How many times the heartbeat is checked within the patience. */
const CHECKS = 5;
/** The time for a task to stop before its thread is ended. */
const MAX_STOP_MS = 500;
const STOP_POLL_MS = 10;

export class ThreadHandle {
  isBusy = false;
  isStuck = false;
  /** When it became free last. */
  freeSince = performance.now();
  readonly #worker: Worker;
  readonly #sharedState: Int32Array;
  readonly #patienceMs: number;
  readonly #listener: ThreadListener;
  #isListing = false;
  /** What has arrived of a long listing. */
  #files: FoundFile[] = [];
  #settle: (answer: FileAnswer | Error) => void = () => {};
  /** Why it ends. */
  #cause: unknown;
  #isClosed = false;

  /** @param setup `workerData` of the thread, besides `sharedState` */
  constructor(script: URL, setup: object, patienceMs: number, listener: ThreadListener) {
    this.#sharedState = new Int32Array(new SharedArrayBuffer(STATE_CELLS * Int32Array.BYTES_PER_ELEMENT));
    this.#patienceMs = patienceMs;
    this.#listener = listener;
    const workerData = { ...setup, sharedState: this.#sharedState };
    this.#worker = startThread(script, { name: 'vaultgraph-files', workerData });
    this.#worker.on('online', () => listener.onStarted(this));
    this.#worker.on('message', (answer: FileAnswer) => {
      if (answer.kind === 'part') return this.#addPart(answer);
      this.#settle(answer.kind === 'list' ? this.#whole(answer) : answer);
      this.#isListing = false;
      this.isStuck = false;
      this.freeSince = performance.now();
      listener.onAnswer(this);
    });
    this.#worker.on('error', (cause) => {
      this.#cause = cause;
    });
    // What it sent cannot be read.
    this.#worker.on('messageerror', (cause) => {
      this.#cause = cause;
      void this.#worker.terminate();
    });
    // A thread may end without an error, and never answers then.
    this.#worker.on('exit', (code) => {
      if (this.#isClosed) return;
      const cause = this.#cause ?? `exit code ${code}`;
      this.#settle(threadFailure('file_thread', cause));
      listener.onFailure(this);
    });
  }

  #addPart({ files }: AnswerTo<'part'>): void {
    this.#files.push(...files);
    this.#worker.postMessage(MORE);
  }

  #whole(answer: AnswerTo<'list'>): FileAnswer {
    const files = this.#files.length === 0 ? answer.listing.files : [...this.#files, ...answer.listing.files];
    this.#files = [];
    return { ...answer, listing: { ...answer.listing, files } };
  }

  /** Files found so far, if its task is to list the whole vault. */
  listed(): number {
    return this.#isListing ? Atomics.load(this.#sharedState, ITEMS_DONE) : 0;
  }

  /** An abort asks the thread to stop; it stays busy until it has. */
  perform(task: FileTask, signal: AbortSignal, onAbort: OnAbort): Promise<Outcome> {
    const state = this.#sharedState;
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        const isStopping = stopTask(state);
        if (onAbort === 'leave') reject(signal.reason);
        else if (!isStopping && onAbort !== 'wait') onAbort();
      };
      const release = (): void => {
        clearInterval(monitor);
        signal.removeEventListener('abort', stop);
        this.#worker.unref();
      };
      const giveUp = (): void => {
        release();
        // A task that was given up must not be carried out later, should the disk answer after all.
        const isCommitted = !stopTask(state);
        this.isStuck = true;
        this.#listener.onStuck();
        resolve({ state: 'stuck', items: Atomics.load(state, ITEMS_DONE), isCommitted });
      };
      const monitor = setInterval(heartbeatCheck(state, giveUp), this.#patienceMs / CHECKS);
      this.#settle = (answer) => {
        release();
        if (answer instanceof Error) reject(answer);
        else resolve({ state: 'answered', answer });
      };
      signal.addEventListener('abort', stop);
      state.fill(0);
      this.#isListing = task.kind === 'list' && task.paths === undefined && task.some === undefined;
      this.#worker.ref();
      this.#worker.postMessage(task, task.kind === 'apply' ? largeBuffersOf(task.request.operations) : []);
    });
  }

  /** Rejects the running task. Does not wait for a stuck thread: only the end of the process ends it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const isStopping = stopTask(this.#sharedState);
    this.#settle(new VaultgraphError('SHUTTING_DOWN', isStopping ? {} : { committed: 'partial' }));
    await this.#stop();
    const ended = this.#worker.terminate();
    if (!this.isStuck) await ended;
  }

  /** To end a thread that has been asked to stop in the middle of a call into native code may end the process. */
  async #stop(): Promise<void> {
    const state = this.#sharedState;
    const isAtWork = (): boolean => !this.isStuck && Atomics.load(state, IS_WORKING) === 1;
    for (let ms = 0; ms < MAX_STOP_MS && isAtWork(); ms += STOP_POLL_MS) await sleep(STOP_POLL_MS);
  }
}

/** Only time in which the thread works counts: a busy main thread or a slow start is not a disk that hangs. */
function heartbeatCheck(state: Int32Array, onSilent: () => void): () => void {
  let beats = 0;
  let silentChecks = 0;
  return () => {
    const now = Atomics.load(state, HEARTBEATS);
    const isSilent = now === beats && Atomics.load(state, IS_WORKING) === 1;
    silentChecks = isSilent ? silentChecks + 1 : 0;
    beats = now;
    if (silentChecks >= CHECKS) onSilent();
  };
}
