// Where a path of the vault lies, or may lie, on disk: in which folder, under which spelling. Writes nothing.
import { join } from 'node:path';
import { VaultgraphError } from '../../../base/errors.ts';
import { findOnDiskSpelling } from '../on-disk-spelling.ts';
import { brokenPathRule } from '../vault-path.ts';
import { isErrno, statsAt } from './disk.ts';
import type { NamesOnDisk } from './names-on-disk.ts';
import type { Ground } from './vault-root.ts';

export interface Place {
  /** The folder as spelled on disk, `` for the root, and the name in it. */
  readonly folder: string;
  readonly name: string;
}

/** What comes to a free place. */
export interface Arrival {
  /** Where the file is now, when one is moved. */
  readonly moved?: Place;
  /** It was there before: then its name may come back, whatever other systems think of it, or of the names beside it. */
  readonly isBack: boolean;
}

const refused = (path: string, rule: string): VaultgraphError =>
  new VaultgraphError('PATH_NOT_ALLOWED', { path, rule });

/** Of a path that a file is at, or was. @throws PATH_NOT_ALLOWED */
export function placeOf(ground: Ground, path: string): Place {
  checkInside(ground, path);
  return split(statsAt(ground.disk, join(ground.root, path)) === undefined ? spelling(ground.root, path) : path);
}

/**
 * Of a path that a file is to be made at. A folder that differs only in case is not made beside the one there is.
 * @throws PATH_NOT_ALLOWED; NOTE_EXISTS when the name is taken, in whatever spelling
 */
export function freePlace(ground: Ground, names: NamesOnDisk, path: string, arrival: Arrival): Place {
  checkInside(ground, path);
  const { moved, isBack } = arrival;
  const { folder, name } = split(path);
  const onDisk = folderOnDisk(ground, names, path, folder, isBack);
  const isNewName = moved?.name !== name;
  if (!isBack) checkPortable(path, isNewName ? name : undefined, moved);
  const isMoved = (other: string): boolean => isNewName && moved?.folder === onDisk && moved.name === other;
  const isTaken = (other: string): boolean => (isBack ? other === name : !isMoved(other));
  const [twin] = names.twinsOf(onDisk, name).filter(isTaken);
  if (twin !== undefined) throw taken({ folder: onDisk, name: twin });
  return { folder: onDisk, name };
}

export function taken(place: Place): VaultgraphError {
  return new VaultgraphError('NOTE_EXISTS', { path: pathOf(place).normalize('NFC') });
}

export const pathOf = ({ folder, name }: Place): string => (folder === '' ? name : `${folder}/${name}`);

export function split(path: string): Place {
  const at = path.lastIndexOf('/');
  return { folder: at < 0 ? '' : path.slice(0, at), name: path.slice(at + 1) };
}

function checkInside({ exclusion }: Ground, path: string): void {
  const rule = brokenPathRule(path) ?? exclusion.ruleAgainst(path.normalize('NFC'));
  if (rule !== undefined) throw refused(path, rule);
}

function checkPortable(path: string, name: string | undefined, moved: Place | undefined): void {
  const isLonger = moved === undefined || path.length > pathOf(moved).length;
  const rule =
    (name === undefined ? undefined : unportableNameRule(name)) ?? (isLonger ? unportablePathRule(path) : undefined);
  if (rule !== undefined) throw refused(path, rule);
}

function folderOnDisk(ground: Ground, names: NamesOnDisk, path: string, folder: string, isBack: boolean): string {
  let found = '';
  for (const segment of folder === '' ? [] : folder.split('/')) {
    const name = folderName(names.twinsOf(found, segment), segment, path);
    const rule = isBack || name !== undefined ? undefined : unportableNameRule(segment);
    if (rule !== undefined) throw refused(path, rule);
    found = pathOf({ folder: found, name: name ?? segment });
    const stats = statsAt(ground.disk, join(ground.root, found));
    if (stats !== undefined && !stats.isDirectory()) throw refused(path, 'its folder is a symbolic link, or no folder');
  }
  return found;
}

/** Undefined for one that is not there yet. */
function folderName(twins: readonly string[], segment: string, path: string): string | undefined {
  const isNormalized = (other: string): boolean => other.normalize('NFC') === segment.normalize('NFC');
  const name = twins.find((other) => other === segment) ?? twins.find(isNormalized);
  const [other] = twins;
  if (name === undefined && other !== undefined)
    throw refused(path, `its folder is spelled ${JSON.stringify(other.normalize('NFC'))} on disk`);
  return name;
}

/** A folder on the way may be gone: then the path is as good as any other spelling. */
function spelling(root: string, path: string): string {
  try {
    return findOnDiskSpelling(root, path);
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT', 'ENOTDIR')) return path;
    throw thrown;
  }
}

const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;
const FOREIGN_TO_WINDOWS = /[<>:"|?*\\]/;
const FOREIGN_TO_LINKS = /[#^[\]]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
/** Of UTF-8, in one name: what Linux and macOS hold. */
const MAX_NAME_BYTES = 255;
/** Windows holds 260 in all, with the folder of the vault before it. */
const MAX_PATH_LENGTH = 200;

/** The rule that a new path breaks by its length; undefined when it breaks none. */
function unportablePathRule(path: string): string | undefined {
  return path.length > MAX_PATH_LENGTH
    ? `it is longer than ${MAX_PATH_LENGTH} characters, more than Windows may hold`
    : undefined;
}

/** The rule that a new file's or folder's name breaks, for PATH_NOT_ALLOWED; undefined when every system can hold it. */
function unportableNameRule(name: string): string | undefined {
  if (!name.isWellFormed()) return 'it holds half a character';
  if (name !== name.normalize('NFC')) return 'it is not in composed Unicode (NFC)';
  if (CONTROL.test(name)) return 'it holds a control character';
  if (FOREIGN_TO_WINDOWS.test(name)) return 'a name holds one of < > : " | ? * \\, which Windows cannot';
  if (FOREIGN_TO_LINKS.test(name)) return 'a name holds one of # ^ [ ], which no link can name';
  if (/[. ]$/.test(name)) return 'a name ends in a dot or a space, which Windows drops';
  if (name.startsWith(' ')) return 'a name begins with a space';
  if (WINDOWS_DEVICE.test(name)) return 'a name is reserved by Windows';
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return `a name is longer than ${MAX_NAME_BYTES} bytes`;
  return undefined;
}
