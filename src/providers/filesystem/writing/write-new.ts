// How a file comes to a place where none is, so that nothing that somebody put there meanwhile is overwritten.
import { type Disk, linked, removeIfThere, rename, statsAt } from './disk.ts';
import { createDurably, EMPTY_FILE, hashOf, NOT_PLAIN } from './file-content.ts';
import { type FolderHandle, inFolder } from './folder-handle.ts';
import { type Place, pathOf } from './place.ts';
import { conflict, type Settling, type Side, type Slot } from './slot.ts';

/**
 * @returns whether the file was taken from its partner's place
 * @throws EEXIST as the system says it; WRITE_CONFLICT when the file that was to come is another one by now
 */
export function arrive(slot: Slot, side: Side, wanted: string, folder: FolderHandle, settling: Settling): boolean {
  if (slot.partner !== undefined && slot.isCarried) return bring(slot, slot.partner, side, wanted, folder, settling);
  make(slot, wanted, folder, settling);
  return false;
}

function make(slot: Slot, wanted: string, folder: FolderHandle, settling: Settling): void {
  const written = folder.at(settling.written);
  prepare(slot, wanted, folder, settling);
  if (put(written, folder, slot.place.name, settling)) settling.ground.disk.unlinkSync(written);
}

/** Has the file whole under its temporary name; one that a kill left half written is made anew. */
export function prepare(slot: Slot, hash: string, folder: FolderHandle, settling: Settling): void {
  const { ground, written, bytesOf } = settling;
  const file = folder.at(written);
  if (hashOf(ground.disk, file, slot.path, ground.alive) === hash) return;
  removeIfThere(ground.disk, file);
  createDurably(ground.disk, file, [bytesOf(hash)], slot.owned);
}

/** Whoever takes a change back takes the file back as it is by then. */
function bring(
  slot: Slot,
  partner: Place,
  side: Side,
  wanted: string,
  folder: FolderHandle,
  settling: Settling,
): boolean {
  const { disk, alive } = settling.ground;
  return inFolder(settling.ground, partner.folder, (from) => {
    const file = from?.at(partner.name);
    const found = file === undefined ? null : hashOf(disk, file, slot.path, alive);
    const isGood = found === wanted || (side === 'before' && found !== null && found !== NOT_PLAIN);
    if (file === undefined || !isGood) throw conflict(pathOf(partner), wanted, found);
    return !put(file, folder, slot.place.name, settling);
  });
}

/** @returns whether `file` has two names now; false where it had to be renamed */
export function put(file: string, folder: FolderHandle, name: string, settling: Settling): boolean {
  const { disk } = settling.ground;
  const isMarked = isClaimed(folder, name, settling);
  if (!isMarked && linked(disk, file, folder.at(name))) return true;
  if (!isMarked) claim(disk, folder.at(settling.claim), folder.at(name));
  rename(disk, file, folder.at(name));
  removeIfThere(disk, folder.at(settling.claim));
  return false;
}

/** Taking the empty place first is how to be refused where somebody was faster; the mark tells this empty file from theirs. */
function claim(disk: Disk, mark: string, target: string): void {
  disk.closeSync(disk.openSync(mark, 'w'));
  try {
    disk.closeSync(disk.openSync(target, 'wx'));
  } catch (thrown) {
    removeIfThere(disk, mark);
    throw thrown;
  }
}

export function isClaimed(folder: FolderHandle, name: string, { ground, claim: mark }: Settling): boolean {
  if (statsAt(ground.disk, folder.at(mark)) === undefined) return false;
  return hashOf(ground.disk, folder.at(name), name, ground.alive) === EMPTY_FILE;
}
