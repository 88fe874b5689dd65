// Turns what SQLite and the file system throw into our own errors, by code and never by prose. The only file that knows those codes.
import { homedir } from 'node:os';
import { sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { VaultgraphError } from '../../../base/errors.ts';

interface Place {
  /** What was being done, one word. */
  readonly op: string;
  /** The database file, absolute. */
  readonly file: string;
}

const FULL: ReadonlySet<string> = new Set(['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'ENOSPC', 'EDQUOT', 'EFBIG']);
const DAMAGED: ReadonlySet<string> = new Set(['SQLITE_NOTADB', 'SQLITE_IOERR_SHORT_READ', 'SQLITE_IOERR_CORRUPTFS']);
const READONLY: ReadonlySet<string> = new Set(['SQLITE_PERM', 'SQLITE_AUTH', 'EROFS', 'EACCES', 'EPERM']);
const UNOPENED: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'EEXIST', 'ELOOP', 'ENAMETOOLONG']);

/** Whether the same statement may succeed once another connection lets go. */
export function isBusy(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return code !== undefined && /^SQLITE_(BUSY|LOCKED)/.test(code);
}

/** Whatever was thrown while the store worked, as our own error; what is no engine's or system's failure stays as it is. */
export function toStoreFault(thrown: unknown, { op, file }: Place, waitedMs = 0): unknown {
  const code = codeOf(thrown);
  if (code === undefined || thrown instanceof VaultgraphError) return thrown;
  const more = { cause: thrown };
  const details = { op, sqlite_code: code };
  const shown = shownPath(file);
  if (isBusy(thrown)) return new VaultgraphError('STORE_BUSY', { ...details, waited_ms: waitedMs }, more);
  if (FULL.has(code)) return new VaultgraphError('STORE_FULL', { ...details, file: shown }, more);
  if (DAMAGED.has(code) || code.startsWith('SQLITE_CORRUPT')) {
    return new VaultgraphError('STORE_CORRUPT', { ...details, file: shown }, more);
  }
  if (READONLY.has(code) || code.startsWith('SQLITE_READONLY')) {
    return new VaultgraphError('STORE_READONLY', { ...details, file: shown }, more);
  }
  if (UNOPENED.has(code) || code.startsWith('SQLITE_CANTOPEN')) {
    return new VaultgraphError(
      'STORE_UNAVAILABLE',
      { ...details, reason: `${shown} cannot be opened (${code})` },
      more,
    );
  }
  return new VaultgraphError('STORE_ERROR', details, more);
}

/** The user's own folder is written `~`: errors travel further than the machine. */
export function shownPath(file: string): string {
  const home = homedir() + sep;
  return file.startsWith(home) ? `~${sep}${file.slice(home.length)}` : file;
}

function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown) || typeof thrown.code !== 'string') return undefined;
  return thrown.name === 'SqliteError' || 'errno' in thrown ? thrown.code : undefined;
}

/** Milliseconds. */
const PATIENCE = 2_000;
const FIRST_PAUSE = 25;
const MAX_PAUSE = 200;

export interface Attempt {
  readonly op: string;
  readonly file: string;
  /** Throws when the caller has given up; asked before every attempt. */
  readonly stop: () => void;
}

/**
 * Runs `work` until it is not refused by a lock, for at most 2 s in all, or the milliseconds given.
 * @throws STORE_BUSY when the lock outlasts that, and every other store failure of `work`
 */
export async function retryWhileBusy<T>({ op, file, stop }: Attempt, work: () => T, patience = PATIENCE): Promise<T> {
  const start = performance.now();
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, MAX_PAUSE)) {
    stop();
    try {
      return work();
    } catch (thrown) {
      const waited = Math.round(performance.now() - start);
      if (!isBusy(thrown) || waited + pause > patience) throw toStoreFault(thrown, { op, file }, waited);
    }
    await sleep(pause);
  }
}
