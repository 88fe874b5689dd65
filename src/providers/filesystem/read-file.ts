// Reads one file of the vault, or one of its settings files, without following links. Runs in a file thread.
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { errnoOrRethrow, isErrno } from '../../base/errno.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { foldersAbove, type NotePath } from '../../base/note.ts';
import { isEvicted } from '../../base/system/evicted-file.ts';
import {
  type FileContent,
  MAX_SETTINGS_BYTES,
  SETTINGS_FILES,
  type SettingsFile,
  type SettingsName,
} from '../../contracts/vault.ts';
import type { FileRequest } from './file-task.ts';
import type { OpenFolders } from './open-folders.ts';
import { brokenPathRule, type Exclusion, findOnDiskSpelling, stubOf } from './path-rules.ts';

const MAX_FILE_BYTES = 32 * 1024 * 1024;

/** Windows has neither flag; `lstat` reveals its links, and its folders hold no pipes. */
export const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
/** Small enough that a slow disk produces heartbeats. */
export const BYTES_PER_READ = 1024 * 1024;
const NO_LINKS = 'a symbolic link is not followed';
/** Only names beyond ASCII can be spelled differently on disk. */
const BEYOND_ASCII = /[^\0-\x7f]/;

/**
 * @param checkStop called after each piece; an error it throws ends the read
 * @throws PATH_NOT_ALLOWED, FILE_UNREADABLE, LIMIT_EXCEEDED
 */
export function readFile(
  folders: OpenFolders,
  exclusion: Exclusion,
  request: FileRequest,
  checkStop: () => void,
): FileContent {
  const { path } = request;
  const rule = brokenPathRule(path) ?? exclusion.ruleAgainst(path.normalize('NFC'));
  if (rule !== undefined) throw new VaultgraphError('PATH_NOT_ALLOWED', { path, rule });
  if (isOutside(folders, exclusion, path.normalize('NFC'))) throw systemError(path, 'ENOENT');
  try {
    return readRespelled(folders, { ...request, onDisk: request.onDisk ?? path }, checkStop);
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT') && hasStub(folders, path))
      throw new VaultgraphError('FILE_UNREADABLE', { path, errno: 'EVICTED' });
    throw toItemError(path, thrown);
  }
}

/** Whether only the placeholder of a file that is in the cloud exists. */
function hasStub(folders: OpenFolders, path: string): boolean {
  try {
    const stub = stubOf(path);
    return lstatSync(
      fileIn(folders, path, BEYOND_ASCII.test(path) ? findOnDiskSpelling(folders, stub) : stub),
    ).isFile();
  } catch (thrown) {
    errnoOrRethrow(thrown);
    return false;
  }
}

type Spelled = Required<Pick<FileRequest, 'path' | 'onDisk'>> & Pick<FileRequest, 'isSampled'>;

function readRespelled(folders: OpenFolders, file: Spelled, checkStop: () => void): FileContent {
  try {
    return readOnDisk(folders, file, checkStop);
  } catch (thrown) {
    if (!isErrno(thrown, 'ENOENT') || !BEYOND_ASCII.test(file.path)) throw thrown;
    return readOnDisk(folders, { ...file, onDisk: findOnDiskSpelling(folders, file.path) }, checkStop);
  }
}

/** Longer than the steps in which any file system keeps times. */
const SETTLED_MS = 3_000;

/** @param openedMs when the file was opened, on the clock of `Date.now()` */
function stampOf(stats: Stats, openedMs: number): { readonly stamp?: string } {
  const changedMs = Math.max(stats.mtimeMs, stats.ctimeMs);
  return openedMs - changedMs < SETTLED_MS ? {} : { stamp: stampText(stats) };
}

const stampText = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string => [dev, ino, size, mtimeMs, ctimeMs].join(' ');

/**
 * The returned function says whether a file is the very one that was read before, and as it was then. What is not is read, and fails, as
 * any other. It looks at each folder once.
 */
export function createUnchanged(root: string): (request: FileRequest) => boolean {
  const folders = new Map<string, boolean>();
  const isFolder = (folder: string): boolean => {
    const is = folders.get(folder) ?? lstatSync(join(root, folder)).isDirectory();
    folders.set(folder, is);
    return is;
  };
  return ({ path, onDisk = path, stamp }) => {
    if (stamp === undefined) return false;
    try {
      // A folder that has become a link may lead to the same file, outside the vault.
      return foldersAbove(onDisk).every(isFolder) && stampText(lstatSync(join(root, onDisk))) === stamp;
    } catch (thrown) {
      errnoOrRethrow(thrown);
      return false;
    }
  };
}

const linkError = (path: string): VaultgraphError => new VaultgraphError('PATH_NOT_ALLOWED', { path, rule: NO_LINKS });

function toItemError(path: string, thrown: unknown): VaultgraphError {
  if (thrown instanceof VaultgraphError) return thrown;
  const errno = errnoOrRethrow(thrown);
  return errno === 'ELOOP' ? linkError(path) : systemError(path, errno, thrown);
}

function systemError(path: string, errno: string, cause?: unknown): VaultgraphError {
  if (errno === 'ENOENT' && path.includes('\\'))
    return new VaultgraphError('PATH_NOT_ALLOWED', { path, rule: 'folders are separated by `/`' });
  return new VaultgraphError('FILE_UNREADABLE', { path, errno }, { cause });
}

/** Whether the file does not exist for a client. What is below a visible file cannot exist, which the system says itself. */
function isOutside(folders: OpenFolders, { view }: Exclusion, path: string): boolean {
  if (view.shows(path)) return false;
  return !foldersAbove(path).some((above) => view.shows(above) && !mayBeFolder(folders, above));
}

/** Whether a file, link or pipe is not in the way. */
function mayBeFolder(folders: OpenFolders, path: string): boolean {
  try {
    return lstatSync(fileIn(folders, path, path)).isDirectory();
  } catch (thrown) {
    if (!(thrown instanceof VaultgraphError)) errnoOrRethrow(thrown);
    return true;
  }
}

/** When the file was created; nothing if the file system does not record it. */
export function createdAt({ birthtimeMs }: Stats): { readonly createdMs?: number } {
  return birthtimeMs > 0 ? { createdMs: birthtimeMs } : {};
}

/** Checks the file but not the text of its path, which the caller must have checked. */
function readOnDisk(folders: OpenFolders, { path, onDisk, isSampled }: Spelled, checkStop: () => void): FileContent {
  const file = fileIn(folders, path, onDisk);
  checkReadable(path, lstatSync(file), isSampled);
  const openedMs = Date.now();
  const descriptor = openSync(file, OPEN_FLAGS);
  try {
    const stats = fstatSync(descriptor);
    checkReadable(path, stats, isSampled);
    if (!folders.isConfined(onDisk)) throw linkError(path);
    const { size } = stats;
    const isPart = isSampled && size > MAX_WHOLE_SAMPLE_BYTES;
    const bytes = isPart ? readParts(descriptor, size, checkStop) : readBytes(descriptor, size, checkStop);
    const content = { path: path as NotePath, bytes, sizeBytes: stats.size, modifiedMs: stats.mtimeMs };
    return { ...content, ...createdAt(stats), ...stampOf(stats, openedMs) };
  } finally {
    closeSync(descriptor);
  }
}

function fileIn(folders: OpenFolders, path: string, onDisk: string): string {
  const slash = onDisk.lastIndexOf('/');
  const folder = folders.pathOf(slash < 0 ? '' : onDisk.slice(0, slash));
  if (folder === undefined) throw linkError(path);
  return `${folder}/${onDisk.slice(slash + 1)}`;
}

/** Called before opening, so that only regular files that are present are opened, and again on the opened file. */
function checkReadable(path: string, stats: Stats, isSampled = false): void {
  if (stats.isSymbolicLink()) throw linkError(path);
  if (!stats.isFile())
    throw new VaultgraphError('FILE_UNREADABLE', { path, errno: stats.isDirectory() ? 'EISDIR' : 'ENXIO' });
  if (isEvicted(stats)) throw new VaultgraphError('FILE_UNREADABLE', { path, errno: 'EVICTED' });
  if (stats.size > MAX_FILE_BYTES && !isSampled)
    throw new VaultgraphError('LIMIT_EXCEEDED', {
      field: `the size of ${path} in bytes`,
      limit: MAX_FILE_BYTES,
      actual: stats.size,
      of: 'file',
    });
}

/** Reads into a buffer of its own, which can be transferred to another thread without a copy. */
function readBytes(descriptor: number, size: number, checkStop: () => void, from = 0): Uint8Array {
  const bytes = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    const count = readSync(descriptor, bytes, length, Math.min(size - length, BYTES_PER_READ), from + length);
    if (count === 0) break;
    length += count;
    checkStop();
  }
  return length === size ? bytes : bytes.slice(0, length);
}

const SAMPLES = 16;
const SAMPLE_BYTES = 16 * 1024;
/** Up to this, reading all of it costs little more. */
const MAX_WHOLE_SAMPLE_BYTES = SAMPLES * SAMPLE_BYTES;

/** At equal distances, with the beginning and the end: where formats have what differs with every edit. */
function readParts(descriptor: number, size: number, checkStop: () => void): Uint8Array {
  const step = (size - SAMPLE_BYTES) / (SAMPLES - 1);
  const parts = Array.from({ length: SAMPLES }, (_, at) =>
    readBytes(descriptor, SAMPLE_BYTES, checkStop, Math.floor(at * step)),
  );
  return new Uint8Array(Buffer.concat(parts));
}

/**
 * Takes a name from a fixed list instead of a path, so that no other file can be read.
 * @param configFolder in which Obsidian keeps the settings; it is looked for if it is absent
 */
export function readSettings(
  folders: OpenFolders,
  root: string,
  { name, configFolder }: { readonly name: SettingsName; readonly configFolder: string | undefined },
  checkStop: () => void,
): SettingsFile {
  let path: string = SETTINGS_FILES[name];
  try {
    const folder = findConfigFolder(root, configFolder);
    if ('fault' in folder) return { path, result: 'fault', reason: folder.fault };
    path = `${folder.folder}/${path}`;
    const { size } = lstatSync(fileIn(folders, path, path));
    if (size > MAX_SETTINGS_BYTES)
      return { path, result: 'fault', reason: `it is larger than ${MAX_SETTINGS_BYTES} bytes` };
    const { bytes } = readOnDisk(folders, { path, onDisk: path }, checkStop);
    return { path, result: 'text', text: new TextDecoder().decode(bytes) };
  } catch (thrown) {
    return { path, ...settingsFault(thrown) };
  }
}

/** Where `readSettings` looks for them. The name alone, if their folder is not known. */
export function settingsPath(root: string, name: SettingsName, configFolder: string | undefined): string {
  const file = SETTINGS_FILES[name];
  try {
    const folder = findConfigFolder(root, configFolder);
    return 'fault' in folder ? file : `${folder.folder}/${file}`;
  } catch (thrown) {
    errnoOrRethrow(thrown);
    return file;
  }
}

type Unread = { readonly result: 'nothing' } | { readonly result: 'fault'; readonly reason: string };

function settingsFault(thrown: unknown): Unread {
  if (isErrno(thrown, 'ENOENT', 'ENOTDIR')) return { result: 'nothing' };
  if (!(thrown instanceof VaultgraphError))
    return { result: 'fault', reason: `it cannot be read (${errnoOrRethrow(thrown)})` };
  if (thrown.code === 'PATH_NOT_ALLOWED') return { result: 'fault', reason: NO_LINKS };
  if (thrown.code !== 'FILE_UNREADABLE') throw thrown;
  const { errno } = (thrown as VaultgraphError<'FILE_UNREADABLE'>).details;
  return { result: 'fault', reason: `it cannot be read (${errno})` };
}

const USUAL = '.obsidian';
/** Obsidian writes some of them into every such folder. */
const MARKS = ['app.json', 'appearance.json', 'core-plugins.json', 'workspace.json', 'daily-notes.json'];

/** The folder, relative to the vault, or why it is not known. */
type ConfigFolder = { readonly folder: string } | { readonly fault: string };

/**
 * `.obsidian` decides if it is there. Obsidian takes only folders whose name begins with a dot.
 * @param root the vault's real path
 * @param chosen by the config
 * @throws system errors
 */
function findConfigFolder(root: string, chosen: string | undefined): ConfigFolder {
  if (chosen !== undefined) {
    const isThere = exists(join(root, chosen));
    return isThere ? { folder: chosen } : { fault: `the vault has no folder ${chosen}; correct vault.config_folder` };
  }
  if (exists(join(root, USUAL))) return { folder: USUAL };
  const hidden = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const names = hidden.map(({ name }) => name).filter((name) => name.startsWith('.'));
  const marked = names.filter((name) => MARKS.some((mark) => exists(join(root, name, mark)))).sort();
  const named = marked.filter((name) => name.startsWith(USUAL));
  const several = named.length > 0 ? named : marked;
  if (several.length <= 1) return { folder: several[0] ?? USUAL };
  const fault = `any of ${several.join(', ')} can be the folder of Obsidian's settings; set vault.config_folder`;
  return { fault };
}

function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT', 'ENOTDIR')) return false;
    throw thrown;
  }
}
