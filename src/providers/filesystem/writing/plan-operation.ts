// Plans one operation of a change: which paths it changes, from which content to which. Writes nothing.
import { constants } from 'node:fs';
import { join } from 'node:path';
import { contentHash } from '../../../base/content-hash.ts';
import { errnoOrRethrow } from '../../../base/errno.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import { fileKindOf } from '../../../base/note.ts';
import type { ChangedFile, FileOperation } from '../../../contracts/writer.ts';
import { withOpenFolders } from '../open-folders.ts';
import { stubOf } from '../path-rules.ts';
import { readFile } from '../read-file.ts';
import { statsAt } from './disk.ts';
import { hashOf, isSameFile, NOT_A_FILE, type Ownership, ownershipOf } from './file-content.ts';
import { inFolder } from './folder-handle.ts';
import {
  foldCase,
  freeInTrash,
  freePlace,
  type NamesOnDisk,
  type Place,
  pathOf,
  placeOf,
  splitPath,
  trashedPlace,
} from './place.ts';
import { conflict, type Slot } from './slot.ts';
import type { WriteContext } from './write-context.ts';

/** Shared by all operations of one change. */
export interface Planning {
  readonly context: WriteContext;
  readonly names: NamesOnDisk;
  /** Whether the change undoes another one. */
  readonly isUndo: boolean;
  /** The folders that the change leaves, as the vault spells them. */
  readonly emptied: ReadonlySet<string>;
  /** The attributes that a restored file had, if they are known. */
  readonly formerOwnership: (path: string) => { readonly owned?: Ownership };
  /** Folded paths in the trash that this change already uses. */
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

function planCreate(
  { context, names, isUndo, emptied, formerOwnership }: Planning,
  { kind, path, bytes }: Of<'create'>,
): Planned {
  checkKind(path);
  const after = contentHash(bytes);
  const slot: Slot = {
    path,
    place: freePlace(context, names, path, { isUndo, emptied }),
    before: null,
    after,
    ...formerOwnership(path),
  };
  return { slots: [slot], file: { kind, path, before: null, after }, bytes: [bytes] };
}

function planReplace({ context }: Planning, { kind, path, before, bytes }: Of<'replace'>): Planned {
  checkKind(path);
  const place = placeOf(context, path);
  const old = readBefore(context, path, place, before);
  checkWritable(context, path, place);
  const after = contentHash(bytes);
  const slot: Slot = { path, place, before, after, owned: ownershipAt(context, place) };
  return { slots: [slot], file: { kind, path, before, after }, bytes: [old, bytes] };
}

/** An unchanged file is moved itself; one whose content changes is created at the new place and removed from the old one. */
function planMove(planning: Planning, operation: Of<'move'>): Planned {
  const { context, names, isUndo, emptied } = planning;
  const { kind, path, to, bytes } = operation;
  if (fileKindOf(path) !== fileKindOf(to)) throw refused(to, 'a file that moves keeps its kind');
  const from = placeOf(context, path);
  const place = freePlace(context, names, to, { moved: from, isUndo, emptied });
  const before = hashBefore(context, path, from, operation.before);
  const after = bytes === undefined ? before : contentHash(bytes);
  const isChanged = after !== before;
  if (isChanged) checkWritable(context, path, from);
  const isCarried = !isChanged && isOneVolume(context, from, place);
  const old = isCarried ? undefined : readBefore(context, path, from, before);
  const slots = isOneFile(context, from, place)
    ? respell(context, { path, to, before, after }, from, place)
    : transfer(context, { path, to, before, after }, from, place, isCarried);
  return { slots, file: { kind, path, to, before, after }, bytes: old === undefined ? [] : [old, bytes ?? old] };
}

interface Move {
  readonly path: string;
  readonly to: string;
  readonly before: string;
  readonly after: string;
}

/** @param isCarried whether the file itself is moved, not only its bytes */
function transfer(
  context: WriteContext,
  { path, to, before, after }: Move,
  from: Place,
  place: Place,
  isCarried: boolean,
): Slot[] {
  const owned = ownershipAt(context, from);
  return [
    { path: to, place, before: null, after, owned, partner: from, isCarried },
    { path, place: from, before, after: null, owned, partner: place, isCarried },
  ];
}

function respell(context: WriteContext, { path, to, before, after }: Move, from: Place, place: Place): Slot[] {
  const edit: Slot[] =
    before === after ? [] : [{ path, place: from, before, after, owned: ownershipAt(context, from) }];
  return [...edit, { path: to, place, before: after, after, respelled: from.name }];
}

/** Whether both names are the same file on this system. */
function isOneFile({ disk, root }: WriteContext, from: Place, to: Place): boolean {
  const isRespelling = from.folder === to.folder && foldCase(from.name) === foldCase(to.name);
  return isRespelling && isSameFile(disk, join(root, pathOf(from)), join(root, pathOf(to)));
}

function planTrash(planning: Planning, { kind, path, before }: Of<'trash'>): Planned {
  const { context } = planning;
  const from = placeOf(context, path);
  const old = readBefore(context, path, from, before);
  const place = freeInTrash(context, planning.trashed, from);
  const to = pathOf(place);
  const slots = transfer(context, { path, to, before, after: before }, from, place, isOneVolume(context, from, place));
  return { slots, file: { kind, path, to, before, after: null }, bytes: [old] };
}

function planRestore(
  { context, names, emptied, formerOwnership }: Planning,
  { kind, path, bytes, trashed }: Of<'restore'>,
): Planned {
  const after = contentHash(bytes);
  const place = freePlace(context, names, path, { isUndo: true, emptied });
  const from = trashedPlace(trashed);
  const file: ChangedFile = { kind, path, before: null, after };
  const isUntouched = hashFound(context, trashed, from) === after;
  const slots = isUntouched
    ? transfer(
        context,
        { path: trashed, to: path, before: after, after },
        from,
        place,
        isOneVolume(context, from, place),
      )
    : [{ path, place, before: null, after, ...formerOwnership(path) }];
  return { slots, file, bytes: [bytes] };
}

function planRemove({ context }: Planning, { kind, path, before }: Of<'remove'>): Planned {
  const place = placeOf(context, path);
  const old = readBefore(context, path, place, before);
  const slot: Slot = { path, place, before, after: null, owned: ownershipAt(context, place) };
  return { slots: [slot], file: { kind, path, before, after: null }, bytes: [old] };
}

/** Attachments are moved and trashed, but never written. */
function checkKind(path: string): void {
  if (fileKindOf(path) === 'attachment') throw refused(path, 'it is not a note, canvas or base');
}

const refused = (path: string, rule: string): VaultgraphError =>
  new VaultgraphError('PATH_NOT_ALLOWED', { path, rule });

const ANY_WRITE_BIT = 0o222;

/** @throws WRITE_CONFLICT when the file is gone or its content is not `before`; FILE_UNREADABLE, PATH_NOT_ALLOWED, LIMIT_EXCEEDED */
function readBefore(context: WriteContext, path: string, place: Place, before: string): Uint8Array {
  const bytes = readNow(context, path, place, before);
  const hash = contentHash(bytes);
  if (hash !== before) throw conflict(path, before, hash);
  return bytes;
}

function readNow(context: WriteContext, path: string, place: Place, before: string): Uint8Array {
  try {
    return withOpenFolders(context.root, (folders) =>
      readFile(folders, context.exclusion, { path, onDisk: pathOf(place) }, context.checkStop),
    ).bytes;
  } catch (thrown) {
    // A file that is gone or is another one now cannot be read, but is a conflict.
    hashBefore(context, path, place, before);
    throw thrown;
  }
}

/** @param before any content by default. @throws as `readBefore` */
function hashBefore(context: WriteContext, path: string, place: Place, before?: string): string {
  const hash = hashFound(context, path, place);
  if (hash === null && path.includes('\\'))
    throw new VaultgraphError('PATH_NOT_ALLOWED', { path, rule: 'folders are separated by `/`' });
  if (hash === null && statsAt(context.disk, join(context.root, stubOf(pathOf(place)))) !== undefined)
    throw new VaultgraphError('FILE_UNREADABLE', { path, errno: 'EVICTED' });
  if (hash === null && before === undefined) throw new VaultgraphError('FILE_UNREADABLE', { path, errno: 'ENOENT' });
  const isOther = before !== undefined && hash !== before;
  if (hash === null || hash === NOT_A_FILE || isOther) throw conflict(path, before ?? null, hash);
  return hash;
}

/** Null if the file or its folder does not exist. @throws FILE_UNREADABLE */
function hashFound(context: WriteContext, path: string, place: Place): string | null {
  return inFolder(context, place.folder, (folder) => {
    try {
      return folder === undefined ? null : hashOf(context.disk, folder.at(place.name), path, context.checkStop);
    } catch (thrown) {
      if (thrown instanceof VaultgraphError) throw thrown;
      throw new VaultgraphError('FILE_UNREADABLE', { path, errno: errnoOrRethrow(thrown) }, { cause: thrown });
    }
  });
}

/** Refuses a read-only file, even if its folder would allow replacing it. @throws EACCES as a system error */
function checkWritable({ disk, root }: WriteContext, path: string, place: Place): void {
  const file = join(root, pathOf(place));
  disk.accessSync(file, constants.W_OK);
  if ((disk.lstatSync(file).mode & ANY_WRITE_BIT) !== 0) return;
  const details = { path, errno: 'EACCES', step: 'access', original_intact: true };
  throw new VaultgraphError('FILE_WRITE_FAILED', details);
}

function ownershipAt({ disk, root }: WriteContext, place: Place): Ownership {
  return ownershipOf(disk.lstatSync(join(root, pathOf(place))));
}

/** Whether a rename can move the file, because both places are on one volume. */
function isOneVolume({ disk, root }: WriteContext, from: Place, to: Place): boolean {
  let { folder } = to;
  while (folder !== '' && statsAt(disk, join(root, folder)) === undefined) folder = splitPath(folder).folder;
  return disk.lstatSync(join(root, pathOf(from))).dev === disk.lstatSync(join(root, folder)).dev;
}
