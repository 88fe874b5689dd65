// Reads one file, and only if it truly lies in the vault. Runs in a file thread.
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { VaultgraphError } from '../../base/errors.ts';
import type { NotePath } from '../../base/note.ts';
import type { FileContent } from '../../contracts/vault.ts';
import { errnoOf } from './errno.ts';
import { isEvicted } from './evicted.ts';
import type { Exclusion } from './exclusion.ts';
import type { FileRequest } from './file-task.ts';
import { findOnDiskSpelling } from './on-disk-spelling.ts';
import { brokenPathRule } from './vault-path.ts';

const MAX_FILE_BYTES = 32 * 1024 * 1024;

/** Windows knows neither flag; its links are caught by the real path, and it has no pipes in folders. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
/** Small enough that a slow disk shows signs of life. */
const BYTES_PER_READ = 1024 * 1024;
const NO_LINKS = 'a symbolic link is not followed';
/** Whatever lies beyond ASCII may be spelled otherwise on disk. */
const BEYOND_ASCII = /[^\0-\x7f]/;

/**
 * @param root the vault's real path
 * @param beat called as the bytes come in; what it throws ends the read
 * @throws PATH_NOT_ALLOWED, FILE_UNREADABLE, LIMIT_EXCEEDED
 */
export function readFile(root: string, exclusion: Exclusion, request: FileRequest, beat: () => void): FileContent {
  const { path } = request;
  const rule = brokenPathRule(path) ?? exclusion.ruleAgainst(path.normalize('NFC'));
  if (rule !== undefined) throw new VaultgraphError('PATH_NOT_ALLOWED', { path, rule });
  try {
    return readRespelled(root, { path, onDisk: request.onDisk ?? path }, beat);
  } catch (thrown) {
    throw toItemError(path, thrown);
  }
}

function readRespelled(root: string, file: Required<FileRequest>, beat: () => void): FileContent {
  try {
    return readOnDisk(root, file, beat);
  } catch (thrown) {
    if (thrown instanceof VaultgraphError || errnoOf(thrown) !== 'ENOENT' || !BEYOND_ASCII.test(file.path))
      throw thrown;
    return readOnDisk(root, { path: file.path, onDisk: findOnDiskSpelling(root, file.path) }, beat);
  }
}

function toItemError(path: string, thrown: unknown): VaultgraphError {
  if (thrown instanceof VaultgraphError) return thrown;
  const errno = errnoOf(thrown);
  if (errno === 'ELOOP') return new VaultgraphError('PATH_NOT_ALLOWED', { path, rule: NO_LINKS });
  if (errno === 'ENOENT' && path.includes('\\'))
    return new VaultgraphError('PATH_NOT_ALLOWED', { path, rule: 'folders are separated by `/`' });
  return new VaultgraphError('FILE_UNREADABLE', { path, errno }, { cause: thrown });
}

/** Checks all but the path's letters, which are the caller's to vouch for. */
export function readOnDisk(root: string, { path, onDisk }: Required<FileRequest>, beat: () => void): FileContent {
  const file = join(root, onDisk);
  checkReadable(path, lstatSync(file));
  const descriptor = openSync(file, OPEN_FLAGS);
  try {
    const stats = fstatSync(descriptor);
    checkReadable(path, stats);
    checkConfined(path, file);
    const bytes = readBytes(descriptor, stats.size, beat);
    return { path: path as NotePath, bytes, sizeBytes: stats.size, modifiedMs: stats.mtimeMs };
  } finally {
    closeSync(descriptor);
  }
}

/** Asked before opening, so that only plain, present files are opened, and again of what was opened. */
function checkReadable(path: string, stats: Stats): void {
  if (stats.isSymbolicLink()) throw new VaultgraphError('PATH_NOT_ALLOWED', { path, rule: NO_LINKS });
  if (!stats.isFile())
    throw new VaultgraphError('FILE_UNREADABLE', { path, errno: stats.isDirectory() ? 'EISDIR' : 'ENXIO' });
  if (isEvicted(stats)) throw new VaultgraphError('FILE_UNREADABLE', { path, errno: 'EVICTED' });
  if (stats.size > MAX_FILE_BYTES)
    throw new VaultgraphError('LIMIT_EXCEEDED', {
      field: `the size of ${path} in bytes`,
      limit: MAX_FILE_BYTES,
      actual: stats.size,
    });
}

/** Asked after opening, so that a folder swapped for a link in the meantime is seen. */
function checkConfined(path: string, file: string): void {
  if (realpathSync.native(file).normalize('NFC') === file.normalize('NFC')) return;
  throw new VaultgraphError('PATH_NOT_ALLOWED', { path, rule: NO_LINKS });
}

/** A buffer of its own, so that it can be handed from thread to thread without a copy. */
function readBytes(descriptor: number, size: number, beat: () => void): Uint8Array {
  const bytes = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    const read = readSync(descriptor, bytes, length, Math.min(size - length, BYTES_PER_READ), length);
    if (read === 0) break;
    length += read;
    beat();
  }
  return length === size ? bytes : bytes.slice(0, length);
}
