// Renames files and folders: the only place that asks the system to, except for the writer's own system calls.
import fs from 'node:fs';
import { rename } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isErrno } from '../errno.ts';
import { sleepSync } from './process.ts';

/** A virus scanner, a sync client or a server of a network drive has the file open, and closes it soon. */
const TEMPORARILY_LOCKED = ['EACCES', 'EBUSY', 'EPERM'];
const MAX_TRIES = 4;
const PAUSE_MS = 15;

/** Replaces a file at `to`. Retries while another program has one of the two locked. @throws system errors */
export async function renamePatiently(from: string, to: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await rename(from, to);
    } catch (thrown) {
      rethrowUnlessLocked(thrown, tries);
      await sleep(PAUSE_MS);
    }
  }
}

/** Does what `renamePatiently` does, and blocks the thread. */
export function renamePatientlySync(
  from: string,
  to: string,
  call: (from: string, to: string) => void = fs.renameSync,
): void {
  for (let tries = 1; ; tries += 1) {
    try {
      call(from, to);
      return;
    } catch (thrown) {
      rethrowUnlessLocked(thrown, tries);
      sleepSync(PAUSE_MS);
    }
  }
}

/** For work that is repeated anyway. @throws system errors */
export function renameOnceSync(from: string, to: string): void {
  fs.renameSync(from, to);
}

function rethrowUnlessLocked(thrown: unknown, tries: number): void {
  if (tries === MAX_TRIES || !isErrno(thrown, ...TEMPORARILY_LOCKED)) throw thrown;
}
