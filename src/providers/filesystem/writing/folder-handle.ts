// A folder of the vault held open while something is written in it, so that swapping it for a link meanwhile leads nowhere.
import { constants } from 'node:fs';
import { join } from 'node:path';
import { VaultgraphError } from '../../../base/errors.ts';
import { type Disk, isErrno, statsAt, syncFolder, syncOpenFolder } from './disk.ts';
import { split } from './place.ts';
import type { Ground } from './vault-root.ts';

export interface FolderHandle {
  /** The way to a name in this very folder, whatever its path leads to by now. */
  at(name: string): string;
  /** Makes what changed in it durable. */
  sync(): void;
  close(): void;
}

const FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
/** A folder that is, or is reached through, a link or a file. */
const NO_FOLDER = ['ENOTDIR', 'ELOOP'];

/**
 * @param folder as spelled on disk, `` for the root
 * @param work gets undefined where the folder is not there
 * @throws PATH_NOT_ALLOWED, VAULT_UNAVAILABLE; the system's own errors
 */
export function inFolder<T>(ground: Ground, folder: string, work: (handle: FolderHandle | undefined) => T): T {
  const handle = openFolder(ground, folder);
  try {
    return work(handle);
  } finally {
    handle?.close();
  }
}

/** As `inFolder`, but where the folder, or one above it, is not there it is made. */
export function inMadeFolder<T>(ground: Ground, folder: string, work: (handle: FolderHandle) => T): T {
  return inFolder(ground, folder, (handle) => {
    if (handle !== undefined) return work(handle);
    makeFolder(ground, folder);
    return inMadeFolder(ground, folder, work);
  });
}

function makeFolder(ground: Ground, path: string): void {
  const { folder, name } = split(path);
  inMadeFolder(ground, folder, (above) => {
    const stats = statsAt(ground.disk, above.at(name));
    if (stats === undefined) ground.disk.mkdirSync(above.at(name));
    else if (!stats.isDirectory()) throw noFolder(path);
    above.sync();
  });
}

function openFolder(ground: Ground, folder: string): FolderHandle | undefined {
  const handle = handleAt(ground.disk, join(ground.root, folder), folder);
  try {
    ground.checkRoot();
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
    if (!isErrno(thrown, ...NO_FOLDER)) throw thrown;
  }
  throw noFolder(folder);
}

const noFolder = (path: string): VaultgraphError =>
  new VaultgraphError('PATH_NOT_ALLOWED', { path, rule: 'its folder is a symbolic link, or no folder' });

/** Undefined for what is not at that path but somewhere else. */
function byDescriptor(disk: Disk, path: string): FolderHandle | undefined {
  const descriptor = disk.openSync(path, FLAGS);
  const close = (): void => disk.closeSync(descriptor);
  const held = `/proc/self/fd/${descriptor}`;
  try {
    if (disk.realpathSync.native(held) === path)
      return { at: (name) => `${held}/${name}`, sync: () => syncOpenFolder(disk, descriptor), close };
  } catch (thrown) {
    close();
    throw thrown;
  }
  close();
  return undefined;
}

/** Where a folder cannot be held open by number, its path is asked about again each time it is used. */
function byPath(disk: Disk, path: string): FolderHandle | undefined {
  const isItself = (): boolean => disk.realpathSync.native(path).normalize('NFC') === path.normalize('NFC');
  if (!isItself()) return undefined;
  return {
    at(name) {
      if (!isItself()) throw noFolder(name);
      return join(path, name);
    },
    sync: () => syncFolder(disk, path),
    close: () => undefined,
  };
}
