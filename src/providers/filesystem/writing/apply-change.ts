// Applies one change to the vault completely or not at all, whatever fails or kills it midway.
import { join } from 'node:path';
import { contentHash } from '../../../base/content-hash.ts';
import { isErrno } from '../../../base/errno.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import { foldersAbove } from '../../../base/note.ts';
import type { Applied, ChangedFile, FileOperation, WriteRequest } from '../../../contracts/writer.ts';
import { machineName } from '../../processes/process-identity.ts';
import { WHOLE_VAULT } from '../view-globs.ts';
import { writeTemporary } from './apply-file.ts';
import { statsAt, tryQuietly } from './disk.ts';
import { checkSpace } from './disk-space.ts';
import { type FolderHandle, inCreatedFolder, inFolder } from './folder-handle.ts';
import { VAULT_NAME } from './folder-lock.ts';
import { checkNotUndone } from './inverse-change.ts';
import type { Intent } from './logged-change.ts';
import { emptiedFolder, foldCase, nameTaken, pathOf, readNames } from './place.ts';
import { type Planned, type Planning, planOperation } from './plan-operation.ts';
import { cleanUp, removeEmptyFolders, rollBack, rollForward, syncFolders } from './roll-change.ts';
import { conflict, hashAt, type Slot, type SlotContext } from './slot.ts';
import { slotContext, type WriteContext, wrapFsError } from './write-context.ts';

interface Ended {
  /** Whether the log says that the change is done. */
  readonly isLogged: boolean;
}

/** @throws as `Writer.apply`; then nothing has changed, unless the error itself says otherwise */
export function applyChange(context: WriteContext, request: WriteRequest): Applied & Ended {
  const now = new Date();
  const { files, images, ...steps } = planChange(context, request);
  const id = wrapFsError(undefined, () => context.log.newId(now.getTime()));
  const { tool, client, undoes } = request;
  const about = {
    id,
    time: now.toISOString(),
    tool,
    client,
    machine: machineName(),
    files,
    ...(undoes === undefined ? {} : { undoes }),
  };
  const intent: Intent = { ...about, ...steps };
  context.at('planned');
  wrapFsError(undefined, () => {
    checkSpace(context, intent, images);
    context.log.begin(intent, images, context.checkStop);
  });
  context.at('begun');
  commit(context, intent);
  context.at('committed');
  rollForwardOrBack(context, intent);
  const { kept, isRefused } = removeEmptyFolders(context, intent.emptied);
  context.at('emptied');
  // The vault is in its final state but for folders, which the next change or start tries to remove. If the log cannot record it, they do.
  const isLogged = !isRefused && tryQuietly(() => context.log.setStage(id, 'done'));
  context.at('done');
  const { view } = context.exclusion;
  const shownPaths = view === WHOLE_VAULT ? kept : kept.filter((path) => holdsSomethingSeen(context, path));
  return { ...about, state: 'done', kept: shownPaths.map((path) => path.normalize('NFC')), isLogged };
}

/** Whether a client may know why the folder stays: what it does not see does not keep a folder for it. */
function holdsSomethingSeen({ disk, root, exclusion: { view } }: WriteContext, folder: string): boolean {
  const isSeen = (path: string): boolean => {
    const composed = path.normalize('NFC');
    const isFolder = statsAt(disk, join(root, path))?.isDirectory() === true;
    if (!isFolder) return view.shows(composed);
    return view.mayHold(composed) && disk.readdirSync(join(root, path)).some((name) => isSeen(`${path}/${name}`));
  };
  let seen = false;
  tryQuietly(() => {
    seen = isSeen(folder);
  });
  return seen;
}

/** Checks everything about a change that can be checked without writing. @throws as `Writer.check` */
export function planChange(context: WriteContext, request: WriteRequest): Plan & Pick<Intent, 'folders' | 'emptied'> {
  const { undoes, operations, emptied = [] } = request;
  if (undoes !== undefined) wrapFsError(undefined, () => checkNotUndone(context.log, undoes, context.exclusion.view));
  const plan = planSlots(context, request);
  return wrapFsError(operations[0]?.path, () => ({
    ...plan,
    folders: missingFolders(context, plan.slots),
    emptied: emptied.map((path) => emptiedFolder(context, path)),
  }));
}

/** Creates only temporary files and new folders in the vault, and removes them on failure. */
function commit(context: WriteContext, intent: Intent): void {
  try {
    for (const folder of intent.folders) wrapFsError(folder, () => inCreatedFolder(context, folder, () => undefined));
    context.at('folders');
    for (const [number, slot] of intent.slots.entries()) {
      context.checkStop();
      wrapFsError(slot.path, () => prepareSlot(slot, slotContext(context, intent, number)));
    }
    const contents = intent.slots.filter(({ after, isCarried }) => after !== null && !isCarried);
    const folders = contents.map(({ place }) => place.folder);
    syncFolders(context, folders);
    context.checkStop();
    context.at('prepared');
  } catch (thrown) {
    tryQuietly(() => discardChange(context, intent));
    throw thrown;
  }
  setCommitted(context, intent);
}

/**
 * A system that refuses to flush the log's folder, or loses its reply, has renamed the file all the same: until the log says that the
 * change is taken back, the next start would finish it.
 */
function setCommitted(context: WriteContext, intent: Intent): void {
  try {
    wrapFsError(undefined, () => context.log.setStage(intent.id, 'committed'));
  } catch (thrown) {
    if (!(thrown instanceof VaultgraphError)) throw thrown;
    if (!tryQuietly(() => context.log.setStage(intent.id, 'aborting'))) throw halfMade(thrown, intent);
    tryQuietly(() => discardChange(context, intent));
    throw thrown;
  }
}

/** Checks that the path is still as planned, and writes its new bytes to disk, before any path changes. */
function prepareSlot(slot: Slot, context: SlotContext): void {
  const { path, place, before, after, isCarried, respelled } = slot;
  if (respelled !== undefined) return;
  inFolder(context.vault, place.folder, (folder) => {
    const now = hashAt(slot, place.name, folder, context);
    if (now !== before) throw conflict(path, before, now);
  });
  if (after === null || isCarried) return;
  const write = (folder: FolderHandle): void => writeTemporary(slot, after, folder, context);
  if (before === null) inCreatedFolder(context.vault, place.folder, write);
  else
    inFolder(context.vault, place.folder, (folder) => {
      // Another program has moved it since: in its place there would be a folder with nothing but this file.
      if (folder === undefined) throw conflict(path, before, null);
      write(folder);
    });
}

/** @throws the failure that stopped the change, after rolling it back */
function rollForwardOrBack(context: WriteContext, intent: Intent): void {
  const removed = new Set<string>();
  const applied = new Set<Slot>();
  try {
    const onRemoved = (place: string): void => void removed.add(place);
    rollForward(context, intent, onRemoved, (slot) => applied.add(slot));
  } catch (thrown) {
    if (!(thrown instanceof VaultgraphError)) throw thrown;
    const isAborting = tryQuietly(() => context.log.setStage(intent.id, 'aborting'));
    const isRolledBack = isAborting && isTakenBack(context, intent, removed, applied);
    if (!isRolledBack) throw halfMade(thrown, intent);
    tryQuietly(() => discardChange(context, intent));
    throw thrown;
  }
}

/** Whether no note is left with a text of the change: another program may have moved or edited one since it was rewritten. */
function isTakenBack(
  context: WriteContext,
  intent: Intent,
  removed: ReadonlySet<string>,
  applied: ReadonlySet<Slot>,
): boolean {
  let isKept = false;
  const onKept = (slot: Slot): void => {
    isKept ||= slot.before !== null && slot.after !== null && applied.has(slot);
  };
  return rollBack(context, intent, (place) => removed.has(place), onKept) === undefined && !isKept;
}

/** Removes what was created for a change that will not happen: temporary files, empty folders, its log entry. */
export function discardChange(context: WriteContext, intent: Intent): void {
  cleanUp(context, intent);
  wrapFsError(undefined, () => context.log.remove(intent.id));
}

/** The folders to create for new files, outer ones first. */
function missingFolders({ disk, root }: WriteContext, slots: readonly Slot[]): readonly string[] {
  const needed = new Set<string>();
  for (const { place, after } of slots) {
    if (after !== null) for (const folder of foldersAbove(pathOf(place))) needed.add(folder);
  }
  return [...needed].filter((folder) => statsAt(disk, join(root, folder)) === undefined);
}

/** For a change that was neither finished nor rolled back: the next change, or the next start, does one of them. */
function halfMade(thrown: VaultgraphError, { id }: Intent): VaultgraphError {
  const details = thrown.details as { readonly path?: string; readonly errno?: string; readonly step?: string };
  const { path = VAULT_NAME, errno = thrown.code, step = 'write' } = details;
  const halfWritten = { path, errno, step, original_intact: false, change_id: id };
  return new VaultgraphError('FILE_WRITE_FAILED', halfWritten, { cause: thrown });
}

interface Plan {
  readonly slots: readonly Slot[];
  readonly files: readonly ChangedFile[];
  /** Old and new contents by hash, except for files that are moved unchanged. */
  readonly images: ReadonlyMap<string, Uint8Array>;
}

/** @throws WRITE_CONFLICT, NOTE_EXISTS, PATH_NOT_ALLOWED, FILE_UNREADABLE, LIMIT_EXCEEDED; INTERNAL for two operations on one path */
function planSlots(context: WriteContext, { operations, undoes, emptied = [] }: WriteRequest): Plan {
  const isUndo = undoes !== undefined;
  const undone = isUndo ? wrapFsError(undefined, () => context.log.intent(undoes)?.slots) : [];
  const formerOwnership = (path: string): Pick<Slot, 'owned'> => {
    const owned = undone?.find((slot) => slot.path === path)?.owned;
    return owned === undefined ? {} : { owned };
  };
  const leaves = { emptied: new Set(emptied), trashed: new Set<string>() };
  const planning: Planning = { context, names: readNames(context), isUndo, formerOwnership, ...leaves };
  const all = operations.map((operation) => {
    context.checkStop();
    return wrapFsError(operation.path, () => planOrConflict(planning, operation));
  });
  const slots = all.flatMap((each) => each.slots);
  checkDistinct(slots);
  if (!isUndo) checkNoTwins(slots);
  const images = new Map(all.flatMap(({ bytes }) => bytes.map((each) => [contentHash(each), each] as const)));
  return { slots, files: all.map(({ file }) => file), images };
}

/** A file that vanishes during planning was removed by another program, which is a conflict. */
function planOrConflict(planning: Planning, operation: FileOperation): Planned {
  try {
    return planOperation(planning, operation);
  } catch (thrown) {
    if (!isErrno(thrown, 'ENOENT')) throw thrown;
    planning.context.checkRoot();
    throw conflict(operation.path, null, null);
  }
}

function checkDistinct(slots: readonly Slot[]): void {
  const paths = slots.map(({ place }) => pathOf(place));
  if (new Set(paths).size < paths.length) throw new VaultgraphError('INTERNAL', { kind: 'two operations on one path' });
}

/** Refuses two new files whose names are the same on a system that ignores case. */
function checkNoTwins(slots: readonly Slot[]): void {
  const created = new Set<string>();
  for (const { place, before } of slots) {
    if (before !== null) continue;
    if (created.has(foldCase(pathOf(place)))) throw nameTaken(place);
    created.add(foldCase(pathOf(place)));
  }
}
