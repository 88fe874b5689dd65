// Runs heavy pure work off the main thread, one job at a time, on a thread that starts when needed and ends when idle.
import { Serial } from '../base/async/serial.ts';
import { deserializeError } from '../base/errors/serialized-error.ts';
import { toVaultgraphError, VaultgraphError } from '../base/errors.ts';
import { WorkerClient, type WorkerClientOptions } from '../base/threads/worker-client.ts';
import { threadScript } from '../base/threads/worker-threads.ts';
import { untilAborted } from '../base/until-aborted.ts';
import {
  type InputOf,
  type JobAnswer,
  type JobName,
  jobNamed,
  NEXT_SLICE,
  type OutputOf,
  type Request,
  type ThreadAnswer,
  type ThreadSetup,
  TRIM,
} from './jobs.ts';
import { listAt, type TakenApart } from './long-lists.ts';

export interface Compute {
  /**
   * Does small jobs at once on the caller's thread, others in turn on a thread of their own. The bytes of files to parse are
   * moved: afterwards the caller may find them empty. An abort ends a running job and rejects with the signal's reason.
   * @throws a `VaultgraphError` of the job; INTERNAL when it throws anything else or its thread ends; SHUTTING_DOWN after `close`
   */
  run<Name extends JobName>(job: Name, input: InputOf<Name>, signal: AbortSignal): Promise<OutputOf<Name>>;
  /** Ends the thread and rejects every running or waiting job with SHUTTING_DOWN. */
  close(): Promise<void>;
}

type Thread = WorkerClient<Request | typeof TRIM | typeof NEXT_SLICE, ThreadAnswer>;

/** A thread takes some hundred milliseconds to start and holds some 30 MiB: it outlives a short pause between calls, not a long one. */
const IDLE_MS = 10_000;
const ENTRY = threadScript('thread', import.meta.url);

export interface ComputeOptions {
  readonly idleMs?: number;
  /** Of the thread; by default that of the process. */
  readonly maxHeapMib?: number;
  /** Whether calls that wait for other threads go first. */
  readonly isBackground?: boolean;
}

export function createCompute(options: ComputeOptions = {}): Compute {
  const queue = new ComputeQueue(options);
  return Object.freeze({ run: queue.run.bind(queue) as Compute['run'], close: () => queue.close() });
}

class ComputeQueue {
  readonly #idleMs: number;
  readonly #options: Pick<WorkerClientOptions, 'maxHeapMib' | 'workerData'>;
  readonly #closing = new AbortController();
  #thread: Thread | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  readonly #turns = new Serial();
  #ended: Promise<unknown> = Promise.resolve();

  constructor({ idleMs = IDLE_MS, maxHeapMib, isBackground = false }: ComputeOptions) {
    this.#idleMs = idleMs;
    const workerData: ThreadSetup = { isBackground };
    this.#options = { workerData, ...(maxHeapMib !== undefined && { maxHeapMib }) };
  }

  async run(name: JobName, input: unknown, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    this.#closing.signal.throwIfAborted();
    if (jobNamed(name).isSmall(input)) return runInline(name, input);
    const answer = await this.#turns.run(() => this.#runOnThread(name, input, signal), signal, this.#closing.signal);
    if ('refusal' in answer) throw deserializeError(answer.refusal);
    return answer.output;
  }

  async close(): Promise<void> {
    this.#closing.abort(new VaultgraphError('SHUTTING_DOWN', {}));
    clearTimeout(this.#idleTimer);
    if (this.#thread !== undefined) this.#end(this.#thread);
    await this.#ended;
  }

  async #runOnThread(name: JobName, input: unknown, signal: AbortSignal): Promise<JobAnswer> {
    const thread = this.#livingThread();
    try {
      const packed = jobNamed(name).handOver(input);
      const asked = answerOf(thread, { job: name, input: packed.input }, packed.transfer);
      const answer = await untilAborted(asked, signal, this.#closing.signal);
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

function failure(cause: unknown): VaultgraphError {
  return new VaultgraphError('INTERNAL', { kind: 'compute' }, { cause });
}

async function runInline(name: JobName, input: unknown): Promise<unknown> {
  try {
    return await jobNamed(name).run(input);
  } catch (thrown) {
    throw toVaultgraphError(thrown);
  }
}
