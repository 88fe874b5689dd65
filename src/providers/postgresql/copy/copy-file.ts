// Names the file of the copy of the index on this machine.
import { createHash } from 'node:crypto';
import { join } from 'node:path';

const PREFIX = 'postgresql-';
const SUFFIX = '.db';

/** The copy of each original has a file of its own. */
export function copyFile(dataFolder: string, identity: string): string {
  const name = createHash('sha256').update(identity).digest('hex').slice(0, 12);
  return join(dataFolder, `${PREFIX}${name}${SUFFIX}`);
}

export const isCopy = (name: string): boolean => name.startsWith(PREFIX) && name.endsWith(SUFFIX);
