// Finds where a vault path is, or may be created, on disk, including places in the trash. Writes nothing.
import { join } from 'node:path';
import { isErrno } from '../../../base/errno.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import { notWritable } from '../../../contracts/vault.ts';
import { withOpenFolders } from '../open-folders.ts';
import { brokenPathRule, findOnDiskSpelling, nameBehindStub, stubOf } from '../path-rules.ts';
import { checkWritable } from '../view-checks.ts';
import { statsAt } from './disk.ts';
import type { VaultRoot } from './vault-root.ts';

export interface Place {
  /** The folder as spelled on disk, `` for the root. */
  readonly folder: string;
  /** The file's name in that folder. */
  readonly name: string;
}

export interface NewFile {
  /** The present place of a file that is moved. */
  readonly moved?: Place;
  /** Whether the file returns to a place it had: then its name needs neither be portable nor differ from others in more than case. */
  readonly isUndo: boolean;
  /** Folders that the change empties: one of them may be replaced by a folder that differs only in case. */
  readonly emptied: ReadonlySet<string>;
}

/** The place of an existing or former file. @throws PATH_NOT_ALLOWED */
export function placeOf(vault: VaultRoot, path: string): Place {
  checkAllowed(vault, path);
  checkWritable(vault, path);
  return placeOnDisk(vault, path);
}

function placeOnDisk(vault: VaultRoot, path: string): Place {
  return splitPath(statsAt(vault.disk, join(vault.root, path)) === undefined ? spelling(vault.root, path) : path);
}

/**
 * The place for a new file. Uses the existing folder's spelling, and creates no folder that differs from one only in case.
 * @throws PATH_NOT_ALLOWED; NOTE_EXISTS when the name is taken in any spelling
 */
export function freePlace(
  vault: VaultRoot,
  names: NamesOnDisk,
  path: string,
  { moved, isUndo, emptied }: NewFile,
): Place {
  checkAllowed(vault, path);
  checkWritable(vault, path);
  const { folder, name } = splitPath(path);
  const folders = isUndo ? undefined : new Set(moved?.folder.split('/'));
  const onDisk = folderOnDisk(vault, names, path, folder, { known: folders, emptied });
  const isNewName = moved?.name !== name;
  if (!isUndo) checkPortable(path, isNewName ? name : undefined, moved);
  const isMoved = (other: string): boolean => isNewName && moved?.folder === onDisk && moved.name === other;
  const isTaken = (other: string): boolean => (isUndo ? other === name : !isMoved(other));
  const [twin] = names.twinsOf(onDisk, name).filter(isTaken);
  if (twin !== undefined) throw twinError(vault, path, { folder: onDisk, name: twin });
  return { folder: onDisk, name };
}

export function nameTaken(place: Place): VaultgraphError {
  return new VaultgraphError('NOTE_EXISTS', { path: pathOf(place).normalize('NFC') });
}

/** That a file outside the view has this name in another case remains the view's. */
function twinError({ exclusion }: VaultRoot, path: string, twin: Place): VaultgraphError {
  return exclusion.view.shows(pathOf(twin).normalize('NFC')) ? nameTaken(twin) : notWritable(path);
}

export const pathOf = ({ folder, name }: Place): string => (folder === '' ? name : `${folder}/${name}`);

export function splitPath(path: string): Place {
  const at = path.lastIndexOf('/');
  return { folder: at < 0 ? '' : path.slice(0, at), name: path.slice(at + 1) };
}

const refused = (path: string, rule: string): VaultgraphError =>
  new VaultgraphError('PATH_NOT_ALLOWED', { path, rule });

const unportable = (path: string, rule: string): VaultgraphError =>
  new VaultgraphError('PATH_NOT_ALLOWED', { path, rule, instead: 'Choose a name that follows this rule.' });

function checkAllowed({ exclusion }: VaultRoot, path: string): void {
  const rule = brokenPathRule(path) ?? exclusion.ruleAgainst(path.normalize('NFC'));
  if (rule !== undefined) throw refused(path, rule);
}

function checkPortable(path: string, name: string | undefined, moved: Place | undefined): void {
  const isLonger = moved === undefined || path.length > pathOf(moved).length;
  const rule =
    (name === undefined ? undefined : unportableNameRule(name)) ?? (isLonger ? unportablePathRule(path) : undefined);
  if (rule !== undefined) throw unportable(path, rule);
}

/** @param known names of folders that the file is in now; any name is accepted if it is undefined */
function folderOnDisk(
  vault: VaultRoot,
  names: NamesOnDisk,
  path: string,
  folder: string,
  { known, emptied }: { readonly known: ReadonlySet<string> | undefined } & Pick<NewFile, 'emptied'>,
): string {
  let spelled = '';
  for (const segment of folder === '' ? [] : folder.split('/')) {
    const isMissing = statsAt(vault.disk, join(vault.root, pathOf({ folder: spelled, name: segment }))) === undefined;
    const isReplaced = (other: string): boolean => isMissing && emptied.has(pathOf({ folder: spelled, name: other }));
    const twins = names.twinsOf(spelled, segment).filter((other) => !isReplaced(other));
    const name = existingName(twins, segment, path, (other) =>
      mayBeSeen(vault, pathOf({ folder: spelled, name: other })),
    );
    const isNew = name === undefined && known?.has(segment) === false;
    const rule = isNew ? unportableNameRule(segment) : undefined;
    if (rule !== undefined) throw unportable(path, rule);
    spelled = pathOf({ folder: spelled, name: name ?? segment });
    const stats = statsAt(vault.disk, join(vault.root, spelled));
    if (stats !== undefined && !stats.isDirectory())
      throw refused(path, 'its folder is a symbolic link or not a folder');
  }
  return spelled;
}

const mayBeSeen = ({ exclusion }: VaultRoot, folder: string): boolean =>
  exclusion.view.mayHold(folder.normalize('NFC'));

/** Undefined for a folder that does not exist yet. */
function existingName(
  twins: readonly string[],
  segment: string,
  path: string,
  maySee: (name: string) => boolean,
): string | undefined {
  const isNormalized = (other: string): boolean => other.normalize('NFC') === segment.normalize('NFC');
  const name = twins.find((other) => other === segment) ?? twins.find(isNormalized);
  const [other] = twins;
  if (name === undefined && other !== undefined && !maySee(other)) throw notWritable(path);
  if (name === undefined && other !== undefined)
    throw refused(path, `its folder is spelled ${JSON.stringify(other.normalize('NFC'))} on disk`);
  return name;
}

/** If a folder of the path is missing, there is no other spelling. */
function spelling(root: string, path: string): string {
  try {
    return withOpenFolders(root, (folders) => findOnDiskSpelling(folders, path));
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT', 'ENOTDIR')) return path;
    throw thrown;
  }
}

/** Two names with the same folded form are one name on a system that ignores case. */
export const foldCase = (name: string): string => name.normalize('NFC').toLowerCase();

export interface NamesOnDisk {
  /** The names in a folder, as spelled on disk, with the same folded form, those of files in the cloud included; none if there is no such folder. */
  twinsOf(folder: string, name: string): readonly string[];
}

/** Lists each folder once for all operations of a change. */
export function readNames({ disk, root }: VaultRoot): NamesOnDisk {
  const listings = new Map<string, ReadonlyMap<string, readonly string[]>>();
  const namesIn = (folder: string): readonly string[] =>
    statsAt(disk, join(root, folder)) === undefined
      ? []
      : disk.readdirSync(join(root, folder)).map((name) => nameBehindStub(name) ?? name);
  return {
    twinsOf(folder, name) {
      const names = listings.get(folder) ?? Map.groupBy(namesIn(folder), foldCase);
      listings.set(folder, names);
      return names.get(foldCase(name)) ?? [];
    },
  };
}

/** The name itself, then numbered without end: `Note.md`, `Note 1.md`, `Note 2.md`. */
export function* numberedNames(name: string): Iterable<string> {
  const dot = name.lastIndexOf('.');
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  yield name;
  for (let number = 1; ; number += 1) yield `${stem} ${number}${extension}`;
}

/** The trash that Obsidian keeps in the vault's root; a file keeps its folders below it. */
const TRASH = '.trash';

/** @param assigned folded paths that the change already uses; the result is added */
export function freeInTrash({ disk, root }: VaultRoot, assigned: Set<string>, { folder, name }: Place): Place {
  const trashFolder = folder === '' ? TRASH : `${TRASH}/${folder}`;
  for (const free of numberedNames(name)) {
    const place = { folder: trashFolder, name: free };
    const path = pathOf(place);
    const isTaken = [path, stubOf(path)].some((each) => statsAt(disk, join(root, each)) !== undefined);
    if (assigned.has(foldCase(path)) || isTaken) continue;
    assigned.add(foldCase(path));
    return place;
  }
  throw new VaultgraphError('INTERNAL', { kind: 'no name is free in the trash' });
}

/** @throws PATH_NOT_ALLOWED for a path outside the trash */
export function trashedPlace(path: string): Place {
  const rule = path.startsWith(`${TRASH}/`) ? brokenPathRule(path.slice(TRASH.length + 1)) : 'it is not in the trash';
  if (rule !== undefined) throw refused(path, rule);
  return splitPath(path);
}

/** The spelling on disk of a folder to be removed if it is empty. @throws PATH_NOT_ALLOWED */
export function emptiedFolder(vault: VaultRoot, path: string): string {
  if (path === TRASH) return path;
  if (path.startsWith(`${TRASH}/`)) return pathOf(trashedPlace(path));
  checkAllowed(vault, path);
  return pathOf(placeOnDisk(vault, path));
}

const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;
const INVALID_ON_WINDOWS = /[<>:"|?*\\]/;
const INVALID_IN_LINKS = /[#^[\]]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
/** They turn the reading direction, so that a name looks like another one. */
const DIRECTION_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/;
/** The bytes of UTF-8 in one name: the limit of Linux and macOS. */
const MAX_NAME_BYTES = 255;
/** Windows allows 260 with the vault's folder. */
const MAX_PATH_LENGTH = 200;

function unportablePathRule(path: string): string | undefined {
  return path.length > MAX_PATH_LENGTH
    ? `it is longer than ${MAX_PATH_LENGTH} characters, which can be too long for Windows`
    : undefined;
}

/** The rule for PATH_NOT_ALLOWED that a new name breaks; undefined for a name that every system allows. */
function unportableNameRule(name: string): string | undefined {
  if (!name.isWellFormed()) return 'it contains half of a surrogate pair';
  if (name !== name.normalize('NFC')) return 'it is not in composed Unicode (NFC)';
  if (CONTROL.test(name)) return 'it contains a control character';
  if (DIRECTION_CONTROLS.test(name))
    return 'a new name may not contain the controls of the reading direction (U+202A to U+202E, U+2066 to U+2069)';
  if (INVALID_ON_WINDOWS.test(name)) return 'a name contains one of < > : " | ? * \\, which Windows does not allow';
  if (INVALID_IN_LINKS.test(name)) return 'a name contains one of # ^ [ ], which links cannot contain';
  if (/[. ]$/.test(name)) return 'a name ends with a dot or a space, which Windows drops';
  if (name.startsWith(' ')) return 'a name begins with a space';
  if (WINDOWS_DEVICE.test(name)) return 'a name is reserved by Windows';
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return `a name is longer than ${MAX_NAME_BYTES} bytes`;
  return undefined;
}
