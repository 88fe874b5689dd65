// Maps errors of SQLite and the file system to store errors by their code, and retries while the database is locked.
import { homedir } from 'node:os';
import { sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errnoOf } from '../../../base/errno.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import { faultAt } from '../../../base/system/presence.ts';
import { DamagedRow } from './checksum.ts';

interface Operation {
  /** One word, for the error's details. */
  readonly op: string;
  /** The absolute path of the database file. */
  readonly file: string;
}

export interface Attempt extends Operation {
  /** Throws once the caller has cancelled; called before every attempt. */
  readonly checkCancelled: () => void;
}

const MAX_WAIT_MS = 2_000;
const FIRST_PAUSE_MS = 25;
const MAX_PAUSE_MS = 200;

/**
 * Runs `work` again until no lock prevents it. The pauses leave the event loop free.
 * @throws STORE_BUSY if the lock is held for longer than `maxWaitMs`, and every other store error of `work`
 */
export async function retryWhileBusy<T>(attempt: Attempt, work: () => T, maxWaitMs = MAX_WAIT_MS): Promise<T> {
  const start = performance.now();
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    attempt.checkCancelled();
    try {
      return work();
    } catch (thrown) {
      const waited = Math.round(performance.now() - start);
      // A pause of a busy machine may take twice its time.
      if (!isBusy(thrown) || waited + 2 * pause > maxWaitMs) throw toStoreError(thrown, attempt, waited);
    }
    await sleep(pause);
  }
}

const FULL: ReadonlySet<string> = new Set([
  ...['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_IOERR_SHMSIZE'],
  ...['ENOSPC', 'EDQUOT', 'EFBIG'],
]);
const DAMAGED: ReadonlySet<string> = new Set(['SQLITE_NOTADB', 'SQLITE_IOERR_SHORT_READ', 'SQLITE_IOERR_CORRUPTFS']);
const READONLY: ReadonlySet<string> = new Set(['SQLITE_PERM', 'SQLITE_AUTH', 'EROFS', 'EACCES', 'EPERM']);
const UNOPENED: ReadonlySet<string> = new Set([
  'ENOENT',
  'ENOTDIR',
  'EISDIR',
  'EFTYPE',
  'EEXIST',
  'ELOOP',
  'ENAMETOOLONG',
  'EMFILE',
  'ENFILE',
]);

/** SQLite has one code for every fault of a statement. Ours are fixed texts, so what they name is missing only from a damaged file. */
const MISSING_OBJECT = /^no such (table|column|index)|^vtable constructor failed/;

/** Returns `thrown` itself if neither SQLite nor the file system threw it, and it does not come from a damaged value. */
export function toStoreError(thrown: unknown, { op, file }: Operation, waitedMs = 0): unknown {
  // The only syntax that is read at run time is that of stored JSON.
  if (thrown instanceof SyntaxError || thrown instanceof DamagedRow)
    return corruptError({ op, file }, 'SQLITE_CORRUPT', thrown);
  const code = codeOf(thrown);
  if (code === undefined || thrown instanceof VaultgraphError) return thrown;
  const cause = { cause: thrown };
  const details = { op, sqlite_code: code };
  const path = displayPath(file);
  if (isBusy(thrown)) return new VaultgraphError('STORE_BUSY', { ...details, waited_ms: waitedMs }, cause);
  if (FULL.has(code)) return new VaultgraphError('STORE_FULL', { ...details, file: path }, cause);
  if (isDamage(code, thrown)) return corruptError({ op, file }, code, thrown);
  if (READONLY.has(code) || code.startsWith('SQLITE_READONLY'))
    return new VaultgraphError('STORE_READONLY', { ...details, file: path }, cause);
  const unusable = (what: string) =>
    new VaultgraphError('STORE_UNAVAILABLE', { ...details, reason: `${path} cannot be ${what} (${code})` }, cause);
  // The system gives no locks: the engine has tried for seconds.
  if (code === 'SQLITE_PROTOCOL') return unusable('locked');
  if (UNOPENED.has(code) || code.startsWith('SQLITE_CANTOPEN')) return unusable('opened');
  if (code.startsWith('E') || code.startsWith('SQLITE_IOERR')) return unusable('read or written');
  return new VaultgraphError('STORE_ERROR', details, cause);
}

/** Whether the error is about a damaged database file, or about damaged tables of a database server, which a config key names. */
export const isCorruptionOf = (part: 'file' | 'server', thrown: unknown): thrown is VaultgraphError =>
  thrown instanceof VaultgraphError &&
  thrown.code === 'STORE_CORRUPT' &&
  'config_key' in Object(thrown.details) === (part === 'server');

/** Codes of the engine for damage, of which one read that the disk refuses is enough. */
export const DOUBTFUL = /^SQLITE_(?:CORRUPT|IOERR)/;

/** Whether a read that the disk refused once may be all there is to the error. */
export const isDoubtful = (thrown: unknown): thrown is VaultgraphError =>
  isCorruptionOf('file', thrown) && DOUBTFUL.test(String((thrown.details as { sqlite_code?: string }).sqlite_code));

/** What is left of such an error if another look finds no damage. */
export function refusedRead({ op, file }: Operation, { details, cause }: VaultgraphError): VaultgraphError {
  const { sqlite_code = 'SQLITE_IOERR' } = details as { sqlite_code?: string };
  const reason = `the disk refused to read ${displayPath(file)} once (${sqlite_code})`;
  const advice = 'Try again. If it happens again, ask the user to check the disk with that folder.';
  const retry = { retry: 'D', retryAfterMs: REFUSED_AGAIN_MS } as const;
  return new VaultgraphError('STORE_UNAVAILABLE', { op, sqlite_code, reason, advice }, { cause, ...retry });
}

/** @param madeAnewMs after how long this process makes a new index; undefined if it does not */
export function removedError(file: string, madeAnewMs?: number): VaultgraphError<'STORE_UNAVAILABLE'> {
  const reason = `${displayPath(file)} was removed while servers use it`;
  const details = { op: 'open', sqlite_code: 'ENOENT', reason };
  if (madeAnewMs === undefined) {
    const advice =
      'Ask the user to put it back, or to end all servers of this vault: the next one makes a new index from the notes.';
    return new VaultgraphError('STORE_UNAVAILABLE', { ...details, advice });
  }
  const advice = 'Try again after ten seconds: then a new index is made from the notes.';
  return new VaultgraphError('STORE_UNAVAILABLE', { ...details, advice }, { retry: 'D', retryAfterMs: madeAnewMs });
}

const REFUSED_AGAIN_MS = 1_000;

function isDamage(code: string, thrown: unknown): boolean {
  if (DAMAGED.has(code) || code.startsWith('SQLITE_CORRUPT')) return true;
  return code === 'SQLITE_ERROR' && thrown instanceof Error && MISSING_OBJECT.test(thrown.message);
}

export function corruptError({ op, file }: Operation, code: string, cause?: unknown): VaultgraphError<'STORE_CORRUPT'> {
  return new VaultgraphError('STORE_CORRUPT', { op, sqlite_code: code, file: displayPath(file) }, { cause });
}

/** Whether there is no such file. @throws STORE_UNAVAILABLE if the system refuses to look: then it is not known */
export function isMissing(file: string, op = 'open'): boolean {
  const errno = faultAt(file);
  if (errno !== undefined && errno !== 'ENOENT') throw unreadableError(file, op, errno);
  return errno !== undefined;
}

export function unreadableError(file: string, op: string, errno: string): VaultgraphError<'STORE_UNAVAILABLE'> {
  const reason = `${displayPath(file)} cannot be read (${errno})`;
  return new VaultgraphError('STORE_UNAVAILABLE', { op, sqlite_code: errno, reason });
}

/** The path with `~` for the home folder: errors are sent to clients and should not name the user. */
export function displayPath(file: string): string {
  const home = homedir() + sep;
  return file.startsWith(home) ? `~${sep}${file.slice(home.length)}` : file;
}

function isBusy(thrown: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(thrown) ?? '');
}

function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown) || typeof thrown.code !== 'string') return undefined;
  return thrown.name === 'SqliteError' || 'errno' in thrown ? errnoOf(thrown) : undefined;
}
