// Creates a folder and the missing ones above it.
import fs from 'node:fs';
import { dirname } from 'node:path';
import { flushFolder } from './atomic-write.ts';
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
    const made = makeFolder(path, mode, disk);
    return first ?? made;
  }
}

/** Does what `makeFolder` does, and flushes the names of new folders: a power loss could take them away, with what was flushed in them. */
export async function makeFolderDurably(path: string, mode?: number): Promise<string | undefined> {
  const topmost = makeFolder(path, mode);
  if (topmost === undefined) return undefined;
  let folder = path;
  for (; folder !== topmost; folder = dirname(folder)) await flushFolder(dirname(folder));
  await flushFolder(dirname(folder));
  return topmost;
}
