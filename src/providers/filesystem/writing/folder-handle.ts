// Keeps a folder of the vault open while files in it change, so that swapping it for a link cannot redirect a write.
import { isErrno } from '../../../base/errno.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import { OpenFolders } from '../open-folders.ts';
import { type Disk, statsAt, syncFolder } from './disk.ts';
import { splitPath } from './place.ts';
import type { VaultRoot } from './vault-root.ts';

export interface FolderHandle {
  /** A path to a name in this very folder, even if the folder's own path leads elsewhere by now. */
  at(name: string): string;
  /** Makes changes of the folder's entries durable. */
  sync(): void;
  close(): void;
}

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

/** Does what `inFolder` does, but creates the folder, and those above it, where missing. */
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
  const folders = new OpenFolders(vault.root, vault.disk);
  try {
    const path = pathIn(folders, folder);
    vault.checkRoot();
    if (path !== undefined) return handleOf(vault.disk, folders, folder);
  } catch (thrown) {
    folders.close();
    throw thrown;
  }
  folders.close();
  return undefined;
}

/** Undefined if the folder does not exist. */
function pathIn(folders: OpenFolders, folder: string): string | undefined {
  try {
    return checkedPath(folders, folder);
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT')) return undefined;
    if (isErrno(thrown, ...NOT_A_FOLDER)) throw notAFolder(folder);
    throw thrown;
  }
}

function handleOf(disk: Disk, folders: OpenFolders, folder: string): FolderHandle {
  return {
    at: (name) => `${checkedPath(folders, folder)}/${name}`,
    sync: () => syncFolder(disk, checkedPath(folders, folder)),
    close: () => folders.close(),
  };
}

function checkedPath(folders: OpenFolders, folder: string): string {
  const path = folders.pathOf(folder);
  if (path === undefined) throw notAFolder(folder);
  return path;
}

const notAFolder = (path: string): VaultgraphError => {
  const instead = 'Ask the user to rename or remove what is there, or use another folder.';
  return new VaultgraphError('PATH_NOT_ALLOWED', { path, rule: 'it is a symbolic link or not a folder', instead });
};
