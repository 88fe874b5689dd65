// Says whether something is at a path, and does not take the system's refusal to look for its absence.
import { statSync } from 'node:fs';
import { errnoOrRethrow } from '../errno.ts';

/** `ENOENT` if nothing is there; another code if the system does not let us look, or a file is in the way; undefined if something is there. */
export function faultAt(path: string): string | undefined {
  try {
    statSync(path);
    return undefined;
  } catch (thrown) {
    return errnoOrRethrow(thrown);
  }
}

/** Also if the system refuses to look. */
export const mayExist = (path: string): boolean => !['ENOENT', 'ENOTDIR'].includes(faultAt(path) ?? '');
