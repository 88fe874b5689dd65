// Turns the operations of a change into the paths they touch, each with what it holds before and after. Reads, writes nothing.
import { contentHash } from '../../../base/content-hash.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import type { ChangedFile, FileOperation, WriteRequest } from '../../../contracts/writer.ts';
import { isErrno } from './disk.ts';
import { folded, openNames } from './names-on-disk.ts';
import { pathOf, taken } from './place.ts';
import { type Planned, type Planning, planOperation } from './plan-operation.ts';
import { conflict, type Slot } from './slot.ts';
import { typed, type Workshop } from './write-context.ts';

export interface Plan {
  readonly slots: readonly Slot[];
  readonly files: readonly ChangedFile[];
  /** By hash: every byte that goes or comes, but for files that are moved as they are. */
  readonly images: ReadonlyMap<string, Uint8Array>;
}

/** @throws WRITE_CONFLICT, NOTE_EXISTS, PATH_NOT_ALLOWED, FILE_UNREADABLE, LIMIT_EXCEEDED; INTERNAL for two operations on one path */
export function planSlots(shop: Workshop, { operations, undoes }: WriteRequest): Plan {
  const isBack = undoes !== undefined;
  const undone = isBack ? typed(undefined, () => shop.log.intent(undoes)?.slots) : [];
  const ownedOnce = (path: string): Pick<Slot, 'owned'> => {
    const owned = undone?.find((slot) => slot.path === path)?.owned;
    return owned === undefined ? {} : { owned };
  };
  const planning: Planning = { shop, names: openNames(shop), isBack, ownedOnce, trashed: new Set() };
  const all = operations.map((operation) => {
    shop.beat();
    return typed(operation.path, () => planned(planning, operation));
  });
  const slots = all.flatMap((each) => each.slots);
  checkApart(slots);
  if (!isBack) checkNoTwins(slots);
  const images = new Map(all.flatMap(({ bytes }) => bytes.map((each) => [contentHash(each), each] as const)));
  return { slots, files: all.map(({ file }) => file), images };
}

/** What vanishes while it is looked at was taken by somebody. */
function planned(planning: Planning, operation: FileOperation): Planned {
  try {
    return planOperation(planning, operation);
  } catch (thrown) {
    if (!isErrno(thrown, 'ENOENT')) throw thrown;
    planning.shop.checkRoot();
    throw conflict(operation.path, null, null);
  }
}

function checkApart(slots: readonly Slot[]): void {
  const paths = slots.map(({ place }) => pathOf(place));
  if (new Set(paths).size < paths.length) throw new VaultgraphError('INTERNAL', { kind: 'two operations on one path' });
}

/** Two files must not come to names that some system would take for one. */
function checkNoTwins(slots: readonly Slot[]): void {
  const coming = new Set<string>();
  for (const { place, before } of slots) {
    if (before !== null) continue;
    if (coming.has(folded(pathOf(place)))) throw taken(place);
    coming.add(folded(pathOf(place)));
  }
}
