// How a file leaves its place, so that nothing goes that somebody wrote in it meanwhile, or that is the last of a text.

import { rename, statsAt } from './disk.ts';
import { isSameFile } from './file-content.ts';
import { type FolderHandle, inFolder } from './folder-handle.ts';
import { numberedNames } from './free-name.ts';
import { conflict, hashAt, otherThan, type Settling, type Side, type Slot } from './slot.ts';
import { isClaimed, put } from './write-new.ts';

/** The file is put aside first, so that what is taken away is what was looked at. */
export function leave(folder: FolderHandle, slot: Slot, side: Side, now: string, settling: Settling): void {
  const { disk } = settling.ground;
  const target = folder.at(slot.place.name);
  if (isClaimed(folder, slot.place.name, settling)) disk.unlinkSync(target);
  else if (mayGo(target, slot, side, now, settling)) rename(disk, target, folder.at(settling.kept));
  else throw conflict(slot.path, otherThan(slot, side), now);
  rescue(folder, slot, side, settling);
}

/** On the way back also with what was written in it, if it is the very file that is in its old place. */
function mayGo(file: string, slot: Slot, side: Side, now: string | null, settling: Settling): boolean {
  const isExpected = now === otherThan(slot, side) && !settling.isNeeded;
  if (side === 'after') return isExpected && hasItsNewPlace(slot, now, settling);
  return isExpected || (slot.isCarried === true && atPartner(file, slot, settling).isSame);
}

/** Of what moves: its new place may have been emptied by somebody, and then this is the last of it. */
function hasItsNewPlace(slot: Slot, now: string | null, settling: Settling): boolean {
  if (slot.partner === undefined) return true;
  const { hash } = atPartner('', slot, settling);
  return slot.isCarried === true ? hash === now : hash !== null;
}

/**
 * Lets go of what was put aside; what somebody wrote into it meanwhile goes back to its place.
 * @throws WRITE_CONFLICT then
 */
export function rescue(folder: FolderHandle, slot: Slot, side: Side, settling: Settling): void {
  const { disk } = settling.ground;
  const [target, kept] = [folder.at(slot.place.name), folder.at(settling.kept)];
  const late = hashAt(slot, settling.kept, folder, settling);
  if (late === null) return;
  if (isSameFile(disk, kept, target) || mayBeLetGo(kept, slot, side, late, settling)) {
    disk.unlinkSync(kept);
    return;
  }
  const now = hashAt(slot, slot.place.name, folder, settling);
  if (now !== null && (now === slot.before || now === slot.after)) rename(disk, kept, target);
  else putUnderFreeName(folder, slot.place.name, settling);
  throw conflict(slot.path, otherThan(slot, side), late);
}

function mayBeLetGo(kept: string, slot: Slot, side: Side, late: string, settling: Settling): boolean {
  const isKnown = late === slot.before || late === slot.after;
  if (side === 'after') return isKnown && (slot.after !== null || hasItsNewPlace(slot, late, settling));
  return isKnown || (slot.isCarried === true && atPartner(kept, slot, settling).isSame);
}

function putUnderFreeName(folder: FolderHandle, name: string, settling: Settling): void {
  const { ground, kept } = settling;
  for (const free of numberedNames(name)) {
    if (statsAt(ground.disk, folder.at(free)) !== undefined) continue;
    if (put(folder.at(kept), folder, free, settling)) ground.disk.unlinkSync(folder.at(kept));
    return;
  }
}

/** What is at the other place of what moves, and whether it is the file given. */
export function atPartner(file: string, slot: Slot, settling: Settling) {
  const { ground } = settling;
  const { partner } = slot;
  if (partner === undefined) return { isSame: false, hash: null };
  return inFolder(ground, partner.folder, (folder) => ({
    isSame: folder !== undefined && isSameFile(ground.disk, file, folder.at(partner.name)),
    hash: hashAt(slot, partner.name, folder, settling),
  }));
}
