// Brings one path of a change to its state before or after it, from any point where a kill stopped it. Keeps other programs' edits.
import { isErrno } from '../../../base/errno.ts';
import { type Disk, removeIfPresent, rename, statsAt, tryLink, tryQuietly } from './disk.ts';
import { createDurably, EMPTY_FILE, hashOf, isSameFile, NOT_A_FILE } from './file-content.ts';
import { type FolderHandle, inCreatedFolder, inFolder } from './folder-handle.ts';
import { numberedNames, type Place, pathOf } from './place.ts';
import { isRecentBackup } from './scratch-names.ts';
import { conflict, hashAt, oppositeHash, type ReplacedFile, type Side, type Slot, type SlotContext } from './slot.ts';
import { removeStrayFiles } from './stray-files.ts';

/** A file that one writer replaces has its own name and that of the backup. */
const NAMES_WHILE_REPLACED = 2;

/**
 * @returns whether the file was moved away from its partner's place
 * @throws WRITE_CONFLICT, NOTE_EXISTS, PATH_NOT_ALLOWED when it is in neither state; VAULT_UNAVAILABLE; system errors
 */
export function applyFile(slot: Slot, side: Side, context: SlotContext): boolean {
  try {
    if (slot.respelled === undefined) return applyContent(slot, side, context);
    applySpelling(slot, slot.respelled, side, context);
    return false;
  } catch (thrown) {
    if (!isErrno(thrown, 'ENOENT')) throw thrown;
    context.vault.checkRoot();
    throw conflict(slot.path, oppositeHash(slot, side), null);
  }
}

/** Whether a committed change has not reached this path yet: its new file is still a temporary one, or its old file still there. */
export function isPending(slot: Slot, context: SlotContext): boolean {
  const { place, before, after, respelled, isCarried = false } = slot;
  const { vault, temporary, reservation } = context;
  return inFolder(vault, place.folder, (folder) => {
    if (folder === undefined) return false;
    if (respelled !== undefined) return namesIn(folder, context).includes(respelled);
    const exists = (name: string): boolean => statsAt(vault.disk, folder.at(name)) !== undefined;
    if (after !== null)
      return exists(reservation) || (!isCarried && exists(temporary) && !isPlaced(folder, slot, context));
    if (hashAt(slot, place.name, folder, context) === before) return true;
    return isCarried && inspectPartner(folder.at(place.name), slot, context).isSame;
  });
}

/** Whether the temporary file is only a second name of the new file. */
const isPlaced = (folder: FolderHandle, { place }: Slot, { vault, temporary }: SlotContext): boolean =>
  isSameFile(vault.disk, folder.at(temporary), folder.at(place.name));

/** After the new file is durable. @returns whether there was something to remove */
export function removeSecondName(slot: Slot, context: SlotContext): boolean {
  return inFolder(context.vault, slot.place.folder, (folder) => {
    if (folder === undefined) {
      if (slot.after !== null) removeStrayFiles(context.vault, new Set([context.temporary]));
      return false;
    }
    // Another program may have replaced or deleted the new file meanwhile.
    const isLeft = (): boolean =>
      slot.after !== null && hashAt(slot, context.temporary, folder, context) === slot.after;
    if (!isPlaced(folder, slot, context) && !isLeft()) {
      if (slot.after !== null && hasNeither(folder, slot, context))
        removeStrayFiles(context.vault, new Set([context.temporary]));
      return false;
    }
    context.vault.disk.unlinkSync(folder.at(context.temporary));
    return true;
  });
}

function applyContent(slot: Slot, side: Side, context: SlotContext): boolean {
  const { vault } = context;
  return inFolder(vault, slot.place.folder, (folder) => {
    if (folder !== undefined) return applyIn(folder, slot, side, context);
    if (slot[side] === null) return false;
    if (oppositeHash(slot, side) !== null) throw conflict(slot.path, oppositeHash(slot, side), null);
    // It was there when the new text was written into it.
    if (side === 'after') removeStrayFiles(vault, new Set([context.temporary, context.reservation]));
    return inCreatedFolder(vault, slot.place.folder, (created) => applyIn(created, slot, side, context));
  });
}

function applyIn(folder: FolderHandle, slot: Slot, side: Side, context: SlotContext): boolean {
  const [wanted, opposite] = [slot[side], oppositeHash(slot, side)];
  restoreLateEdit(folder, slot, side, context);
  const now = hashAt(slot, slot.place.name, folder, context);
  const isFree = now === null || isReserved(folder, slot.place.name, context);
  if (wanted !== null && opposite === null && isFree && now !== wanted)
    return writeNew(slot, side, wanted, folder, context);
  if (wanted !== null && now === opposite && now !== wanted) replaceFile(folder, slot, side, wanted, context);
  else if (wanted === null && now !== null) removeOld(folder, slot, side, now, context);
  else if (now !== wanted) throw conflict(slot.path, opposite, now);
  removeScratchFiles(folder, context);
  return false;
}

/** The old file keeps a second name until it is certain that no process wrote to it in the same moment. */
function replaceFile(folder: FolderHandle, slot: Slot, side: Side, newHash: string, context: SlotContext): void {
  const { disk } = context.vault;
  const expected = oppositeHash(slot, side);
  const [target, backup] = [folder.at(slot.place.name), folder.at(context.backup)];
  rewriteTemporary(slot, side, newHash, folder, context);
  const hasBackup = tryLink(disk, target, backup);
  const currentHash = hashAt(slot, hasBackup ? context.backup : slot.place.name, folder, context);
  if (
    currentHash !== expected ||
    (hasBackup && (!isSameFile(disk, backup, target) || isBeingReplaced(folder, context)))
  ) {
    removeIfPresent(disk, backup);
    throw conflict(slot.path, expected, hashAt(slot, slot.place.name, folder, context));
  }
  rename(disk, folder.at(context.temporary), target);
  restoreLateEdit(folder, slot, side, context);
}

/**
 * Whether a writer that does not share our lock, such as one on another computer, is replacing the same file. Each of two writers
 * links its backup before it looks for others, so that at least one of them finds the other.
 */
function isBeingReplaced(folder: FolderHandle, { vault, backup }: SlotContext): boolean {
  const { disk } = vault;
  if (disk.lstatSync(folder.at(backup)).nlink <= NAMES_WHILE_REPLACED) return false;
  const others = disk.readdirSync(folder.at('.')).filter((name) => name !== backup && isRecentBackup(name, Date.now()));
  return others.some((name) => isSameFile(disk, folder.at(name), folder.at(backup)));
}

/** Renames a file of which only the spelling changes. */
function applySpelling(slot: Slot, respelled: string, side: Side, context: SlotContext): void {
  const { disk } = context.vault;
  const [from, to] = side === 'after' ? [respelled, slot.place.name] : [slot.place.name, respelled];
  inFolder(context.vault, slot.place.folder, (folder) => {
    const names = folder === undefined ? [] : namesIn(folder, context);
    if (names.includes(to) && !names.includes(from)) return;
    if (names.includes(to)) throw conflict(slot.path, null, hashAt(slot, to, folder, context));
    const now = hashAt(slot, from, folder, context);
    if (now !== slot.before || folder === undefined) throw conflict(slot.path, slot.before, now);
    rename(disk, folder.at(from), folder.at(to));
  });
}

const namesIn = (folder: FolderHandle, { vault }: SlotContext): readonly string[] =>
  vault.disk.readdirSync(folder.at('.'));

/** Removes the temporary files of a slot. @returns whether its folder is where it was */
export function cleanUpFile(slot: Slot, context: SlotContext): boolean {
  return inFolder(context.vault, slot.place.folder, (folder) => {
    if (folder === undefined) return false;
    const isAnother = slot.before !== null && slot.respelled === undefined && hasNeither(folder, slot, context);
    restoreLateEdit(folder, slot, 'before', context);
    removeScratchFiles(folder, context);
    return !isAnother;
  });
}

/** Neither the file nor its temporary one: another program may have moved the folder, and another one has its name by now. */
const hasNeither = (folder: FolderHandle, { place }: Slot, { vault, temporary }: SlotContext): boolean =>
  [place.name, temporary].every((name) => statsAt(vault.disk, folder.at(name)) === undefined);

function removeScratchFiles(folder: FolderHandle, { vault, temporary, reservation }: SlotContext): void {
  for (const name of [temporary, reservation]) removeIfPresent(vault.disk, folder.at(name));
}

/** Renames the file to its backup name first, so that the file that is removed is the one that was checked. */
function removeOld(folder: FolderHandle, slot: Slot, side: Side, now: string, context: SlotContext): void {
  const { disk } = context.vault;
  const target = folder.at(slot.place.name);
  if (isReserved(folder, slot.place.name, context)) disk.unlinkSync(target);
  else if (canRemove(target, slot, side, now, context)) rename(disk, target, folder.at(context.backup));
  else throw conflict(slot.path, oppositeHash(slot, side), now);
  restoreLateEdit(folder, slot, side, context);
}

/** A rollback also removes a moved file that was edited, if the very same file is back in its old place. */
function canRemove(file: string, slot: Slot, side: Side, now: string | null, context: SlotContext): boolean {
  const isExpected = now === oppositeHash(slot, side) && !context.mustKeep;
  if (side === 'after') return isExpected && isAtPartner(slot, now, context);
  return isExpected || (slot.isCarried === true && inspectPartner(file, slot, context).isSame);
}

/** Whether a moved file is in its new place: if another program removed it there, the file here is the last copy. */
function isAtPartner(slot: Slot, now: string | null, context: SlotContext): boolean {
  if (slot.partner === undefined) return true;
  const { hash } = inspectPartner('', slot, context);
  return slot.isCarried === true ? hash === now : hash !== null;
}

/**
 * Removes the backup, or restores it if another program wrote to it meanwhile.
 * @throws WRITE_CONFLICT if it was restored
 */
function restoreLateEdit(folder: FolderHandle, slot: Slot, side: Side, context: SlotContext): void {
  const { disk } = context.vault;
  const [target, backup] = [folder.at(slot.place.name), folder.at(context.backup)];
  const stats = statsAt(disk, backup) && disk.lstatSync(backup, { bigint: true });
  const currentHash = hashAt(slot, context.backup, folder, context);
  if (currentHash === null || stats === undefined) return;
  const isStillThere = isSameFile(disk, backup, target);
  if (isStillThere || canDiscard(backup, slot, side, currentHash, context)) {
    if (!isStillThere)
      keepOpen(backup, { size: Number(stats.size), modifiedNs: stats.mtimeNs, hash: currentHash }, slot, side, context);
    disk.unlinkSync(backup);
    return;
  }
  const now = hashAt(slot, slot.place.name, folder, context);
  if (now !== null && (now === slot.before || now === slot.after)) rename(disk, backup, target);
  else saveUnderFreeName(folder, slot.place.name, context);
  throw conflict(slot.path, oppositeHash(slot, side), currentHash);
}

/** Before it loses its last name: another program may have opened it, and write to it later. A file that moved still has a name. */
function keepOpen(
  backup: string,
  seen: Pick<ReplacedFile, 'size' | 'modifiedNs' | 'hash'>,
  slot: Slot,
  side: Side,
  context: SlotContext,
): void {
  const { onReplaced, vault } = context;
  if (onReplaced === undefined) return;
  const moved = slot[side] === null ? inspectPartner(backup, slot, context) : undefined;
  if (moved?.isSame) return;
  const place = (moved?.hash ?? null) === null ? slot.place : (slot.partner ?? slot.place);
  const expected = moved === undefined ? slot[side] : moved.hash;
  tryQuietly(() => onReplaced({ descriptor: vault.disk.openSync(backup, 'r'), ...seen, place, expected }));
}

function canDiscard(backup: string, slot: Slot, side: Side, currentHash: string, context: SlotContext): boolean {
  const isKnown = currentHash === slot.before || currentHash === slot.after;
  if (side === 'after') return isKnown && (slot.after !== null || isAtPartner(slot, currentHash, context));
  return isKnown || (slot.isCarried === true && inspectPartner(backup, slot, context).isSame);
}

function saveUnderFreeName(folder: FolderHandle, name: string, context: SlotContext): void {
  const { disk } = context.vault;
  for (const free of numberedNames(name)) {
    if (statsAt(disk, folder.at(free)) !== undefined) continue;
    if (linkOrRename(folder.at(context.backup), folder, free, context)) disk.unlinkSync(folder.at(context.backup));
    return;
  }
}

/** The file at the other end of a move: its hash, and whether it is the same file as `file`. */
function inspectPartner(file: string, slot: Slot, context: SlotContext) {
  const { vault } = context;
  const { partner } = slot;
  if (partner === undefined) return { isSame: false, hash: null };
  return inFolder(vault, partner.folder, (folder) => ({
    isSame: folder !== undefined && isSameFile(vault.disk, file, folder.at(partner.name)),
    hash: hashAt(slot, partner.name, folder, context),
  }));
}

/**
 * @returns whether the file was moved from its partner's place
 * @throws EEXIST as a system error; WRITE_CONFLICT when the file to be moved has changed
 */
function writeNew(slot: Slot, side: Side, newHash: string, folder: FolderHandle, context: SlotContext): boolean {
  if (slot.partner !== undefined && slot.isCarried)
    return moveFromPartner(slot, slot.partner, side, newHash, folder, context);
  const temporary = folder.at(context.temporary);
  rewriteTemporary(slot, side, newHash, folder, context);
  // The second name stays until the first one is durable: a loss of power could keep its removal and lose the first name.
  linkOrRename(temporary, folder, slot.place.name, context);
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

/** A committed change has written it before: if it is not here, it is in a folder that was moved, and another one has its name by now. */
function rewriteTemporary(slot: Slot, side: Side, newHash: string, folder: FolderHandle, context: SlotContext): void {
  const { vault, temporary, reservation } = context;
  if (side === 'after' && statsAt(vault.disk, folder.at(temporary)) === undefined)
    removeStrayFiles(vault, new Set([temporary, reservation]));
  writeTemporary(slot, newHash, folder, context);
}

/** A rollback moves the file back with whatever content it has by then. */
function moveFromPartner(
  slot: Slot,
  partner: Place,
  side: Side,
  newHash: string,
  folder: FolderHandle,
  context: SlotContext,
): boolean {
  const { disk, heartbeat } = context.vault;
  return inFolder(context.vault, partner.folder, (from) => {
    const file = from?.at(partner.name);
    const currentHash = file === undefined ? null : hashOf(disk, file, slot.path, heartbeat);
    const isExpected =
      currentHash === newHash || (side === 'before' && currentHash !== null && currentHash !== NOT_A_FILE);
    if (file === undefined || !isExpected) throw conflict(pathOf(partner), newHash, currentHash);
    return !linkOrRename(file, folder, slot.place.name, context);
  });
}

/** @returns true if `file` now has two names, false if it was renamed */
function linkOrRename(file: string, folder: FolderHandle, name: string, context: SlotContext): boolean {
  const { disk } = context.vault;
  const isAlreadyReserved = isReserved(folder, name, context);
  if (!isAlreadyReserved && tryLink(disk, file, folder.at(name))) {
    // The marker of a reservation that was lost with the power.
    removeIfPresent(disk, folder.at(context.reservation));
    return true;
  }
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

function isReserved(folder: FolderHandle, name: string, { vault, reservation }: SlotContext): boolean {
  if (statsAt(vault.disk, folder.at(reservation)) === undefined) return false;
  return hashOf(vault.disk, folder.at(name), name, vault.heartbeat) === EMPTY_FILE;
}
