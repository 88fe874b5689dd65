// Opens the newest copy on this machine to be taken over by another store: it is an index of its own, and needs no server.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreDriver, StoredIndex } from '../../../contracts/store.ts';
import { openStoredIndex } from '../../sqlite/stored-index.ts';
import { isCopy } from './copy-file.ts';
import { isWhole, readPosition } from './position.ts';

/** @returns the reason if there is none that can be copied */
export function openStoredCopy(dataFolder: string, driver: StoreDriver | undefined): StoredIndex | string {
  const names = existsSync(dataFolder) ? readdirSync(dataFolder).filter(isCopy) : [];
  const changedAt = (name: string): number => statSync(join(dataFolder, name)).mtimeMs;
  const [newest] = names.toSorted((one, other) => changedAt(other) - changedAt(one));
  if (newest === undefined) return 'there is no such index on this machine';
  return openStoredIndex(join(dataFolder, newest), driver, (rows) => isWhole(readPosition(rows)));
}
