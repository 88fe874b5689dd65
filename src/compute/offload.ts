// Runs heavy pure work off the main thread, one job at a time, on a thread that starts when needed and ends when idle.
import { Serial } from '../base/async/serial.ts';
import { untilAborted } from '../base/async/waits.ts';
import { deserializeError } from '../base/errors/serialized-error.ts';
import { toVaultgraphError, VaultgraphError } from '../base/errors.ts';
import { dialectForThread, keepingDialect } from '../base/threads/dialect.ts';
import { letOthersRun } from '../base/threads/turns.ts';
import { WorkerClient, type WorkerClientOptions } from '../base/threads/worker-client.ts';
import { threadFailure, threadScript } from '../base/threads/worker-threads.ts';
import type { Compute, Job } from '../contracts/compute.ts';
import { type JobAnswer, NEXT_SLICE, nameOf, type Request, type ThreadAnswer, type ThreadSetup, TRIM } from './jobs.ts';
import { listAt, type TakenApart } from './long-lists.ts';

export interface ClosableCompute extends Compute {
  /** Ends the thread and rejects every running or waiting job with SHUTTING_DOWN. */
  close(): Promise<void>;
}

type Thread = WorkerClient<Request | typeof TRIM | typeof NEXT_SLICE, ThreadAnswer>;

/** A thread takes some hundred milliseconds to start and holds some 30 MiB: it outlives a short pause between calls, not a long one. */
const IDLE_MS = 10_000;
const ENTRY = threadScript('thread', import.meta.url);

export interface ComputeOptions {
  readonly idleMs?: number;
  /** The limit of the thread; by default that of the process. */
  readonly maxHeapMib?: number;
  /** Whether calls that wait for other threads go first. */
  readonly isBackground?: boolean;
}

export function createCompute(options: ComputeOptions = {}): ClosableCompute {
  const queue = new ComputeQueue(options);
  return Object.freeze({ run: queue.run.bind(queue), close: () => queue.close() });
}

class ComputeQueue {
  readonly #idleMs: number;
  readonly #options: Pick<WorkerClientOptions, 'maxHeapMib' | 'workerData'>;
  readonly #closing = new AbortController();
  #thread: Thread | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  readonly #runInline = keepingDialect(runInline);
  readonly #turns = new Serial();
  #ended: Promise<unknown> = Promise.resolve();

  constructor({ idleMs = IDLE_MS, maxHeapMib, isBackground = false }: ComputeOptions) {
    this.#idleMs = idleMs;
    const workerData: ThreadSetup = { isBackground, ...dialectForThread() };
    this.#options = { workerData, ...(maxHeapMib !== undefined && { maxHeapMib }) };
  }

  async run<Input, Output>(job: Job<Input, Output>, input: Input, signal: AbortSignal): Promise<Output> {
    signal.throwIfAborted();
    this.#closing.signal.throwIfAborted();
    if (job.isSmall(input)) return this.#runInline(job, input);
    // To copy a long text for the thread takes some milliseconds.
    await letOthersRun(signal);
    const answer = await this.#turns.run(() => this.#runOnThread(job, input, signal), signal, this.#closing.signal);
    if ('refusal' in answer) throw deserializeError(answer.refusal);
    return answer.output as Output;
  }

  async close(): Promise<void> {
    this.#closing.abort(new VaultgraphError('SHUTTING_DOWN', {}));
    clearTimeout(this.#idleTimer);
    if (this.#thread !== undefined) this.#end(this.#thread);
    await this.#ended;
  }

  async #runOnThread<Input, Output>(job: Job<Input, Output>, input: Input, signal: AbortSignal): Promise<JobAnswer> {
    const thread = this.#livingThread();
    try {
      const packed = job.handOver(input);
      const reply = answerOf(thread, { job: nameOf(job), input: packed.input }, packed.transfer);
      const answer = await untilAborted(reply, signal, this.#closing.signal);
      this.#idleTimer = setTimeout(() => this.#retire(thread), this.#idleMs).unref();
      return answer;
    } catch (thrown) {
      // The state of the thread is unknown, so nothing runs on it again.
      this.#end(thread);
      throw thrown;
    }
  }

  #livingThread(): Thread {
    clearTimeout(this.#idleTimer);
    const failure = (cause: unknown) => threadFailure('compute', cause);
    const options = { name: 'vaultgraph', failure, ...this.#options };
    if (this.#thread?.isAlive !== true) this.#thread = new WorkerClient(ENTRY, options);
    return this.#thread;
  }

  /** Memory that is not given back is no failure of any job. */
  #retire(thread: Thread): void {
    this.#thread = undefined;
    const trimmed = Promise.allSettled([thread.ask(TRIM)]);
    this.#ended = Promise.all([this.#ended, trimmed.then(() => thread.close())]);
  }

  #end(thread: Thread): void {
    if (this.#thread === thread) this.#thread = undefined;
    this.#ended = Promise.all([this.#ended, thread.close()]);
  }
}

/** The long lists of the output follow in slices: other calls run between their messages. */
async function answerOf(thread: Thread, request: Request, transfer: readonly ArrayBuffer[]): Promise<JobAnswer> {
  const answer = (await thread.ask(request, transfer)) as JobAnswer;
  if ('refusal' in answer) return answer;
  const lists = answer.places.map((place) => listAt(answer.output, place));
  for (let at = 0; at < answer.slices; at += 1) {
    const { place, items } = (await thread.ask(NEXT_SLICE)) as TakenApart['slices'][number];
    for (const item of items) lists[place]?.push(item);
  }
  return answer;
}

async function runInline<Input, Output>(job: Job<Input, Output>, input: Input): Promise<Output> {
  try {
    return await job.run(input);
  } catch (thrown) {
    throw toVaultgraphError(thrown);
  }
}
