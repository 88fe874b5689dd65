// Local paths: without their symbolic links, even if nothing is there yet, and in the short form that people read.
import { readlink, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { errnoOrRethrow, isErrno } from './errno.ts';
import { VaultgraphError } from './errors.ts';

/** With the links resolved in as much of the path as exists; a link to what does not exist yet leads where it would be created. */
export async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (thrown) {
    // A problem with the rest of the path is reported when it is opened.
    const isUnreached = isErrno(thrown, 'ENOENT', 'ENOTDIR', 'EACCES');
    if (!isUnreached || dirname(path) === path) throw thrown;
    const parent = await realPathOf(dirname(path));
    const target = await linkTarget(path);
    return target === undefined ? join(parent, basename(path)) : realPathOf(resolve(parent, target));
  }
}

/** Undefined if the path is not a link, or cannot be reached. */
async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT', 'ENOTDIR', 'EACCES', 'EINVAL', 'UNKNOWN')) return undefined;
    throw thrown;
  }
}

/** Whether `path` is the folder or below it. @param folder a real path @throws FILE_UNREADABLE if the disk does not say where it leads */
export async function liesInside(folder: string, path: string): Promise<boolean> {
  const real = await realPathOf(path).catch((thrown: unknown) => {
    throw new VaultgraphError('FILE_UNREADABLE', { path, errno: errnoOrRethrow(thrown) }, { cause: thrown });
  });
  return isBelow(folder, real);
}

/** Whether `path` is the folder or below it. Both are real paths. */
export function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !(way === '..' || way.startsWith('../') || way.startsWith('..\\') || isAbsolute(way));
}

/** With the home folder as `~`. @param path absolute */
export function shownPath(path: string): string {
  const home = homedir() + sep;
  return path.startsWith(home) ? `~${sep}${path.slice(home.length)}` : path;
}
