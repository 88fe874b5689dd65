// Checks whether the folder of the change log can be written or created, without creating it.
import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errnoOrRethrow } from '../base/errno.ts';
import { shownPath } from '../base/local-path.ts';

export interface StateFolder {
  /** With the home folder as `~`. */
  readonly path: string;
  /** What keeps changes from being written; reading continues. */
  readonly errno?: string;
}

/** @param path absolute, perhaps not there yet */
export async function checkStateFolder(path: string): Promise<StateFolder> {
  const errno = await faultOf(path);
  return { path: shownPath(path), ...(errno !== undefined && { errno }) };
}

/** Finds the fault of the folder, or else of the nearest existing one above it. */
async function faultOf(folder: string): Promise<string | undefined> {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    return (await stat(folder)).isDirectory() ? undefined : 'ENOTDIR';
  } catch (thrown) {
    const errno = errnoOrRethrow(thrown);
    const above = dirname(folder);
    return errno === 'ENOENT' && above !== folder ? faultOf(above) : errno;
  }
}
