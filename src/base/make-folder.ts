// Creates a folder and the missing ones above it.
import fs from 'node:fs';
import { dirname } from 'node:path';
import { isErrno } from './errno.ts';

/**
 * Each folder by itself: Node's recursive `mkdir` never returns where the system says ENOENT below a folder that exists, as in `/proc`.
 * @param path absolute
 * @returns the topmost folder that was created; undefined if all were there
 * @throws the system's error
 */
export function makeFolder(path: string, mode = 0o777, disk: Pick<typeof fs, 'mkdirSync'> = fs): string | undefined {
  try {
    disk.mkdirSync(path, { mode });
    return path;
  } catch (thrown) {
    if (isErrno(thrown, 'EEXIST') && fs.statSync(path).isDirectory()) return undefined;
    const above = dirname(path);
    if (!isErrno(thrown, 'ENOENT') || fs.existsSync(above)) throw thrown;
    const first = makeFolder(above, mode, disk);
    const own = makeFolder(path, mode, disk);
    return first ?? own;
  }
}
