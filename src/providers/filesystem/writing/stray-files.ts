// Finds what a change has written in folders that another program has moved within the vault since.
import type { Dirent } from 'node:fs';
import { statsAt, tryQuietly } from './disk.ts';
import { type FolderHandle, inFolder } from './folder-handle.ts';
import type { Place } from './place.ts';
import { hashAt, type Slot, type SlotContext } from './slot.ts';
import type { VaultRoot } from './vault-root.ts';

/** Removes the temporary files of a change. @param names that no other change has @param isKept of those that are found */
export function removeStrayFiles(
  vault: VaultRoot,
  names: ReadonlySet<string>,
  heartbeat = () => {},
  isKept: (name: string, folder: FolderHandle) => boolean = () => false,
): void {
  visitFolders(vault, heartbeat, (handle, entries) => {
    for (const { name } of entries)
      if (names.has(name) && !isKept(name, handle)) vault.disk.unlinkSync(handle.at(name));
  });
}

/** File systems keep times in steps of up to two seconds. */
const MAX_TIME_STEP_MS = 2_000;

/**
 * Where the new text of a slot is by now. It is recognized by its name, its content and its time: a file that is like it only by
 * chance is older, and of several none is taken.
 * @param since when the change began, in milliseconds since 1970
 */
export function placeByNow(slot: Slot, since: number, context: SlotContext): Place {
  const { place, after, isCarried, respelled } = slot;
  const { vault } = context;
  if (after === null || isCarried === true || respelled !== undefined) return place;
  const isHere = (folder: FolderHandle | undefined): boolean =>
    folder !== undefined && statsAt(vault.disk, folder.at(place.name)) !== undefined;
  if (inFolder(vault, place.folder, isHere)) return place;
  const strays: Place[] = [];
  visitFolders(vault, vault.heartbeat, (handle, entries, folder) => {
    if (!entries.some((entry) => entry.name === place.name && entry.isFile())) return;
    const isNew = vault.disk.lstatSync(handle.at(place.name)).mtimeMs >= since - MAX_TIME_STEP_MS;
    if (isNew && hashAt(slot, place.name, handle, context) === after) strays.push({ folder, name: place.name });
  });
  return strays.length === 1 ? (strays[0] ?? place) : place;
}

/** Visits every folder that the system lets it read, and follows no link. */
function visitFolders(
  vault: VaultRoot,
  heartbeat: () => void,
  visit: (handle: FolderHandle, entries: readonly Dirent[], path: string) => void,
): void {
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const path = folder;
    heartbeat();
    tryQuietly(() =>
      inFolder(vault, path, (handle) => {
        const entries = handle === undefined ? [] : vault.disk.readdirSync(handle.at('.'), { withFileTypes: true });
        for (const entry of entries) if (entry.isDirectory()) folders.push(`${path}${path && '/'}${entry.name}`);
        if (handle !== undefined) visit(handle, entries, path);
      }),
    );
  }
}
