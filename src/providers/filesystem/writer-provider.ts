// The writer provider: changes the vault's files from one thread and logs every change outside the vault.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { VaultgraphError } from '../../base/errors.ts';
import type { Opened, Provider, ProviderContext } from '../../contracts/provider.ts';
import type { Recovered, Writer } from '../../contracts/writer.ts';
import type { AnswerTo, WriteTask } from './file-task.ts';
import { FileThreadPool, type FileThreads } from './file-threads.ts';
import { type FilesystemConfig, filesystemProvider, probeFolder, THREAD_SCRIPT } from './filesystem-provider.ts';
import { toError } from './folder-vault.ts';
import type { OnAbort } from './thread-handle.ts';

/** No timer ends a change that has begun to write: it ends by itself, or when the disk stops making progress. */
const LIMITS = { recover: 'bounded', apply: 'bounded', check: 20_000, changes: 20_000, inverse: 20_000 } as const;
/** A slow disk may take this long to make a large file durable. */
const PATIENCE_MS = 20_000;
/** One: changes are made one after the other. */
const THREADS = 1;
/** Less than the whole shutdown may take; the next start recovers a change that is cut off then. */
const MAX_CLOSE_MS = 900;
const LOG_FOLDER = 'changes';

export const writerProvider: Provider<'writer', FilesystemConfig> = Object.freeze({
  capability: 'writer',
  type: 'filesystem',
  config: filesystemProvider.config,
  limits: () => LIMITS,
  open: async ({ exclude }: FilesystemConfig, { vaultRoot, dataFolder }: ProviderContext) =>
    openWriter(
      new FileThreadPool(THREAD_SCRIPT, { root: vaultRoot, exclude }, PATIENCE_MS, THREADS),
      join(dataFolder, LOG_FOLDER),
    ),
});

/** Does not touch the disk, so that a vault that hangs does not keep the server from starting. */
function openWriter(threads: FileThreads, log: string): Opened<Writer> {
  const tracked = new TrackedThreads(threads);
  return Object.freeze({
    capability: createFolderWriter(tracked, log),
    probe: async (signal: AbortSignal) =>
      tracked.isRunning
        ? { ok: true, detail: 'a change is being written' }
        : probeFolder(tracked, 'the folder answers, and each change is logged', signal),
    close: () => tracked.close(),
  });
}

/** Threads whose `close` waits a while for the tasks that run. */
class TrackedThreads implements FileThreads {
  readonly #threads: FileThreads;
  readonly #running = new Set<Promise<unknown>>();
  #isClosing = false;

  constructor(threads: FileThreads) {
    this.#threads = threads;
  }

  get isRunning(): boolean {
    return this.#running.size > 0;
  }

  async run(...args: Parameters<FileThreads['run']>): ReturnType<FileThreads['run']> {
    if (this.#isClosing) throw new VaultgraphError('SHUTTING_DOWN', {});
    const run = this.#threads.run(...args);
    this.#running.add(run);
    try {
      return await run;
    } finally {
      this.#running.delete(run);
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.race([Promise.allSettled(this.#running), pause(MAX_CLOSE_MS, undefined, { ref: false })]);
    await this.#threads.close();
  }
}

type TaskWithoutLog = {
  [Kind in WriteTask['kind']]: Omit<Extract<WriteTask, { kind: Kind }>, 'log'>;
}[WriteTask['kind']];

/** @param threads a single thread, because changes are made one after the other. @param log the change log's folder */
export function createFolderWriter(threads: FileThreads, log: string): Writer {
  /** Recovered at the start and before each change: another process may be killed while this one runs. */
  const recovered: Recovered[] = [];
  let hasRecovered = false;

  /** With `wait`, a change that began to write is waited for: only its end says what became of it. */
  async function runWriteTask<Kind extends WriteTask['kind']>(
    task: TaskWithoutLog & { readonly kind: Kind },
    signal: AbortSignal,
    onAbort: OnAbort = 'leave',
  ): Promise<AnswerTo<Kind>> {
    const outcome = await threads.run({ ...task, log } as WriteTask, signal, onAbort);
    if (outcome.state === 'stuck') throw hangs(outcome.items > 0);
    const { answer } = outcome;
    if (answer.kind !== 'error') return answer as AnswerTo<Kind>;
    if (answer.error.code === 'CANCELLED') signal.throwIfAborted();
    throw toError(answer.error);
  }

  /** Recovers once; if that fails, the next call tries again. */
  async function ensureRecovered(signal: AbortSignal): Promise<void> {
    if (hasRecovered) return;
    const answer = await runWriteTask({ kind: 'recover' }, signal, 'wait');
    recovered.push(...answer.recovered);
    hasRecovered = true;
  }

  return Object.freeze<Writer>({
    async recover(signal) {
      await ensureRecovered(signal);
      return [...recovered];
    },
    async apply(request, signal) {
      await ensureRecovered(signal);
      const answer = await runWriteTask({ kind: 'apply', request }, signal, 'wait');
      recovered.push(...answer.recovered);
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

/** @param isCommitted the thread then goes on once the disk answers; if it is ended before, the next start finishes the change */
function hangs(isCommitted: boolean): VaultgraphError {
  if (!isCommitted) return new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'ETIMEDOUT' });
  const details = { path: 'the change', errno: 'ETIMEDOUT', step: 'write', original_intact: false };
  return new VaultgraphError('FILE_WRITE_FAILED', details);
}
