// Brings one path of a change to its state before or after it, whatever moment a kill left it in. What somebody else wrote there stays.

import { isErrno, linked, removeIfThere, rename, statsAt } from './disk.ts';
import { isSameFile } from './file-content.ts';
import { type FolderHandle, inFolder, inMadeFolder } from './folder-handle.ts';
import { atPartner, leave, rescue } from './remove-old.ts';
import { conflict, hashAt, otherThan, type Settling, type Side, type Slot } from './slot.ts';
import { arrive, isClaimed, prepare } from './write-new.ts';

/**
 * @returns whether the file came from its partner's place and is there no more
 * @throws WRITE_CONFLICT, NOTE_EXISTS, PATH_NOT_ALLOWED when it is in neither state; VAULT_UNAVAILABLE; the system's own errors
 */
export function settle(slot: Slot, side: Side, settling: Settling): boolean {
  try {
    if (slot.respelled === undefined) return settleContent(slot, side, settling);
    respell(slot, slot.respelled, side, settling);
    return false;
  } catch (thrown) {
    if (!isErrno(thrown, 'ENOENT')) throw thrown;
    settling.ground.checkRoot();
    throw conflict(slot.path, otherThan(slot, side), null);
  }
}

/** Whether a change that was committed did not come to it yet: what is to come lies beside it then, what is to go is still there. */
export function isPending(slot: Slot, settling: Settling): boolean {
  const { place, before, after, respelled, isCarried = false } = slot;
  const { ground, written, claim } = settling;
  return inFolder(ground, place.folder, (folder) => {
    if (folder === undefined) return false;
    if (respelled !== undefined) return namesIn(folder, settling).includes(respelled);
    const isThere = (name: string): boolean => statsAt(ground.disk, folder.at(name)) !== undefined;
    if (after !== null) return isThere(claim) || (isThere(written) && !isCarried);
    if (hashAt(slot, place.name, folder, settling) === before) return true;
    return isCarried && atPartner(folder.at(place.name), slot, settling).isSame;
  });
}

function settleContent(slot: Slot, side: Side, settling: Settling): boolean {
  const { ground } = settling;
  return inFolder(ground, slot.place.folder, (folder) => {
    if (folder !== undefined) return settleIn(folder, slot, side, settling);
    if (slot[side] === null) return false;
    if (otherThan(slot, side) !== null) throw conflict(slot.path, otherThan(slot, side), null);
    return inMadeFolder(ground, slot.place.folder, (made) => settleIn(made, slot, side, settling));
  });
}

function settleIn(folder: FolderHandle, slot: Slot, side: Side, settling: Settling): boolean {
  const [wanted, other] = [slot[side], otherThan(slot, side)];
  rescue(folder, slot, side, settling);
  const now = hashAt(slot, slot.place.name, folder, settling);
  const isFree = now === null || isClaimed(folder, slot.place.name, settling);
  if (wanted !== null && other === null && isFree && now !== wanted)
    return arrive(slot, side, wanted, folder, settling);
  if (wanted !== null && now === other && now !== wanted) replace(folder, slot, side, wanted, settling);
  else if (wanted === null && now !== null) leave(folder, slot, side, now, settling);
  else if (now !== wanted) throw conflict(slot.path, other, now);
  clear(folder, settling);
  return false;
}

/** The file there has a second name until it is sure that nobody wrote in it in the same moment. */
function replace(folder: FolderHandle, slot: Slot, side: Side, wanted: string, settling: Settling): void {
  const { disk } = settling.ground;
  const expected = otherThan(slot, side);
  const [target, kept] = [folder.at(slot.place.name), folder.at(settling.kept)];
  prepare(slot, wanted, folder, settling);
  const isKept = linked(disk, target, kept);
  const found = hashAt(slot, isKept ? settling.kept : slot.place.name, folder, settling);
  if (found !== expected || (isKept && !isSameFile(disk, kept, target))) {
    removeIfThere(disk, kept);
    throw conflict(slot.path, expected, hashAt(slot, slot.place.name, folder, settling));
  }
  rename(disk, folder.at(settling.written), target);
  rescue(folder, slot, side, settling);
}

/** Of a file that only its spelling changes of. */
function respell(slot: Slot, from: string, side: Side, settling: Settling): void {
  const { disk } = settling.ground;
  const [has, wants] = side === 'after' ? [from, slot.place.name] : [slot.place.name, from];
  inFolder(settling.ground, slot.place.folder, (folder) => {
    const names = folder === undefined ? [] : namesIn(folder, settling);
    if (names.includes(wants) && !names.includes(has)) return;
    if (names.includes(wants)) throw conflict(slot.path, null, hashAt(slot, wants, folder, settling));
    const now = hashAt(slot, has, folder, settling);
    if (now !== slot.before || folder === undefined) throw conflict(slot.path, slot.before, now);
    rename(disk, folder.at(has), folder.at(wants));
  });
}

const namesIn = (folder: FolderHandle, { ground }: Settling): readonly string[] =>
  ground.disk.readdirSync(folder.at('.'));

/** Takes away what was written on the way. */
export function tidy(slot: Slot, settling: Settling): void {
  inFolder(settling.ground, slot.place.folder, (folder) => {
    if (folder === undefined) return;
    rescue(folder, slot, 'before', settling);
    clear(folder, settling);
  });
}

function clear(folder: FolderHandle, { ground, written, claim }: Settling): void {
  for (const name of [written, claim]) removeIfThere(ground.disk, folder.at(name));
}
