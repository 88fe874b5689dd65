// The writer's work, handed to a file thread of its own and done in turn. Touches no file itself.
import { VaultgraphError } from '../../base/errors.ts';
import type { Recovered, Writer } from '../../contracts/writer.ts';
import type { FileAnswer, WriteTask } from './file-task.ts';
import type { FileThreads } from './file-threads.ts';
import { revived } from './folder-vault.ts';
import type { OnAbort } from './perform-task.ts';

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
