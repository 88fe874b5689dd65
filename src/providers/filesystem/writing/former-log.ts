// Moves the change log out of the data folder, where earlier versions kept it, and makes those versions refuse to write.
import { join } from 'node:path';
import type { LogFolders } from '../file-task.ts';
import { BYTES_PER_READ } from '../read-file.ts';
import { PRIVATE_FILE } from './change-log.ts';
import { type Disk, namesIn, removeIfPresent, rename, statsAt, syncFolder, tryQuietly } from './disk.ts';
import { createDurably, hashOf, type ReadRange, withOpenFile } from './file-content.ts';
import { withLogLock } from './log-lock.ts';
import {
  CHANGE_LOG_NAME,
  damagedChange,
  fileNameOf,
  isLeftover,
  parseFileName,
  serializeNotice,
} from './logged-change.ts';
import { wrapLogError } from './write-context.ts';

/**
 * Left in place of the changes. Earlier versions take it for the oldest unfinished change, which they complete before they write
 * or list anything; it has no intent, so that they fail with FILE_WRITE_FAILED (EBADMSG).
 */
const MOVED = fileNameOf({ id: 'chg_000000000_000000', bytes: 0, stage: 'begun' });

/**
 * Moves the changes of the former log to the log, if there is one that was not moved before. Waits while an earlier version writes.
 * @param folders the log's must exist
 * @param checkStop called for each piece; what it throws leaves the former log in use
 * @throws FILE_WRITE_FAILED, which leaves the former log in use
 */
export function moveFormerLog(disk: Disk, folders: LogFolders, checkStop: () => void): void {
  const { formerLog } = folders;
  wrapLogError(formerLog, () => {
    if (statsAt(disk, formerLog) === undefined) return;
    if (hasMoved(disk, formerLog)) removeMoved(disk, formerLog);
    else
      withLogLock(disk, formerLog, checkStop, (keep) =>
        moveLocked(disk, folders, () => {
          keep();
          checkStop();
        }),
      );
  });
}

function moveLocked(disk: Disk, folders: LogFolders, checkStop: () => void): void {
  const { log, formerLog } = folders;
  if (hasMoved(disk, formerLog)) return;
  const names = namesIn(disk, formerLog).filter((name) => parseFileName(name) !== undefined);
  for (const name of names) copyChange(disk, name, folders, checkStop);
  wrapLogError(log, () => syncFolder(disk, log));
  leaveMark(disk, folders);
  removeMoved(disk, formerLog);
}

const hasMoved = (disk: Disk, formerLog: string): boolean => statsAt(disk, join(formerLog, MOVED)) !== undefined;

/** Until the mark is left the former log decides, so a copy that an interrupted move made at another stage is outdated. */
function copyChange(disk: Disk, name: string, { log, formerLog }: LogFolders, checkStop: () => void): void {
  const id = parseFileName(name)?.id;
  const [from, temporary] = [join(formerLog, name), join(log, `${name}.new`)];
  wrapLogError(log, () => {
    const outdated = namesIn(disk, log).filter((each) => parseFileName(each)?.id === id && each !== name);
    for (const each of [...outdated, `${name}.new`]) removeIfPresent(disk, join(log, each));
  });
  try {
    withOpenFile(disk, from, (read) => {
      const readFormer: ReadRange = (...range) => wrapLogError(formerLog, () => read(...range));
      const pieces = piecesOf(readFormer, checkStop);
      wrapLogError(log, () => createDurably(disk, temporary, pieces, { mode: PRIVATE_FILE }));
    });
    checkSame(disk, from, temporary, checkStop);
    wrapLogError(log, () => rename(disk, temporary, join(log, name)));
  } catch (thrown) {
    tryQuietly(() => removeIfPresent(disk, temporary));
    throw thrown;
  }
}

function* piecesOf(read: ReadRange, checkStop: () => void): Iterable<Uint8Array> {
  for (let offset = 0; ; ) {
    checkStop();
    const piece = read(offset, BYTES_PER_READ);
    if (piece.byteLength === 0) return;
    yield piece;
    offset += piece.byteLength;
  }
}

/** @throws FILE_WRITE_FAILED with EBADMSG */
function checkSame(disk: Disk, from: string, copy: string, checkStop: () => void): void {
  const hash = (file: string): string | null => hashOf(disk, file, CHANGE_LOG_NAME, checkStop);
  if (hash(from) !== hash(copy)) throw damagedChange();
}

/** Created under another name first, so that it is there completely or not at all. */
function leaveMark(disk: Disk, { log, formerLog }: LogFolders): void {
  const text = `This change log was moved to ${log} by a newer vaultgraph; this version must not write to the vault.`;
  const [mark, temporary] = [join(formerLog, MOVED), join(formerLog, `${MOVED}.new`)];
  removeIfPresent(disk, temporary);
  createDurably(disk, temporary, serializeNotice(text), { mode: PRIVATE_FILE });
  rename(disk, temporary, mark);
  syncFolder(disk, formerLog);
}

/** What a kill left of it is removed by the next move. */
function removeMoved(disk: Disk, formerLog: string): void {
  const moved = namesIn(disk, formerLog).filter((name) => name !== MOVED);
  for (const name of moved.filter((each) => isLeftover(each) || parseFileName(each) !== undefined))
    tryQuietly(() => removeIfPresent(disk, join(formerLog, name)));
}
