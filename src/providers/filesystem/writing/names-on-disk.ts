// What lies in the vault's folders, asked of the disk once for all the operations of a change. Writes nothing.
import { join } from 'node:path';
import { statsAt } from './disk.ts';
import type { Ground } from './vault-root.ts';

/** Two names that some system would take for one are one folded. */
export const folded = (name: string): string => name.normalize('NFC').toLowerCase();

export interface NamesOnDisk {
  /** As spelled on disk; none of a folder that is not there. */
  twinsOf(folder: string, name: string): readonly string[];
}

export function openNames({ disk, root }: Ground): NamesOnDisk {
  const known = new Map<string, ReadonlyMap<string, readonly string[]>>();
  const namesIn = (folder: string): readonly string[] =>
    statsAt(disk, join(root, folder)) === undefined ? [] : disk.readdirSync(join(root, folder));
  return {
    twinsOf(folder, name) {
      const names = known.get(folder) ?? Map.groupBy(namesIn(folder), folded);
      known.set(folder, names);
      return names.get(folded(name)) ?? [];
    },
  };
}
