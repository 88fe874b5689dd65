// Brings one path of a change to its state before or after it, whatever moment a kill left it in. What somebody else wrote there stays.
import { isErrno, linked, removeIfThere, rename, statsAt } from './disk.ts';
import { isSameFile } from './file-content.ts';
import { type FolderHandle, inFolder, inMadeFolder } from './folder-handle.ts';
import { numberedNames } from './free-name.ts';
import { conflict, hashAt, otherThan, type Settling, type Side, type Slot } from './slot.ts';
import { arrive, isClaimed, prepare, put } from './write-new.ts';

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

/** The file is put aside first, so that what is taken away is what was looked at. */
function leave(folder: FolderHandle, slot: Slot, side: Side, now: string, settling: Settling): void {
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
function rescue(folder: FolderHandle, slot: Slot, side: Side, settling: Settling): void {
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
function atPartner(file: string, slot: Slot, settling: Settling) {
  const { ground } = settling;
  const { partner } = slot;
  if (partner === undefined) return { isSame: false, hash: null };
  return inFolder(ground, partner.folder, (folder) => ({
    isSame: folder !== undefined && isSameFile(ground.disk, file, folder.at(partner.name)),
    hash: hashAt(slot, partner.name, folder, settling),
  }));
}
