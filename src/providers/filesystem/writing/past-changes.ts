// Reads the logged changes of a vault without a writer. Creates, completes and locks nothing.
import { errnoOrRethrow } from '../../../base/errno.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import type { PastChange } from '../../../contracts/writer.ts';
import type { LogFolders } from '../file-task.ts';
import type { View } from '../view-globs.ts';
import { ChangeLog } from './change-log.ts';
import { realDisk } from './disk.ts';
import { listChanges, type ReadableLog } from './inverse-change.ts';
import { type LogEntry, logNameAt } from './logged-change.ts';

interface WholeLog extends ReadableLog {
  contentOf(id: string, hash: string): Uint8Array | undefined;
}

/**
 * Newest first, those of the view; also of a former log that was not moved yet.
 * @throws FILE_UNREADABLE, with EBADMSG for a damaged change
 */
export function pastChanges(folders: LogFolders, limit: number, view?: View): readonly PastChange[] {
  const log = wholeLog(folders);
  const changes = listChanges({ ...log, ...(view && { view }) }, limit, hasTouchedVault);
  return changes.map((change) => ({ change, contentOf: (hash) => log.contentOf(change.id, hash) }));
}

const hasTouchedVault = ({ stage }: LogEntry): boolean => stage !== 'begun';

/** The former log decides until it was moved, and is read first: what is moved meanwhile is then in the other. */
function wholeLog({ log, formerLog }: LogFolders): WholeLog {
  const logs = [formerLog, log].map((folder) => ({ folder, changes: new ChangeLog(realDisk, folder) }));
  const [former = [], current = []] = logs.map(({ folder, changes }) => readable(folder, () => changes.entries()));
  const entries = new Map([...current, ...former].map((entry) => [entry.id, entry]));
  const first = <T>(read: (changes: ChangeLog) => T | undefined): T | undefined => {
    for (const { folder, changes } of logs) {
      const found = readable(folder, () => read(changes));
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return {
    entries: () => [...entries.values()].sort((one, other) => (one.id < other.id ? 1 : -1)),
    intent: (id) => first((changes) => changes.intent(id)),
    contentOf: (id, hash) => first((changes) => changes.findImage(id, hash)),
  };
}

function readable<T>(folder: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    const errno = isDamaged(thrown) ? thrown.details.errno : errnoOrRethrow(thrown);
    const details = { path: logNameAt(folder), errno };
    throw new VaultgraphError('FILE_UNREADABLE', details, { cause: thrown });
  }
}

const isDamaged = (thrown: unknown): thrown is VaultgraphError<'FILE_WRITE_FAILED'> =>
  thrown instanceof VaultgraphError && thrown.code === 'FILE_WRITE_FAILED';
