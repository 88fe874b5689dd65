// What may change the vault's files: the vault's own folder, a thread for it alone, and a log of changes outside it.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { VaultgraphError } from '../../base/errors.ts';
import { threadScript } from '../../base/worker-threads.ts';
import type { Opened, Probe, Provider, ProviderContext } from '../../contracts/provider.ts';
import type { Recovered, Writer } from '../../contracts/writer.ts';
import type { FileAnswer, WriteTask } from './file-task.ts';
import { type FileThreads, openFileThreads } from './file-threads.ts';
import { type FilesystemConfig, filesystemProvider } from './filesystem-provider.ts';
import { ask, revived } from './folder-vault.ts';
import type { OnAbort } from './perform-task.ts';

/** No timer may end what has begun to write: it ends by itself, or when the disk shows no sign of life. */
const LIMITS = { recover: 'bounded', apply: 'bounded', check: 20_000, changes: 20_000, inverse: 20_000 } as const;
/** A slow disk takes its time to make a large file durable. */
const PATIENCE_MS = 20_000;
/** Changes are made one after the other. */
const THREADS = 1;
/** Less than closing may take in all; what is cut off then is ended by the next start. */
const MAX_CLOSE_MS = 900;
const LOG = 'changes';
const THREAD_SCRIPT = threadScript('file-thread', import.meta.url);

export const writerProvider: Provider<'writer', FilesystemConfig> = Object.freeze({
  capability: 'writer',
  type: 'filesystem',
  config: filesystemProvider.config,
  limits: () => LIMITS,
  open: async ({ exclude }: FilesystemConfig, { vaultRoot, dataFolder }: ProviderContext) =>
    openWriter(
      openFileThreads(THREAD_SCRIPT, { root: vaultRoot, exclude }, PATIENCE_MS, THREADS),
      join(dataFolder, LOG),
    ),
});

/** Touches no disk, so that a vault that hangs does not keep the server from starting. */
function openWriter(threads: FileThreads, log: string): Opened<Writer> {
  const tracked = trackedThreads(threads);

  async function probe(signal: AbortSignal): Promise<Probe> {
    if (tracked.running.size > 0) return { ok: true, detail: 'a change is being written' };
    try {
      await ask(threads, { kind: 'probe' }, signal);
      return { ok: true, detail: 'the folder answers, and each change is logged' };
    } catch (thrown) {
      if (!(thrown instanceof VaultgraphError)) throw thrown;
      return { ok: false, detail: thrown.message };
    }
  }

  return Object.freeze({ capability: createFolderWriter(tracked, log), probe, close: tracked.close });
}

/** Closes once what is under way has ended, or has had its time. */
function trackedThreads(threads: FileThreads): FileThreads & { readonly running: ReadonlySet<unknown> } {
  const running = new Set<Promise<unknown>>();
  let closing = false;
  return Object.freeze<FileThreads & { readonly running: ReadonlySet<unknown> }>({
    running,
    async run(...given) {
      if (closing) throw new VaultgraphError('SHUTTING_DOWN', {});
      const run = threads.run(...given);
      running.add(run);
      try {
        return await run;
      } finally {
        running.delete(run);
      }
    },
    async close() {
      closing = true;
      await Promise.race([Promise.allSettled(running), pause(MAX_CLOSE_MS, undefined, { ref: false })]);
      await threads.close();
    },
  });
}

type AnswerTo<Kind> = Extract<FileAnswer, { kind: Kind }>;
type Asked = { [Kind in WriteTask['kind']]: Omit<Extract<WriteTask, { kind: Kind }>, 'log'> }[WriteTask['kind']];

/** @param threads one thread: changes are made one after the other. @param log the folder of the log of changes */
export function createFolderWriter(threads: FileThreads, log: string): Writer {
  /** What was ended so far, by the start and by each change: another process may be killed while this one runs. */
  const recovered: Recovered[] = [];
  let hasRecovered = false;

  /** What began to write is waited for, for only its end tells what became of it. */
  async function ask<Kind extends WriteTask['kind']>(
    task: Asked & { readonly kind: Kind },
    signal: AbortSignal,
    onAbort: OnAbort = 'leave',
  ): Promise<AnswerTo<Kind>> {
    const outcome = await threads.run({ ...task, log } as WriteTask, signal, onAbort);
    if (outcome.state === 'stuck') throw hangs(outcome.items > 0);
    const { answer } = outcome;
    if (answer.kind !== 'error') return answer as AnswerTo<Kind>;
    if (answer.error.code === 'CANCELLED') signal.throwIfAborted();
    throw revived(answer.error);
  }

  /** Once; where it fails, the next call tries again. */
  async function afterRecovery(signal: AbortSignal): Promise<void> {
    if (hasRecovered) return;
    const answer = await ask({ kind: 'recover' }, signal, 'wait');
    recovered.push(...answer.recovered);
    hasRecovered = true;
  }

  return Object.freeze<Writer>({
    async recover(signal) {
      await afterRecovery(signal);
      return [...recovered];
    },
    async apply(request, signal) {
      await afterRecovery(signal);
      const answer = await ask({ kind: 'apply', request }, signal, 'wait');
      recovered.push(...answer.recovered);
      return answer.change;
    },
    async check(request, signal) {
      await afterRecovery(signal);
      await ask({ kind: 'check', request }, signal);
    },
    async changes(limit, signal) {
      await afterRecovery(signal);
      return (await ask({ kind: 'changes', limit }, signal)).changes;
    },
    async inverse(id, signal) {
      await afterRecovery(signal);
      const { kind: _kind, ...inverse } = await ask({ kind: 'inverse', id }, signal);
      return inverse;
    },
  });
}

/** @param isCommitted then the thread goes on once the disk answers, and if it is ended before, the next start does */
function hangs(isCommitted: boolean): VaultgraphError {
  if (!isCommitted) return new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'ETIMEDOUT' });
  const details = { path: 'the change', errno: 'ETIMEDOUT', step: 'write', original_intact: false };
  return new VaultgraphError('FILE_WRITE_FAILED', details);
}
