// Starts the worker threads, tracks those that run, and lets one of them end a process whose main thread is stuck.
import { write } from 'node:fs';
import { getEnvironmentData, setEnvironmentData, Worker, type WorkerOptions } from 'node:worker_threads';
import { isErrno } from '../errno.ts';
import { VaultgraphError } from '../errors.ts';
import { killSelf } from '../system/process.ts';
import { visibleText } from '../visible-controls.ts';

/** Applies to each thread. Without the limit much garbage, as of a first index, grows it several times as large, and it never shrinks. */
const YOUNG_HEAP_MIB = 4;

/** With too many open files Node says this of the package file that it cannot open. */
const UNOPENED_PACKAGE = 'ERR_INVALID_PACKAGE_CONFIG';

/** Why a task of a thread failed that ended: the system did not let it start, or a bug. @param kind of thread */
export const threadFailure = (kind: string, cause: unknown): VaultgraphError =>
  unstartedThread(cause) ?? new VaultgraphError('INTERNAL', { kind }, { cause });

/** Undefined for a thread that started. @param cause what it ended with */
export function unstartedThread(cause: unknown): VaultgraphError | undefined {
  const errno = startErrno(cause);
  return errno === undefined ? undefined : new VaultgraphError('VAULT_UNAVAILABLE', { errno }, { cause });
}

/** Why the system did not let a thread start, such as EMFILE; undefined if it did. @param cause what it ended with */
export function startErrno(cause: unknown): string | undefined {
  if (isErrno(cause, UNOPENED_PACKAGE)) return 'EMFILE';
  return isErrno(cause, 'ERR_WORKER_INIT_FAILED') ? /\bE[A-Z]{3,}$/.exec((cause as Error).message)?.[0] : undefined;
}

/** A thread inside a system call keeps the process from ending. */
const living = new Set<Worker>();

/** It does not keep the process running. @param maxHeapMib a thread that needs more ends with an error */
export function startThread(script: URL, options: WorkerOptions, maxHeapMib?: number): Worker {
  const resourceLimits = {
    maxYoungGenerationSizeMb: YOUNG_HEAP_MIB,
    ...(maxHeapMib !== undefined && { maxOldGenerationSizeMb: maxHeapMib }),
  };
  const worker = new Worker(script, { ...options, resourceLimits });
  living.add(worker);
  worker.once('exit', () => living.delete(worker));
  // Standard output belongs to the protocol, so what a package prints goes to standard error. (The option `stdout: true` would
  // do the same, but a stream that is read in that way keeps the process running.)
  worker.stdout.unpipe(process.stdout);
  worker.stderr.unpipe(process.stderr);
  const show = (text: string) => process.stderr.write(visibleText(text));
  for (const stream of [worker.stdout, worker.stderr]) stream.setEncoding('utf8').on('data', show).resume();
  worker.unref();
  return worker;
}

/** Terminates all threads. Never resolves if one is in a system call that does not return. */
export async function endThreads(): Promise<void> {
  await Promise.all([...living].map((worker) => worker.terminate()));
}

/**
 * The script `name` beside the code that starts it: TypeScript beside the sources, JavaScript in the build, which lays all its
 * files into one folder.
 * @param beside the starting module's `import.meta.url`
 */
export function threadScript(name: string, beside: string): URL {
  return new URL(`./${name}${beside.endsWith('.ts') ? '.ts' : '.js'}`, beside);
}

/** Every thread that starts later can see whether the main thread still runs its timers. */
interface MainThread {
  readonly cells: Int32Array;
  readonly checkMs: number;
}

const MAIN_THREAD = 'vaultgraph main thread';
/** Incremented by the main thread. */
const BEATS = 0;
/** 1 once a thread has found the main thread stuck. */
const IS_FOUND = 1;
/** Counted and not timed, so that time in which the whole process was suspended is not silence. */
const MAX_SILENT_CHECKS = 8;
const STDERR = 2;
/** For the last line to be written, which waits for its reader. */
const LAST_LINE_MS = 100;

/**
 * From now on, the process is killed once its main thread has been stuck in one piece of code for `limitMs`: then no signal handler
 * and no timer of its own can run. Call it before the threads start. A debugger may stop the main thread for as long as it likes.
 */
export function endIfStuck(limitMs: number): void {
  if (process.execArgv.some((option) => option.startsWith('--inspect'))) return;
  const cells = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const checkMs = Math.ceil(limitMs / MAX_SILENT_CHECKS);
  setEnvironmentData(MAIN_THREAD, { cells, checkMs } satisfies MainThread);
  setInterval(() => Atomics.add(cells, BEATS, 1), checkMs / 2).unref();
}

/** For every thread that may exist while the main thread works; of several, the first one that finds it stuck kills the process. */
export function watchMainThread(): void {
  const { cells, checkMs } = (getEnvironmentData(MAIN_THREAD) ?? {}) as Partial<MainThread>;
  if (cells === undefined) return;
  let beats = 0;
  let silentChecks = 0;
  setInterval(() => {
    const now = Atomics.load(cells, BEATS);
    silentChecks = now === beats ? silentChecks + 1 : 0;
    beats = now;
    if (silentChecks === MAX_SILENT_CHECKS && Atomics.exchange(cells, IS_FOUND, 1) === 0) killStuck();
  }, checkMs).unref();
}

function killStuck(): void {
  const line = { ts: new Date().toISOString(), level: 'error', event: 'main_thread_stuck' };
  write(STDERR, `${JSON.stringify(line)}\n`, () => undefined);
  setTimeout(killSelf, LAST_LINE_MS);
}
