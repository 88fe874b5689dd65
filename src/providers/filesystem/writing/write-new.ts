// Creates or moves a file to a place that is free, without overwriting one that another program creates there meanwhile.
import { type Disk, removeIfPresent, rename, statsAt, tryLink } from './disk.ts';
import { createDurably, EMPTY_FILE, hashOf, NOT_A_FILE } from './file-content.ts';
import { type FolderHandle, inFolder } from './folder-handle.ts';
import { type Place, pathOf } from './place.ts';
import { conflict, type Side, type Slot, type SlotContext } from './slot.ts';

/**
 * @returns whether the file was moved from its partner's place
 * @throws EEXIST as a system error; WRITE_CONFLICT when the file to be moved has changed
 */
export function writeNew(slot: Slot, side: Side, wanted: string, folder: FolderHandle, context: SlotContext): boolean {
  if (slot.partner !== undefined && slot.isCarried)
    return moveFromPartner(slot, slot.partner, side, wanted, folder, context);
  const temporary = folder.at(context.temporary);
  writeTemporary(slot, wanted, folder, context);
  if (linkOrRename(temporary, folder, slot.place.name, context)) context.vault.disk.unlinkSync(temporary);
  return false;
}

/** Has the complete content in the temporary file; rewrites one that a kill left incomplete. */
export function writeTemporary(slot: Slot, hash: string, folder: FolderHandle, context: SlotContext): void {
  const { vault, temporary, bytesOf } = context;
  const file = folder.at(temporary);
  if (hashOf(vault.disk, file, slot.path, vault.heartbeat) === hash) return;
  removeIfPresent(vault.disk, file);
  createDurably(vault.disk, file, [bytesOf(hash)], slot.owned);
}

/** A rollback moves the file back with whatever content it has by then. */
function moveFromPartner(
  slot: Slot,
  partner: Place,
  side: Side,
  wanted: string,
  folder: FolderHandle,
  context: SlotContext,
): boolean {
  const { disk, heartbeat } = context.vault;
  return inFolder(context.vault, partner.folder, (from) => {
    const file = from?.at(partner.name);
    const found = file === undefined ? null : hashOf(disk, file, slot.path, heartbeat);
    const isExpected = found === wanted || (side === 'before' && found !== null && found !== NOT_A_FILE);
    if (file === undefined || !isExpected) throw conflict(pathOf(partner), wanted, found);
    return !linkOrRename(file, folder, slot.place.name, context);
  });
}

/** @returns true if `file` now has two names, false if it was renamed */
export function linkOrRename(file: string, folder: FolderHandle, name: string, context: SlotContext): boolean {
  const { disk } = context.vault;
  const isAlreadyReserved = isReserved(folder, name, context);
  if (!isAlreadyReserved && tryLink(disk, file, folder.at(name))) return true;
  if (!isAlreadyReserved) reserve(disk, folder.at(context.reservation), folder.at(name));
  rename(disk, file, folder.at(name));
  removeIfPresent(disk, folder.at(context.reservation));
  return false;
}

/**
 * Without links, creating an empty file at the target reserves the name, or fails if another program was faster. The marker
 * distinguishes this empty file from theirs.
 */
function reserve(disk: Disk, marker: string, target: string): void {
  disk.closeSync(disk.openSync(marker, 'w'));
  try {
    disk.closeSync(disk.openSync(target, 'wx'));
  } catch (thrown) {
    removeIfPresent(disk, marker);
    throw thrown;
  }
}

export function isReserved(folder: FolderHandle, name: string, { vault, reservation }: SlotContext): boolean {
  if (statsAt(vault.disk, folder.at(reservation)) === undefined) return false;
  return hashOf(vault.disk, folder.at(name), name, vault.heartbeat) === EMPTY_FILE;
}
