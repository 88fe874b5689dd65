// Resolves the symbolic links of a path that may not exist yet.
import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { isErrno } from './errno.ts';

/** With the links resolved in as much of the path as exists. */
export async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (thrown) {
    // A problem with the rest of the path is reported when it is opened.
    const isUnreached = isErrno(thrown, 'ENOENT', 'ENOTDIR', 'EACCES');
    if (!isUnreached || dirname(path) === path) throw thrown;
    return join(await realPathOf(dirname(path)), basename(path));
  }
}

/** Whether `path` is the folder or below it. @param folder a real path */
export async function liesInside(folder: string, path: string): Promise<boolean> {
  return isBelow(folder, await realPathOf(path));
}

/** Whether `path` is the folder or below it. Both are real paths. */
export function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !(way === '..' || way.startsWith('../') || way.startsWith('..\\') || isAbsolute(way));
}
