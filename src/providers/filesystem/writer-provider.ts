// The writer provider: changes the vault's files from one thread and logs every change outside the vault.
import { setTimeout as pause } from 'node:timers/promises';
import { NEVER } from '../../base/async/waits.ts';
import { deserializeError } from '../../base/errors/serialized-error.ts';
import { VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { errorOf } from '../../base/outcome.ts';
import type { Opened, Probe, Provider, ProviderContext } from '../../contracts/provider.ts';
import type { VaultConfig } from '../../contracts/vault.ts';
import type { Recovered, Writer } from '../../contracts/writer.ts';
import type { AnswerTo, LateWrite, LogFolders, WriteTask } from './file-task.ts';
import { FileThreadPool, type FileThreads } from './file-threads.ts';
import { filesystemProvider, THREAD_SCRIPT } from './filesystem-provider.ts';
import type { OnAbort } from './thread-handle.ts';
import { logFolders } from './writing/logged-change.ts';

/** No timer ends an operation, which may wait for changes before it: it ends by itself, or when the disk stops making progress. */
const LIMITS = {
  recover: 'bounded',
  apply: 'bounded',
  check: 'bounded',
  changes: 'bounded',
  inverse: 'bounded',
} as const;
/** A slow disk may take this long to make a large file durable. */
const PATIENCE_MS = 20_000;
/** One: changes are made one after the other. */
const THREADS = 1;
/** A process that has the lock lives, and finishes its change itself. */
const LATER_WAIT_MS = 100;
/** Less than the whole shutdown may take; the next start recovers a change that is cut off then. */
const MAX_CLOSE_MS = 900;

export const writerProvider: Provider<'writer', VaultConfig> = Object.freeze({
  capability: 'writer',
  type: 'filesystem',
  config: filesystemProvider.config,
  limits: () => LIMITS,
  open: async ({ exclude, read, write }: VaultConfig, context: ProviderContext) =>
    openWriter(
      new FileThreadPool(THREAD_SCRIPT, { root: context.vaultRoot, exclude, read, write }, PATIENCE_MS, THREADS),
      logFolders(context),
      context.log,
    ),
});

/** Does not touch the disk, so that a vault that hangs does not keep the server from starting. */
function openWriter(threads: FileThreads, folders: LogFolders, log: Log): Opened<Writer> {
  const tracked = new TrackedThreads(threads);
  const looks = new LateLooks(async () => {
    const outcome = await tracked.run({ kind: 'look', ...folders }, NEVER, 'wait');
    if (outcome.state === 'stuck') throw hangs(false);
    return outcome.answer.kind === 'look' ? outcome.answer : undefined;
  }, log);
  return Object.freeze({
    capability: createFolderWriter(tracked, folders, looks),
    probe: async (signal: AbortSignal) =>
      tracked.isWriting ? { ok: true, detail: 'a change is being written' } : probeLock(tracked, folders, signal),
    close: async () => {
      await looks.close();
      await tracked.close();
    },
  });
}

const LOCK_DETAILS = {
  folder: 'each change is logged; processes of this machine write in turn, by a lock on the folder itself',
  machine:
    'each change is logged; processes of this machine write in turn, by a lock outside the vault, as its file system has none',
};

/** Says where the lock is that keeps two processes from writing at once. */
async function probeLock(threads: FileThreads, folders: LogFolders, signal: AbortSignal): Promise<Probe> {
  const outcome = await threads.run({ kind: 'lock', ...folders }, signal, 'leave');
  if (outcome.state === 'stuck') throw hangs(false);
  const { answer } = outcome;
  if (answer.kind === 'lock') return { ok: true, detail: LOCK_DETAILS[answer.place] };
  const failure = deserializeError((answer as AnswerTo<'error'>).error);
  if (failure.code === 'FILE_WRITE_FAILED' && (failure.details as { readonly errno?: string }).errno === 'EBUSY')
    return { ok: true, detail: 'another process is writing a change' };
  return { ok: false, detail: failure.message, failure };
}

/** Threads whose `close` waits a while for the tasks that run. */
class TrackedThreads implements FileThreads {
  readonly #threads: FileThreads;
  readonly #running = new Set<Promise<unknown>>();
  #writing = 0;
  #isClosing = false;

  constructor(threads: FileThreads) {
    this.#threads = threads;
  }

  /** Whether a change is being written; a look at files that were replaced is none. */
  get isWriting(): boolean {
    return this.#writing > 0;
  }

  async run(...args: Parameters<FileThreads['run']>): ReturnType<FileThreads['run']> {
    if (this.#isClosing) throw new VaultgraphError('SHUTTING_DOWN', {});
    const run = this.#threads.run(...args);
    const weight = args[0].kind === 'look' ? 0 : 1;
    this.#running.add(run);
    this.#writing += weight;
    try {
      return await run;
    } finally {
      this.#running.delete(run);
      this.#writing -= weight;
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.race([Promise.allSettled(this.#running), pause(MAX_CLOSE_MS, undefined, { ref: false })]);
    await this.#threads.close();
  }
}

type TaskWithoutLog = {
  [Kind in WriteTask['kind']]: Omit<Extract<WriteTask, { kind: Kind }>, keyof LogFolders>;
}[WriteTask['kind']];

/** @param threads a single thread, because changes are made one after the other */
export function createFolderWriter(
  threads: FileThreads,
  folders: LogFolders,
  looks?: Pick<LateLooks, 'changed' | 'report'>,
): Writer {
  /** Recovered at the start and before each change: another process may be killed while this one runs. */
  const recovered: Recovered[] = [];
  let hasRecovered = false;

  /** A change that began to write is waited for: only its end says what became of it. */
  async function runWriteTask<Kind extends WriteTask['kind']>(
    task: TaskWithoutLog & { readonly kind: Kind },
    signal: AbortSignal,
    onAbort: OnAbort = 'leave',
  ): Promise<AnswerTo<Kind>> {
    const outcome = await threads.run({ ...task, ...folders } as WriteTask, signal, onAbort);
    if (outcome.state === 'stuck') throw hangs(outcome.isCommitted);
    const { answer } = outcome;
    if (answer.kind !== 'error') return answer as AnswerTo<Kind>;
    if (answer.error.code === 'CANCELLED') signal.throwIfAborted();
    throw deserializeError(answer.error);
  }

  async function recover(signal: AbortSignal): Promise<void> {
    const task = { kind: 'recover', ...(hasRecovered && { maxWaitMs: LATER_WAIT_MS }) } as const;
    const answer = await runWriteTask(task, signal, 'wait');
    recovered.push(...answer.recovered);
    looks?.report(answer.late);
    if (answer.recovered.length > 0) looks?.changed();
    hasRecovered = true;
  }

  /** Recovers once; if that fails, the next call tries again. */
  async function ensureRecovered(signal: AbortSignal): Promise<void> {
    if (!hasRecovered) await recover(signal);
  }

  /** What the log lists after a change that is half made, such as the change to undo, is known once it is recovered. */
  function recoverNext(thrown: unknown): never {
    if (isHalfMade(thrown)) hasRecovered = false;
    throw thrown;
  }

  return Object.freeze<Writer>({
    async recover(signal) {
      await recover(signal);
      return [...recovered];
    },
    async apply(request, signal, onBegun) {
      await ensureRecovered(signal);
      const answer = await runWriteTask({ kind: 'apply', request }, signal, onBegun ?? 'wait').catch(recoverNext);
      onBegun?.();
      // It can be listed and undone once it is recovered.
      if (!answer.isLogged) hasRecovered = false;
      recovered.push(...answer.recovered);
      looks?.report(answer.late);
      looks?.changed();
      return answer.change;
    },
    async check(request, signal) {
      await ensureRecovered(signal);
      await runWriteTask({ kind: 'check', request }, signal);
    },
    async changes(limit, signal) {
      await ensureRecovered(signal);
      return (await runWriteTask({ kind: 'changes', limit }, signal)).changes;
    },
    async inverse(id, signal) {
      await ensureRecovered(signal);
      const { kind: _kind, ...inverse } = await runWriteTask({ kind: 'inverse', id }, signal);
      return inverse;
    },
  });
}

const isHalfMade = (thrown: unknown): boolean =>
  thrown instanceof VaultgraphError && (thrown.details as { original_intact?: boolean }).original_intact === false;

/** @param isCommitted the thread then continues once the disk answers; if it is ended before, the next start finishes the change */
function hangs(isCommitted: boolean): VaultgraphError {
  if (!isCommitted) return new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'ETIMEDOUT' });
  const details = { path: 'the change', errno: 'ETIMEDOUT', step: 'write', original_intact: false };
  return new VaultgraphError('FILE_WRITE_FAILED', details);
}

/** Milliseconds after a change. */
const LOOKS_AT = [50, 200, 1_000, 3_000, 10_000];
/** A process that ends gives other programs at least this long after its last change. */
const LEAST_MS = 100;
/** A disk that hangs does not keep the process. */
const MAX_WAIT_MS = 500;

class LateLooks {
  readonly #look: () => Promise<AnswerTo<'look'> | undefined>;
  readonly #log: Log;
  #timer: NodeJS.Timeout | undefined;
  #changedAt: number | undefined;

  constructor(look: () => Promise<AnswerTo<'look'> | undefined>, log: Log) {
    this.#look = look;
    this.#log = log;
  }

  /** A change has been made. */
  changed(): void {
    this.#changedAt = performance.now();
    this.#schedule(0);
  }

  report(writes: readonly LateWrite[]): void {
    for (const { path, outcome } of writes) this.#log('warn', 'written_after_replace', { path, outcome });
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#changedAt === undefined) return;
    await pause(Math.max(0, this.#changedAt + LEAST_MS - performance.now()));
    await Promise.race([this.#lookNow(), pause(MAX_WAIT_MS, undefined, { ref: false })]);
  }

  #schedule(number: number): void {
    clearTimeout(this.#timer);
    const at = LOOKS_AT[number];
    if (at === undefined) this.#changedAt = undefined;
    if (at === undefined || this.#changedAt === undefined) return;
    const wait = Math.max(0, this.#changedAt + at - performance.now());
    this.#timer = setTimeout(() => void this.#lookNow().then(() => this.#schedule(number + 1)), wait).unref();
  }

  async #lookNow(): Promise<void> {
    const error = await errorOf(
      this.#look().then((answer) => {
        this.report(answer?.late ?? []);
        if (answer?.watched === 0) this.#changedAt = undefined;
      }),
    );
    if (error !== undefined && error.code !== 'SHUTTING_DOWN')
      this.#log('warn', 'written_after_replace', { code: error.code, category: error.category });
  }
}
