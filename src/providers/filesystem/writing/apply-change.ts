// Carries one change of the vault through: all of it or nothing, whatever fails or kills it in between.
import { join } from 'node:path';
import { contentHash } from '../../../base/content-hash.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import type { Applied, ChangedFile, FileOperation, WriteRequest } from '../../../contracts/writer.ts';
import { finish, removeEmpty, syncFolders, takeBack, tidyAll } from './carry-out.ts';
import { attempt, isErrno, statsAt } from './disk.ts';
import { inFolder, inMadeFolder } from './folder-handle.ts';
import { checkNotUndone } from './inverse-change.ts';
import type { Intent } from './logged-change.ts';
import { folded, openNames } from './names-on-disk.ts';
import { pathOf, taken } from './place.ts';
import { type Planned, type Planning, planOperation } from './plan-operation.ts';
import { conflict, hashAt, type Settling, type Slot } from './slot.ts';
import { emptiedFolder } from './trash.ts';
import { settlingOf, typed, type Workshop } from './write-context.ts';
import { prepare } from './write-new.ts';

/** @throws as `Writer.apply`; then nothing has changed, unless the failure itself says otherwise */
export function applyChange(shop: Workshop, request: WriteRequest): Applied {
  const now = new Date();
  const { files, images, ...ways } = planChange(shop, request);
  const id = typed(undefined, () => shop.log.newId(now.getTime()));
  const { tool, client, undoes } = request;
  const about = { id, time: now.toISOString(), tool, client, files, ...(undoes === undefined ? {} : { undoes }) };
  const intent: Intent = { ...about, ...ways };
  shop.at('planned');
  typed(undefined, () => shop.log.begin(intent, images, shop.beat));
  shop.at('begun');
  commit(shop, intent);
  shop.at('committed');
  finishOrTakeBack(shop, intent);
  const kept = removeEmpty(shop, intent.emptied);
  shop.at('emptied');
  // The vault is as it was meant to be, and the log holds what was meant: where it cannot be told that it is over, the next start tells it.
  attempt(() => shop.log.enter(id, 'done'));
  shop.at('done');
  return { ...about, state: 'done', kept: kept.map((path) => path.normalize('NFC')) };
}

/** Everything about a change that can be known without writing. @throws as `Writer.check` */
export function planChange(shop: Workshop, request: WriteRequest): Plan & Pick<Intent, 'folders' | 'emptied'> {
  const { undoes, operations, emptied = [] } = request;
  if (undoes !== undefined) typed(undefined, () => checkNotUndone(shop.log, undoes));
  const plan = planSlots(shop, request);
  return typed(operations[0]?.path, () => ({
    ...plan,
    folders: missingFolders(shop, plan.slots),
    emptied: emptied.map((path) => emptiedFolder(shop, path)),
  }));
}

/** Up to here nothing of the vault is touched but for temporary files and new folders, which go when it fails. */
function commit(shop: Workshop, intent: Intent): void {
  try {
    for (const folder of intent.folders) typed(folder, () => inMadeFolder(shop, folder, () => undefined));
    shop.at('folders');
    for (const [number, slot] of intent.slots.entries()) {
      shop.beat();
      typed(slot.path, () => prepareSlot(slot, settlingOf(shop, intent, number)));
    }
    const written = intent.slots.filter(({ after, isCarried }) => after !== null && !isCarried);
    syncFolders(
      shop,
      written.map(({ place }) => place.folder),
    );
    shop.at('prepared');
    shop.beat();
    typed(undefined, () => shop.log.enter(intent.id, 'committed'));
  } catch (thrown) {
    attempt(() => discard(shop, intent));
    throw thrown;
  }
}

/** Every byte is on the disk and every path as it was planned from, before the first of them changes. */
function prepareSlot(slot: Slot, settling: Settling): void {
  const { path, place, before, after, isCarried, respelled } = slot;
  if (respelled !== undefined) return;
  inFolder(settling.ground, place.folder, (folder) => {
    const now = hashAt(slot, place.name, folder, settling);
    if (now !== before) throw conflict(path, before, now);
  });
  if (after === null || isCarried) return;
  inMadeFolder(settling.ground, place.folder, (folder) => prepare(slot, after, folder, settling));
}

/** @throws what kept the change from being finished, when it was taken back */
function finishOrTakeBack(shop: Workshop, intent: Intent): void {
  const gone = new Set<string>();
  try {
    finish(shop, intent, (place) => gone.add(place));
  } catch (thrown) {
    if (!(thrown instanceof VaultgraphError)) throw thrown;
    const isAborting = attempt(() => shop.log.enter(intent.id, 'aborting'));
    const isTakenBack = isAborting && takeBack(shop, intent, (place) => gone.has(place)) === undefined;
    if (!isTakenBack) throw halfMade(thrown);
    attempt(() => discard(shop, intent));
    throw thrown;
  }
}

/** Takes away what was made for a change that is not to be: temporary files, empty folders, its place in the log. */
export function discard(shop: Workshop, intent: Intent): void {
  tidyAll(shop, intent);
  typed(undefined, () => shop.log.forget(intent.id));
}

/** The folders on the way to what is made, the outer ones first. */
function missingFolders({ disk, root }: Workshop, slots: readonly Slot[]): readonly string[] {
  const wanted = new Set<string>();
  for (const { place, after } of slots) {
    const segments = after === null || place.folder === '' ? [] : place.folder.split('/');
    for (const at of segments.keys()) wanted.add(segments.slice(0, at + 1).join('/'));
  }
  return [...wanted].filter((folder) => statsAt(disk, join(root, folder)) === undefined);
}

/** Neither finished nor taken back: the next change, or the next start, does one of them. */
function halfMade(thrown: VaultgraphError): VaultgraphError {
  const known = thrown.details as { readonly path?: string; readonly errno?: string; readonly step?: string };
  const { path = '', errno = thrown.code, step = 'write' } = known;
  return new VaultgraphError('FILE_WRITE_FAILED', { path, errno, step, original_intact: false }, { cause: thrown });
}

interface Plan {
  readonly slots: readonly Slot[];
  readonly files: readonly ChangedFile[];
  /** By hash: every byte that goes or comes, but for files that are moved as they are. */
  readonly images: ReadonlyMap<string, Uint8Array>;
}

/** @throws WRITE_CONFLICT, NOTE_EXISTS, PATH_NOT_ALLOWED, FILE_UNREADABLE, LIMIT_EXCEEDED; INTERNAL for two operations on one path */
function planSlots(shop: Workshop, { operations, undoes }: WriteRequest): Plan {
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
