// What one operation of a change makes of which paths. Reads, writes nothing.
import { join } from 'node:path';
import { contentHash } from '../../../base/content-hash.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import { fileKindOf } from '../../../base/note.ts';
import type { ChangedFile, FileOperation } from '../../../contracts/writer.ts';
import { isSameFile, type Owned } from './file-content.ts';
import { folded, type NamesOnDisk } from './names-on-disk.ts';
import { freePlace, type Place, pathOf, placeOf } from './place.ts';
import type { Slot } from './slot.ts';
import { checkWritable, hashBefore, hashFound, isOneVolume, ownedAt, readBefore } from './snapshot.ts';
import { freeInTrash, trashedPlace } from './trash.ts';
import type { Workshop } from './write-context.ts';

/** What the operations of one change are planned with. */
export interface Planning {
  readonly shop: Workshop;
  readonly names: NamesOnDisk;
  /** Whether it takes a change back. */
  readonly isBack: boolean;
  /** What a file that comes back had, where that is known. */
  readonly ownedOnce: (path: string) => { readonly owned?: Owned };
  /** Paths in the trash that this change gives away, folded. */
  readonly trashed: Set<string>;
}

export interface Planned {
  readonly slots: readonly Slot[];
  readonly file: ChangedFile;
  readonly bytes: readonly Uint8Array[];
}

type Of<Kind extends FileOperation['kind']> = FileOperation & { readonly kind: Kind };

/** @throws as `planSlots` */
export function planOperation(planning: Planning, operation: FileOperation): Planned {
  switch (operation.kind) {
    case 'create':
      return planCreate(planning, operation);
    case 'restore':
      return planRestore(planning, operation);
    case 'replace':
      return planReplace(planning, operation);
    case 'move':
      return planMove(planning, operation);
    case 'trash':
      return planTrash(planning, operation);
    case 'remove':
      return planRemove(planning, operation);
  }
}

function planCreate({ shop, names, isBack, ownedOnce }: Planning, { kind, path, bytes }: Of<'create'>): Planned {
  checkKind(path);
  const after = contentHash(bytes);
  const slot: Slot = { path, place: freePlace(shop, names, path, { isBack }), before: null, after, ...ownedOnce(path) };
  return { slots: [slot], file: { kind, path, before: null, after }, bytes: [bytes] };
}

function planReplace({ shop }: Planning, { kind, path, before, bytes }: Of<'replace'>): Planned {
  checkKind(path);
  const place = placeOf(shop, path);
  const old = readBefore(shop, path, place, before);
  checkWritable(shop, path, place);
  const after = contentHash(bytes);
  const slot: Slot = { path, place, before, after, owned: ownedAt(shop, place) };
  return { slots: [slot], file: { kind, path, before, after }, bytes: [old, bytes] };
}

/** A file that only moves goes as it is; one that changes on the way is written there and taken away here. */
function planMove(planning: Planning, operation: Of<'move'>): Planned {
  const { shop, names, isBack } = planning;
  const { kind, path, to, bytes } = operation;
  if (fileKindOf(path) !== fileKindOf(to)) throw refused(to, 'a file that moves keeps its kind');
  const from = placeOf(shop, path);
  const place = freePlace(shop, names, to, { moved: from, isBack });
  const before = hashBefore(shop, path, from, operation.before);
  const after = bytes === undefined ? before : contentHash(bytes);
  const isChanged = after !== before;
  if (isChanged) checkWritable(shop, path, from);
  const isCarried = !isChanged && isOneVolume(shop, from, place);
  const old = isCarried ? undefined : readBefore(shop, path, from, before);
  const slots = isOneFile(shop, from, place)
    ? respelling(shop, { path, to, before, after }, from, place)
    : transfer(shop, { path, to, before, after }, from, place, isCarried);
  return { slots, file: { kind, path, to, before, after }, bytes: old === undefined ? [] : [old, bytes ?? old] };
}

interface Way {
  readonly path: string;
  readonly to: string;
  readonly before: string;
  readonly after: string;
}

/** @param isCarried whether the file itself goes, not its bytes only */
function transfer(
  shop: Workshop,
  { path, to, before, after }: Way,
  from: Place,
  place: Place,
  isCarried: boolean,
): Slot[] {
  const owned = ownedAt(shop, from);
  return [
    { path: to, place, before: null, after, owned, partner: from, isCarried },
    { path, place: from, before, after: null, owned, partner: place, isCarried },
  ];
}

function respelling(shop: Workshop, { path, to, before, after }: Way, from: Place, place: Place): Slot[] {
  const edit: Slot[] = before === after ? [] : [{ path, place: from, before, after, owned: ownedAt(shop, from) }];
  return [...edit, { path: to, place, before: after, after, respelled: from.name }];
}

/** Whether the system takes both names for one. */
function isOneFile({ disk, root }: Workshop, from: Place, to: Place): boolean {
  const isSpelling = from.folder === to.folder && folded(from.name) === folded(to.name);
  return isSpelling && isSameFile(disk, join(root, pathOf(from)), join(root, pathOf(to)));
}

function planTrash(planning: Planning, { kind, path, before }: Of<'trash'>): Planned {
  const { shop } = planning;
  const from = placeOf(shop, path);
  const old = readBefore(shop, path, from, before);
  const place = freeInTrash(shop, planning.trashed, from);
  const to = pathOf(place);
  const slots = transfer(shop, { path, to, before, after: before }, from, place, isOneVolume(shop, from, place));
  return { slots, file: { kind, path, to, before, after: null }, bytes: [old] };
}

function planRestore({ shop, names, ownedOnce }: Planning, { kind, path, bytes, trashed }: Of<'restore'>): Planned {
  const after = contentHash(bytes);
  const place = freePlace(shop, names, path, { isBack: true });
  const from = trashedPlace(trashed);
  const file: ChangedFile = { kind, path, before: null, after };
  const isUntouched = hashFound(shop, trashed, from) === after;
  const slots = isUntouched
    ? transfer(shop, { path: trashed, to: path, before: after, after }, from, place, isOneVolume(shop, from, place))
    : [{ path, place, before: null, after, ...ownedOnce(path) }];
  return { slots, file, bytes: [bytes] };
}

function planRemove({ shop }: Planning, { kind, path, before }: Of<'remove'>): Planned {
  const place = placeOf(shop, path);
  const old = readBefore(shop, path, place, before);
  const slot: Slot = { path, place, before, after: null, owned: ownedAt(shop, place) };
  return { slots: [slot], file: { kind, path, before, after: null }, bytes: [old] };
}

/** What is no note is moved and trashed, never written. */
function checkKind(path: string): void {
  if (fileKindOf(path) === 'attachment') throw refused(path, 'it is no note, canvas or base');
}

const refused = (path: string, rule: string): VaultgraphError =>
  new VaultgraphError('PATH_NOT_ALLOWED', { path, rule });
