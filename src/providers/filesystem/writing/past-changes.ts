// Reads the logged changes of a vault without a writer. Creates, completes and locks nothing.
import { errnoOrRethrow } from '../../../base/errno.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import type { PastChange } from '../../../contracts/writer.ts';
import type { LogFolders } from '../file-task.ts';
import type { View } from '../view-globs.ts';
import { ChangeLog } from './change-log.ts';
import { realDisk } from './disk.ts';
import { listChanges, type ReadableLog } from './inverse-change.ts';
import { type Damage, isDamagedChange, type LogEntry, logNameAt } from './logged-change.ts';

/**
 * Newest first, those of the view.
 * @throws FILE_UNREADABLE for a log that cannot be read
 */
export function pastChanges({ log: folder }: LogFolders, limit: number, view?: View): readonly PastChange[] {
  const log = new ChangeLog(realDisk, folder);
  const readable: ReadableLog = {
    entries: () => orUnreadable(folder, () => log.entries()),
    intent: (id) => orUnreadable(folder, () => log.intent(id)),
    ...(view && { view }),
  };
  return listChanges(readable, limit, hasTouchedVault).map((change) => ({
    change,
    contentOf: (hash) => orUnreadable(folder, () => log.findImage(change.id, hash)),
  }));
}

const hasTouchedVault = ({ stage }: LogEntry): boolean => stage !== 'begun';

/** A damaged change is named by its own error. */
function orUnreadable<T>(folder: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (isDamagedChange(thrown)) throw thrown;
    const details = { path: logNameAt(folder), errno: errnoOrRethrow(thrown) };
    throw new VaultgraphError('FILE_UNREADABLE', details, { cause: thrown });
  }
}

/** What `doctor` finds in the log: how many changes are as they were written, and what is not. */
export interface LogCheck {
  readonly intact: number;
  readonly damages: readonly Damage[];
}

/** Reads every kept text of every change. Changes nothing. @throws FILE_UNREADABLE */
export function checkLog({ log: folder }: LogFolders): LogCheck {
  const log = new ChangeLog(realDisk, folder);
  return orUnreadable(folder, () => {
    const entries = log.entries();
    const damages = entries.flatMap(({ id }) => log.damageOf(id) ?? []);
    return { intact: entries.length - damages.length, damages };
  });
}

/** Takes the damaged changes that were interrupted out of the log, so that tools can write again. @throws FILE_UNREADABLE */
export function setAsideDamaged(folders: LogFolders): readonly Damage[] {
  const unfinished = checkLog(folders).damages.filter((damage) => damage.unfinished);
  const log = new ChangeLog(realDisk, folders.log);
  return unfinished.map((damage) => ({
    ...damage,
    file: orUnreadable(folders.log, () => log.setAside(damage.change)),
  }));
}
