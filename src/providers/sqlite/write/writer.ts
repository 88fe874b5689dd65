// Has the writer thread do one job at a time, as promises.
import { Worker } from 'node:worker_threads';
import { VaultgraphError } from '../../../base/errors.ts';
import { rememberThread, threadScript } from '../../../base/worker-threads.ts';
import type { WriterAnswers, WriterJob, WriterReply, WriterRequest } from './writer-messages.ts';

export interface Writer {
  /** Waits for the jobs before it. An abort rolls back what is not committed. @throws what the job failed with, or the abort's reason */
  run<J extends WriterJob>(job: J, signal: AbortSignal): Promise<WriterAnswers[J['op']]>;
  /** Of the lease that was taken last and not freed since, lost or not; null without one. */
  token(): number | null;
  /** Gives up the job under way, and ends the thread. */
  close(): Promise<void>;
}

const ENTRY = threadScript('writer-thread', import.meta.url);

/** Milliseconds an idle thread gets to close its connection. */
const MAX_CLOSE = 1_000;

/** @param lost the token held in a file that lay there before: what was begun under it is refused */
export function createWriter(file: string, lost: number | null = null): Writer {
  const closing = new AbortController();
  let worker: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let held = lost;

  const startedWorker = (): Worker => {
    if (worker !== undefined) return worker;
    const started = startWorker(file);
    started.once('exit', () => {
      if (worker === started) worker = undefined;
    });
    worker = started;
    return started;
  };

  const runNext = async (job: WriterJob, token: number | null, signal: AbortSignal): Promise<unknown> => {
    signal.throwIfAborted();
    closing.signal.throwIfAborted();
    const answer = await ask(startedWorker(), job, token, [signal, closing.signal]);
    if (job.op === 'takeLease') held = (answer as WriterAnswers['takeLease']) ?? held;
    if (job.op === 'releaseLease' && answer === true && held === token) held = null;
    return answer;
  };

  return Object.freeze({
    token: () => held,
    run: <J extends WriterJob>(job: J, signal: AbortSignal) => {
      // What waits its turn is done under the lease it was asked under.
      const token = held;
      const next = last.then(() => runNext(job, token, signal));
      last = next.catch(() => undefined);
      return next as Promise<WriterAnswers[J['op']]>;
    },
    close: async () => {
      closing.abort(new VaultgraphError('SHUTTING_DOWN', {}));
      await last;
      if (worker !== undefined) await endWorker(worker);
    },
  });
}

function startWorker(file: string): Worker {
  const worker = rememberThread(new Worker(ENTRY, { name: 'vaultgraph-store', workerData: { file } }));
  // Standard output belongs to the protocol, whatever a package prints. (With the option `stdout` a thread that is read from
  // would keep the process alive.)
  worker.stdout.unpipe(process.stdout);
  worker.stdout.on('data', (chunk: Buffer) => process.stderr.write(chunk));
  worker.unref();
  return worker;
}

/** The process stays alive while a job runs, and only then. */
async function ask(
  worker: Worker,
  job: WriterJob,
  token: number | null,
  signals: readonly AbortSignal[],
): Promise<unknown> {
  const givenUp = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const giveUp = () => Atomics.store(givenUp, 0, 1);
  for (const signal of signals) signal.addEventListener('abort', giveUp);
  worker.ref();
  try {
    const request: WriterRequest = { ...job, token, givenUp };
    const reply = replyOf(worker, job.op);
    worker.postMessage(request);
    return answerIn(await reply, signals);
  } finally {
    worker.unref();
    for (const signal of signals) signal.removeEventListener('abort', giveUp);
  }
}

function replyOf(worker: Worker, op: string): Promise<WriterReply> {
  const { promise, resolve, reject } = Promise.withResolvers<WriterReply>();
  const onDeath = (cause: unknown) => {
    const reason = 'the writing thread ended; nothing of the job was kept';
    reject(new VaultgraphError('STORE_UNAVAILABLE', { op, reason }, { cause }));
  };
  worker.once('message', resolve).once('error', onDeath).once('exit', onDeath);
  return promise.finally(() => {
    worker.off('message', resolve).off('error', onDeath).off('exit', onDeath);
  });
}

function answerIn(reply: WriterReply, signals: readonly AbortSignal[]): unknown {
  if (reply.kind === 'done') return reply.answer;
  if (reply.kind === 'failed') throw new VaultgraphError(reply.code, reply.details, { cause: reply.cause });
  for (const signal of signals) signal.throwIfAborted();
  throw new VaultgraphError('INTERNAL', { kind: 'given_up_unasked' });
}

async function endWorker(worker: Worker): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  worker.once('exit', () => resolve());
  worker.ref();
  worker.postMessage('close');
  const timer = setTimeout(() => worker.terminate(), MAX_CLOSE);
  await promise;
  clearTimeout(timer);
}
