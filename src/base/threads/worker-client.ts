// A worker thread that answers one request at a time.
import type { Worker, WorkerOptions } from 'node:worker_threads';
import { startThread } from './worker-threads.ts';

/** `failure` makes the error of a request whose thread ended, or that could not be posted. */
export interface WorkerClientOptions extends Pick<WorkerOptions, 'name' | 'workerData'> {
  /** Starts the thread with the command-line options of the process, such as `--import`; by default with none. */
  readonly inheritsOptions?: boolean;
  /** A thread that needs more ends with an error. */
  readonly maxHeapMib?: number;
  readonly failure: (cause: unknown) => Error;
}

/** The thread starts at once. It keeps the process running only while it works on a request. */
export class WorkerClient<Request, Reply> {
  readonly #worker: Worker;
  readonly #failure: (cause: unknown) => Error;
  #pending: PromiseWithResolvers<Reply> | undefined;
  #thrown: unknown;
  #isAlive = true;

  constructor(script: URL, { failure, inheritsOptions = false, maxHeapMib, ...options }: WorkerClientOptions) {
    const worker = startThread(script, { ...options, ...(!inheritsOptions && { execArgv: [] }) }, maxHeapMib);
    this.#worker = worker;
    this.#failure = failure;
    worker.on('message', (reply: Reply) => this.#pending?.resolve(reply));
    worker.on('messageerror', (cause) => this.#fail(cause));
    worker.on('error', (thrown) => {
      this.#thrown = thrown;
    });
    worker.on('exit', (code) => {
      this.#isAlive = false;
      this.#thrown ??= `the thread ended with code ${code}`;
      this.#fail(this.#thrown);
    });
  }

  /** False once the thread has ended. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** @param transfer buffers that move to the thread instead of being copied @throws the `failure` of the options */
  async ask(request: Request, transfer: readonly ArrayBuffer[] = []): Promise<Reply> {
    // A thread that has ended takes requests and never answers.
    if (!this.#isAlive) throw this.#failure(this.#thrown);
    const pending = Promise.withResolvers<Reply>();
    this.#pending = pending;
    this.#worker.ref();
    try {
      this.#post(request, transfer);
      return await pending.promise;
    } finally {
      this.#pending = undefined;
      this.#worker.unref();
    }
  }

  /** Ends the thread at once, even in the middle of a request. */
  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #post(request: Request, transfer: readonly ArrayBuffer[]): void {
    try {
      this.#worker.postMessage(request, transfer);
    } catch (cause) {
      throw this.#failure(cause);
    }
  }

  #fail(cause: unknown): void {
    this.#pending?.reject(this.#failure(cause));
  }
}
