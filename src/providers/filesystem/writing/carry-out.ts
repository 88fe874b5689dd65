// Brings all paths of a change to one side of it, forward or back, and clears away what was needed on the way.
import { VaultgraphError } from '../../../base/errors.ts';
import { settle, tidy } from './apply-file.ts';
import { attempt, statsAt } from './disk.ts';
import { type FolderHandle, inFolder } from './folder-handle.ts';
import type { Intent } from './logged-change.ts';
import { pathOf, split } from './place.ts';
import { isConflict, type Settling, type Side, type Slot } from './slot.ts';
import { settlingOf, typed, type Workshop } from './write-context.ts';

type Numbered = readonly [number: number, slot: Slot];

/**
 * @param onGone called with each place from which a file went, or may have gone
 * @throws what keeps a path from its state after the change, which may be half made then
 */
export function finish(shop: Workshop, intent: Intent, onGone: (place: string) => void = () => undefined): void {
  for (const part of parts(intent, 'after')) {
    for (const [number, slot] of part) {
      shop.alive();
      finishOne(slot, settlingOf(shop, intent, number), onGone);
      shop.at('settled');
    }
    syncFolders(shop, foldersOf(part));
  }
}

function finishOne(slot: Slot, settling: Settling, onGone: (place: string) => void): void {
  const source = slot.after === null ? slot.place : slot.partner;
  let isGone = true;
  try {
    const isTaken = typed(slot.path, () => settle(slot, 'after', settling));
    isGone = slot.after === null || isTaken;
  } catch (thrown) {
    isGone = !isConflict(thrown);
    throw thrown;
  } finally {
    if (source !== undefined && isGone) onGone(pathOf(source));
  }
}

/**
 * Past what somebody else put in the way: that stays. Nothing goes as long as the system keeps something from coming back, nor does
 * what came in the place of a text that cannot come back.
 * @param mayBeGone whether the change may have taken away what was at a place
 * @returns the first failure of the system
 */
export function takeBack(
  shop: Workshop,
  intent: Intent,
  mayBeGone: (place: string) => boolean = () => true,
): VaultgraphError | undefined {
  const shutOut = new Set<string>();
  const isNeeded = ({ partner }: Slot): boolean => partner !== undefined && shutOut.has(pathOf(partner));
  for (const part of parts(intent, 'before')) {
    const failures = part.toReversed().flatMap(([number, slot]) => {
      shop.alive();
      const settling = settlingOf(shop, intent, number, isNeeded(slot));
      const failure = failureOf(() => typed(slot.path, () => settle(slot, 'before', settling)));
      const place = pathOf(slot.place);
      if (failure !== undefined && slot.after === null && mayBeGone(place)) shutOut.add(place);
      return failure ?? [];
    });
    const blocked =
      failures.find((failure) => !isConflict(failure)) ?? failureOf(() => syncFolders(shop, foldersOf(part)));
    if (blocked !== undefined) return blocked;
  }
  return undefined;
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

/** What comes, and then what goes, so that at no moment bytes are only in the log. */
function parts({ slots }: Intent, side: Side): readonly (readonly Numbered[])[] {
  const numbered = [...slots.entries()];
  return [true, false].map((comes) => numbered.filter(([, slot]) => (slot[side] !== null) === comes));
}

const foldersOf = (part: readonly Numbered[]): string[] => part.map(([, { place }]) => place.folder);

/** Makes durable what came and went in these folders. */
export function syncFolders(shop: Workshop, folders: readonly string[]): void {
  for (const folder of new Set(folders)) typed(folder, () => inFolder(shop, folder, (handle) => handle?.sync()));
}

/** No temporary file stays, and no folder that was made and is empty. */
export function tidyAll(shop: Workshop, intent: Intent): void {
  tidySlots(shop, intent);
  removeEmpty(shop, intent.folders.toReversed());
}

/** @throws VAULT_UNAVAILABLE, for what is away cannot be tidied */
export function tidySlots(shop: Workshop, intent: Intent): void {
  shop.checkRoot();
  for (const [number, slot] of intent.slots.entries()) {
    const failure = failureOf(() => typed(slot.path, () => tidy(slot, settlingOf(shop, intent, number))));
    if (failure !== undefined && !isConflict(failure)) throw failure;
  }
}

/** A folder that holds something, or that the system keeps, stays as it is. @returns those */
export function removeEmpty(shop: Workshop, folders: readonly string[]): readonly string[] {
  return folders.filter((path) => {
    const { folder, name } = split(path);
    const remove = (above: FolderHandle | undefined): void => {
      if (above !== undefined && statsAt(shop.disk, above.at(name)) !== undefined) shop.disk.rmdirSync(above.at(name));
    };
    return !attempt(() => inFolder(shop, folder, remove));
  });
}
