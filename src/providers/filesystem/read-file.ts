// Reads one file of the vault, or one of its settings files, without following links. Runs in a file thread.
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { errnoOrRethrow, isErrno } from '../../base/errno.ts';
import { VaultgraphError } from '../../base/errors.ts';
import type { NotePath } from '../../base/note.ts';
import {
  type FileContent,
  MAX_SETTINGS_BYTES,
  SETTINGS_FILES,
  type SettingsFile,
  type SettingsName,
} from '../../contracts/vault.ts';
import type { FileRequest } from './file-task.ts';
import { findOnDiskSpelling } from './on-disk-spelling.ts';
import { brokenPathRule, type Exclusion } from './path-rules.ts';
import { isEvicted } from './sync-artifacts.ts';

const MAX_FILE_BYTES = 32 * 1024 * 1024;

/** Windows has neither flag; the real path reveals its links, and its folders hold no pipes. */
export const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
/** Small enough that a slow disk produces heartbeats. */
export const BYTES_PER_READ = 1024 * 1024;
const NO_LINKS = 'a symbolic link is not followed';
/** Only names beyond ASCII can be spelled differently on disk. */
const BEYOND_ASCII = /[^\0-\x7f]/;

/**
 * @param root the vault's real path
 * @param checkStop called after each piece; an error it throws ends the read
 * @throws PATH_NOT_ALLOWED, FILE_UNREADABLE, LIMIT_EXCEEDED
 */
export function readFile(root: string, exclusion: Exclusion, request: FileRequest, checkStop: () => void): FileContent {
  const { path } = request;
  const rule = brokenPathRule(path) ?? exclusion.ruleAgainst(path.normalize('NFC'));
  if (rule !== undefined) throw new VaultgraphError('PATH_NOT_ALLOWED', { path, rule });
  try {
    return readRespelled(root, { path, onDisk: request.onDisk ?? path }, checkStop);
  } catch (thrown) {
    throw toItemError(path, thrown);
  }
}

function readRespelled(root: string, file: Required<FileRequest>, checkStop: () => void): FileContent {
  try {
    return readOnDisk(root, file, checkStop);
  } catch (thrown) {
    if (!isErrno(thrown, 'ENOENT') || !BEYOND_ASCII.test(file.path)) throw thrown;
    return readOnDisk(root, { path: file.path, onDisk: findOnDiskSpelling(root, file.path) }, checkStop);
  }
}

function toItemError(path: string, thrown: unknown): VaultgraphError {
  if (thrown instanceof VaultgraphError) return thrown;
  const errno = errnoOrRethrow(thrown);
  if (errno === 'ELOOP') return new VaultgraphError('PATH_NOT_ALLOWED', { path, rule: NO_LINKS });
  if (errno === 'ENOENT' && path.includes('\\'))
    return new VaultgraphError('PATH_NOT_ALLOWED', { path, rule: 'folders are separated by `/`' });
  return new VaultgraphError('FILE_UNREADABLE', { path, errno }, { cause: thrown });
}

/** Checks the file but not the text of its path, which the caller must have checked. */
function readOnDisk(root: string, { path, onDisk }: Required<FileRequest>, checkStop: () => void): FileContent {
  const file = join(root, onDisk);
  checkReadable(path, lstatSync(file));
  const descriptor = openSync(file, OPEN_FLAGS);
  try {
    const stats = fstatSync(descriptor);
    checkReadable(path, stats);
    checkConfined(path, file);
    const bytes = readBytes(descriptor, stats.size, checkStop);
    return { path: path as NotePath, bytes, sizeBytes: stats.size, modifiedMs: stats.mtimeMs };
  } finally {
    closeSync(descriptor);
  }
}

/** Called before opening, so that only regular files that are present are opened, and again on the opened file. */
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

/** Called after opening, so that a folder that was swapped for a link in the meantime is detected. */
function checkConfined(path: string, file: string): void {
  if (realpathSync.native(file).normalize('NFC') === file.normalize('NFC')) return;
  throw new VaultgraphError('PATH_NOT_ALLOWED', { path, rule: NO_LINKS });
}

/** Reads into a buffer of its own, which can be transferred to another thread without a copy. */
function readBytes(descriptor: number, size: number, checkStop: () => void): Uint8Array {
  const bytes = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    const read = readSync(descriptor, bytes, length, Math.min(size - length, BYTES_PER_READ), length);
    if (read === 0) break;
    length += read;
    checkStop();
  }
  return length === size ? bytes : bytes.slice(0, length);
}

/** Takes a name from a fixed list instead of a path, so that no other file can be read. @param root the vault's real path */
export function readSettings(root: string, name: SettingsName, checkStop: () => void): SettingsFile {
  const path = SETTINGS_FILES[name];
  try {
    const { size } = lstatSync(join(root, path));
    if (size > MAX_SETTINGS_BYTES) return { found: 'fault', reason: `it is larger than ${MAX_SETTINGS_BYTES} bytes` };
    const { bytes } = readOnDisk(root, { path, onDisk: path }, checkStop);
    return { found: 'text', text: new TextDecoder().decode(bytes) };
  } catch (thrown) {
    return settingsFault(thrown);
  }
}

function settingsFault(thrown: unknown): SettingsFile {
  if (isErrno(thrown, 'ENOENT', 'ENOTDIR')) return { found: 'nothing' };
  if (!(thrown instanceof VaultgraphError))
    return { found: 'fault', reason: `it cannot be read (${errnoOrRethrow(thrown)})` };
  if (thrown.code === 'PATH_NOT_ALLOWED') return { found: 'fault', reason: NO_LINKS };
  if (thrown.code !== 'FILE_UNREADABLE') throw thrown;
  const { errno } = (thrown as VaultgraphError<'FILE_UNREADABLE'>).details;
  return { found: 'fault', reason: `it cannot be read (${errno})` };
}
