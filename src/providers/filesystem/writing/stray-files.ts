// Removes the temporary files of a change from folders that another program has moved within the vault since they were made.
import { tryQuietly } from './disk.ts';
import { type FolderHandle, inFolder } from './folder-handle.ts';
import type { VaultRoot } from './vault-root.ts';

/** Reads every folder that the system lets it read, and follows no link. @param names that no other change has */
export function removeStrayFiles(vault: VaultRoot, names: ReadonlySet<string>, heartbeat = () => {}): void {
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const path = folder;
    heartbeat();
    tryQuietly(() =>
      inFolder(vault, path, (handle) => {
        if (handle !== undefined)
          for (const name of cleanFolder(vault, handle, names)) folders.push(`${path}${path && '/'}${name}`);
      }),
    );
  }
}

/** @returns the names of the folders in it */
function cleanFolder({ disk }: VaultRoot, handle: FolderHandle, names: ReadonlySet<string>): readonly string[] {
  const entries = disk.readdirSync(handle.at('.'), { withFileTypes: true });
  for (const { name } of entries) if (names.has(name)) disk.unlinkSync(handle.at(name));
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
