// Keeps a folder of the vault open while files in it change, so that swapping it for a link cannot redirect a write.
import { constants } from 'node:fs';
import { join } from 'node:path';
import { isErrno } from '../../../base/errno.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import { type Disk, statsAt, syncFolder, syncOpenFolder } from './disk.ts';
import { splitPath } from './place.ts';
import type { VaultRoot } from './vault-root.ts';

export interface FolderHandle {
  /** A path to a name in this very folder, even if the folder's own path leads elsewhere by now. */
  at(name: string): string;
  /** Makes changes of the folder's entries durable. */
  sync(): void;
  close(): void;
}

const FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
/** Errors for a folder that is, or is reached through, a link or a file. */
const NOT_A_FOLDER = ['ENOTDIR', 'ELOOP'];

/**
 * @param folder as spelled on disk, `` for the root
 * @param work gets undefined if the folder does not exist
 * @throws PATH_NOT_ALLOWED, VAULT_UNAVAILABLE; system errors
 */
export function inFolder<T>(vault: VaultRoot, folder: string, work: (handle: FolderHandle | undefined) => T): T {
  const handle = openFolder(vault, folder);
  try {
    return work(handle);
  } finally {
    handle?.close();
  }
}

/** Like `inFolder`, but creates the folder, and those above it, where missing. */
export function inCreatedFolder<T>(vault: VaultRoot, folder: string, work: (handle: FolderHandle) => T): T {
  return inFolder(vault, folder, (handle) => {
    if (handle !== undefined) return work(handle);
    createFolder(vault, folder);
    return inCreatedFolder(vault, folder, work);
  });
}

function createFolder(vault: VaultRoot, path: string): void {
  const { folder, name } = splitPath(path);
  inCreatedFolder(vault, folder, (parent) => {
    const stats = statsAt(vault.disk, parent.at(name));
    if (stats === undefined) vault.disk.mkdirSync(parent.at(name));
    else if (!stats.isDirectory()) throw notAFolder(path);
    parent.sync();
  });
}

function openFolder(vault: VaultRoot, folder: string): FolderHandle | undefined {
  const handle = handleAt(vault.disk, join(vault.root, folder), folder);
  try {
    vault.checkRoot();
    return handle;
  } catch (thrown) {
    handle?.close();
    throw thrown;
  }
}

function handleAt(disk: Disk, path: string, folder: string): FolderHandle | undefined {
  try {
    const handle = process.platform === 'linux' ? byDescriptor(disk, path) : byPath(disk, path);
    if (handle !== undefined) return handle;
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT')) return undefined;
    if (!isErrno(thrown, ...NOT_A_FOLDER)) throw thrown;
  }
  throw notAFolder(folder);
}

const notAFolder = (path: string): VaultgraphError =>
  new VaultgraphError('PATH_NOT_ALLOWED', { path, rule: 'its folder is a symbolic link or not a folder' });

/** Undefined if the path leads to another place. */
function byDescriptor(disk: Disk, path: string): FolderHandle | undefined {
  const descriptor = disk.openSync(path, FLAGS);
  const close = (): void => disk.closeSync(descriptor);
  const descriptorPath = `/proc/self/fd/${descriptor}`;
  try {
    if (disk.realpathSync.native(descriptorPath) === path)
      return { at: (name) => `${descriptorPath}/${name}`, sync: () => syncOpenFolder(disk, descriptor), close };
  } catch (thrown) {
    close();
    throw thrown;
  }
  close();
  return undefined;
}

/** Where a path cannot go through a descriptor, the folder's real path is checked at each use. */
function byPath(disk: Disk, path: string): FolderHandle | undefined {
  const isItself = (): boolean => disk.realpathSync.native(path).normalize('NFC') === path.normalize('NFC');
  if (!isItself()) return undefined;
  return {
    at(name) {
      if (!isItself()) throw notAFolder(name);
      return join(path, name);
    },
    sync: () => syncFolder(disk, path),
    close: () => undefined,
  };
}
