// The log on disk: lines appended to one file, which is kept from growing without bound.
import { closeSync, fstatSync, openSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from '../base/errno.ts';
import { VaultgraphError } from '../base/errors.ts';
import { makeFolder } from '../base/make-folder.ts';
import { renameOnceSync } from '../base/system/rename.ts';
import { faultOf, type OutputFile } from '../config/server-settings.ts';

/** Beyond it the file becomes `….1`, in the place of the one before, so that twice as much is kept at most. */
const MAX_LOG = 10 * 1024 * 1024;

export interface LogFile {
  /** Appends one line. `onFault` is called at the first failed write, and again only after a successful one. */
  write(line: string): void;
  close(): void;
}

/**
 * Several processes may append to one file: each line is one write at its end.
 * @param onFault called with the errno
 * @throws CONFIG_INVALID with the place of the setting
 */
export function openLogFile(file: OutputFile, onFault: (errno: string) => void, largest = MAX_LOG): LogFile {
  let descriptor = openAtStart(file);
  let isFaulty = false;

  /** If another process has already moved the file, this opens the new one. */
  function rotate(): void {
    const stats = fstatSync(descriptor);
    if (stats.size < largest) return;
    if (statSync(file.path, { throwIfNoEntry: false })?.ino === stats.ino) renameOnceSync(file.path, `${file.path}.1`);
    const next = openToAppend(file.path);
    closeSync(descriptor);
    descriptor = next;
  }

  return Object.freeze({
    write: (line: string) => {
      try {
        append(descriptor, Buffer.from(line));
        rotate();
        isFaulty = false;
      } catch (thrown) {
        if (!isFaulty) onFault(errnoOf(thrown));
        isFaulty = true;
      }
    },
    close: () => closeSync(descriptor),
  });
}

/** In one write, unless the system takes only the beginning. */
function append(descriptor: number, line: Buffer): void {
  for (let done = 0; done < line.byteLength; ) done += writeSync(descriptor, line, done);
}

function openAtStart(file: OutputFile): number {
  try {
    makeFolder(dirname(file.path), 0o700);
    return openToAppend(file.path);
  } catch (cause) {
    const fault = faultOf(file, `\`${file.key}\` cannot be opened for writing (${errnoOf(cause)})`);
    throw new VaultgraphError('CONFIG_INVALID', { faults: [fault] }, { cause });
  }
}

const openToAppend = (path: string): number => openSync(path, 'a', 0o600);
