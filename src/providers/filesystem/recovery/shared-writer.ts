// A writer beside servers on other machines: it recovers under the lock of all of them, and knows where a change was made.
import { type DetailsOf, VaultgraphError } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import { outcomeOf } from '../../../base/outcome.ts';
import type { WriteLock } from '../../../contracts/session.ts';
import type { Change, Writer } from '../../../contracts/writer.ts';

export interface SharedWriterParts {
  readonly writer: Writer;
  readonly lock: WriteLock;
  /** The changes in the log of this machine that no process has finished. */
  readonly unfinished: () => Promise<readonly unknown[]>;
  readonly log: Log;
}

/** The caller of `apply` and `inverse` holds the lock. */
export function sharedWriter({ writer, lock, unfinished, log }: SharedWriterParts): Writer {
  /** The change itself is made: without the record another machine cannot say where. */
  const record = async (change: Pick<Change, 'id' | 'undoes'>): Promise<void> => {
    const outcome = await outcomeOf(lock.record(change));
    if ('error' in outcome) log('warn', 'change_not_recorded', { change_id: change.id, code: outcome.error.code });
  };
  const recover: Writer['recover'] = async (signal) => {
    const recovered = await writer.recover(signal);
    for (const { id, outcome } of recovered) if (outcome === 'finished') await record({ id });
    return recovered;
  };
  return Object.freeze<Writer>({
    ...writer,
    // A change that is left unfinished after this check needs no lock: the killed process still has it for some seconds.
    recover: async (signal) =>
      (await unfinished()).length === 0 ? writer.recover(signal) : lock.hold(signal, () => recover(signal)),
    apply: async (request, signal) => {
      const applied = await writer.apply(request, signal);
      await record(applied);
      return applied;
    },
    inverse: async (id, signal) => {
      const outcome = await outcomeOf(writer.inverse(id, signal));
      if ('value' in outcome) return outcome.value;
      throw id === undefined ? outcome.error : await withMachine(outcome.error, id, lock, signal);
    },
  });
}

async function withMachine(
  error: VaultgraphError,
  id: string,
  lock: WriteLock,
  signal: AbortSignal,
): Promise<VaultgraphError> {
  const machine = error.code === 'CHANGE_NOT_FOUND' ? await lock.machineOf(id, signal) : undefined;
  if (machine === undefined) return error;
  const details = error.details as DetailsOf<'CHANGE_NOT_FOUND'>;
  return new VaultgraphError('CHANGE_NOT_FOUND', { ...details, machine }, { cause: error });
}
