// Rolls all paths of a change forward or back, and removes its temporary files.
import { errnoOrRethrow } from '../../../base/errno.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import { applyFile, cleanUpFile, removeSecondName } from './apply-file.ts';
import { statsAt } from './disk.ts';
import { type FolderHandle, inFolder } from './folder-handle.ts';
import type { Intent } from './logged-change.ts';
import { pathOf, splitPath } from './place.ts';
import { hashAt, isConflict, type Side, type Slot, type SlotContext } from './slot.ts';
import { placeByNow, removeStrayFiles } from './stray-files.ts';
import { slotContext, type WriteContext, wrapFsError } from './write-context.ts';

type NumberedSlot = readonly [number: number, slot: Slot];

/**
 * @param onRemoved called with each place from which a file was, or may have been, removed
 * @param onApplied called with each path that has its new content
 * @throws the first failure; the change may be half made then
 */
export function rollForward(
  context: WriteContext,
  intent: Intent,
  onRemoved: (place: string) => void = () => undefined,
  onApplied: (slot: Slot) => void = () => undefined,
): void {
  for (const group of creationsFirst(intent, 'after')) {
    for (const [number, slot] of group) {
      context.heartbeat();
      rollSlotForward(slot, slotContext(context, intent, number), onRemoved);
      onApplied(slot);
      context.at('applied');
    }
    syncFolders(context, foldersOf(group));
    syncFolders(context, foldersOf(withoutSecondNames(context, intent, group)));
  }
}

/** @returns those that had one */
function withoutSecondNames(
  context: WriteContext,
  intent: Intent,
  group: readonly NumberedSlot[],
): readonly NumberedSlot[] {
  return group.filter(([number, slot]) =>
    wrapFsError(slot.path, () => removeSecondName(slot, slotContext(context, intent, number))),
  );
}

function rollSlotForward(slot: Slot, context: SlotContext, onRemoved: (place: string) => void): void {
  const source = slot.after === null ? slot.place : slot.partner;
  let isRemoved = true;
  try {
    const isMoved = wrapFsError(slot.path, () => applyFile(slot, 'after', context));
    isRemoved = slot.after === null || isMoved;
  } catch (thrown) {
    isRemoved = !isConflict(thrown);
    throw thrown;
  } finally {
    if (source !== undefined && isRemoved) onRemoved(pathOf(source));
  }
}

/**
 * Goes on past conflicts: another program's file stays. Removes nothing while the system keeps a file from being restored, and
 * keeps the new copy of a text whose old copy cannot be restored.
 * @param mayBeRemoved whether the change may have removed the file at a place
 * @param onKept called with each path that keeps what another program wrote
 * @returns the first failure of the system
 */
export function rollBack(
  context: WriteContext,
  intent: Intent,
  mayBeRemoved: (place: string) => boolean = () => true,
  onKept: (slot: Slot) => void = () => undefined,
): VaultgraphError | undefined {
  const notRestored = new Set<string>();
  const mustKeep = ({ partner }: Slot): boolean => partner !== undefined && notRestored.has(pathOf(partner));
  for (const group of creationsFirst(intent, 'before')) {
    const failures = group.toReversed().flatMap(([number, slot]) => {
      context.heartbeat();
      const forSlot = slotContext(context, intent, number, mustKeep(slot));
      const failure = failureOf(() => wrapFsError(slot.path, () => takeBack(slot, Date.parse(intent.time), forSlot)));
      if (failure !== undefined && isConflict(failure)) onKept(slot);
      const place = pathOf(slot.place);
      if (failure !== undefined && slot.after === null && mayBeRemoved(place)) notRestored.add(place);
      return failure ?? [];
    });
    const systemFailure =
      failures.find((failure) => !isConflict(failure)) ?? failureOf(() => syncFolders(context, foldersOf(group)));
    if (systemFailure !== undefined) return systemFailure;
  }
  return undefined;
}

function takeBack(slot: Slot, since: number, context: SlotContext): void {
  const place = placeByNow(slot, since, context);
  applyFile({ ...slot, place }, 'before', context);
  if (place !== slot.place) inFolder(context.vault, place.folder, (handle) => handle?.sync());
}

function failureOf(work: () => void): VaultgraphError | undefined {
  try {
    work();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof VaultgraphError) return thrown;
    throw thrown;
  }
}

/** Files that appear before files that disappear, so that at no moment a text is only in the log. */
function creationsFirst({ slots }: Intent, side: Side): readonly (readonly NumberedSlot[])[] {
  const numbered = [...slots.entries()];
  return [true, false].map((appears) => numbered.filter(([, slot]) => (slot[side] !== null) === appears));
}

const foldersOf = (group: readonly NumberedSlot[]): string[] => group.map(([, { place }]) => place.folder);

/** Makes new and removed entries of these folders durable. */
export function syncFolders(context: WriteContext, folders: readonly string[]): void {
  for (const folder of new Set(folders))
    wrapFsError(folder, () => inFolder(context, folder, (handle) => handle?.sync()));
}

/** Removes temporary files, and folders that were created and are empty. */
export function cleanUp(context: WriteContext, intent: Intent): void {
  cleanUpFiles(context, intent);
  removeEmptyFolders(context, intent.folders.toReversed());
}

/** @throws VAULT_UNAVAILABLE */
export function cleanUpFiles(context: WriteContext, intent: Intent): void {
  context.checkRoot();
  const moved = new Set<string>();
  for (const [number, slot] of intent.slots.entries()) {
    const forSlot = slotContext(context, intent, number);
    const failure = failureOf(() =>
      wrapFsError(slot.path, () => {
        if (!cleanUpFile(slot, forSlot) && slot.after !== null) moved.add(slot.place.folder);
      }),
    );
    if (failure !== undefined && !isConflict(failure)) throw failure;
  }
  // Another program may have moved the folder while the file was in it.
  if (moved.size > 0) wrapFsError('', () => removeMoved(context, intent, moved));
}

/** An old file stays if another program wrote to it. */
function removeMoved(context: WriteContext, intent: Intent, folders: ReadonlySet<string>): void {
  const names = new Set<string>();
  const isKept = new Map<string, (folder: FolderHandle) => boolean>();
  for (const [number, slot] of intent.slots.entries()) {
    if (!folders.has(slot.place.folder)) continue;
    const forSlot = slotContext(context, intent, number);
    const { temporary, reservation, backup } = forSlot;
    for (const name of [temporary, reservation, backup]) names.add(name);
    isKept.set(backup, (folder) => ![slot.before, slot.after].includes(hashAt(slot, backup, folder, forSlot)));
  }
  removeStrayFiles(context, names, context.heartbeat, (name, folder) => isKept.get(name)?.(folder) ?? false);
}

/** The folders that stay. */
interface KeptFolders {
  readonly kept: readonly string[];
  /** Whether one of them may be empty, and the system refused to remove it. */
  readonly isRefused: boolean;
}

const NOT_EMPTY = ['ENOTEMPTY', 'EEXIST'];

export function removeEmptyFolders(context: WriteContext, folders: readonly string[]): KeptFolders {
  let isRefused = false;
  const kept = folders.filter((path) => {
    const errno = refusalOf(() => removeFolder(context, path));
    isRefused ||= errno !== undefined && !NOT_EMPTY.includes(errno);
    return errno !== undefined;
  });
  return { kept, isRefused };
}

function removeFolder(context: WriteContext, path: string): void {
  const { folder, name } = splitPath(path);
  inFolder(context, folder, (parent) => {
    if (parent === undefined || statsAt(context.disk, parent.at(name)) === undefined) return;
    context.disk.rmdirSync(parent.at(name));
    // Otherwise a loss of power brings the empty folder back.
    parent.sync();
  });
}

/** What the system answers at the second try, if it refuses at the first. */
function refusalOf(work: () => void): string | undefined {
  return errnoFrom(work) && errnoFrom(work);
}

function errnoFrom(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (thrown) {
    return errnoOrRethrow(thrown);
  }
}
