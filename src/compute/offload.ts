// Runs jobs beside the main thread: in turn, on one thread that comes and goes as needed.
import { toVaultgraphError, VaultgraphError } from '../base/errors.ts';
import { type InputOf, type Job, type JobName, jobNamed, type OutputOf } from './jobs.ts';
import { openThread, type Thread } from './open-thread.ts';
import { untilAborted } from './until-aborted.ts';

export interface Compute {
  /**
   * Does small jobs at once on the caller's thread, others in turn on a thread of their own. The bytes of files to parse are
   * handed over: afterwards the caller may find them empty. An abort ends a running job and rejects with the signal's reason.
   * @throws INTERNAL when the job throws or its thread ends; SHUTTING_DOWN after `close`
   */
  run<Name extends JobName>(job: Name, input: InputOf<Name>, signal: AbortSignal): Promise<OutputOf<Name>>;
  /** Ends the thread and rejects every job under way or waiting with SHUTTING_DOWN. */
  close(): Promise<void>;
}

/** A thread takes some hundred milliseconds to start and holds some thirty MiB: it outlives a pause between calls, not a long one. */
const IDLE_MS = 10_000;

export function createCompute(idleMs: number = IDLE_MS): Compute {
  const closing = new AbortController();
  let current: Thread | undefined;
  let ended: Promise<unknown> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;
  let lastTurn: Promise<void> = Promise.resolve();

  async function run(name: JobName, input: unknown, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    closing.signal.throwIfAborted();
    const job = jobNamed(name);
    if (job.isSmall(input)) return runInline(job, input);
    const before = lastTurn;
    const turn = Promise.withResolvers<void>();
    lastTurn = before.then(() => turn.promise);
    try {
      await untilAborted(before, [signal, closing.signal]);
      return await runOnThread(name, input, [signal, closing.signal]);
    } finally {
      turn.resolve();
    }
  }

  async function runOnThread(name: JobName, input: unknown, signals: readonly AbortSignal[]): Promise<unknown> {
    const thread = livingThread();
    try {
      const packed = jobNamed(name).handOver(input);
      const output = await untilAborted(thread.ask({ job: name, input: packed.input }, packed.transfer), signals);
      idle = setTimeout(end, idleMs, thread).unref();
      return output;
    } catch (thrown) {
      // Whatever state it is in, nothing runs on it again.
      end(thread);
      throw thrown;
    }
  }

  function livingThread(): Thread {
    clearTimeout(idle);
    if (current === undefined || !current.isAlive()) current = openThread();
    return current;
  }

  function end(thread: Thread): void {
    if (current === thread) current = undefined;
    ended = Promise.all([ended, thread.close()]);
  }

  async function close(): Promise<void> {
    closing.abort(new VaultgraphError('SHUTTING_DOWN', {}));
    clearTimeout(idle);
    if (current !== undefined) end(current);
    await ended;
  }

  return Object.freeze({ run: run as Compute['run'], close });
}

async function runInline(job: Job<unknown, unknown>, input: unknown): Promise<unknown> {
  try {
    return await job.run(input);
  } catch (thrown) {
    throw toVaultgraphError(thrown);
  }
}
