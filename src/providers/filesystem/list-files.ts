// Lists a vault's files in one top-down walk, without opening files or following links. Runs in a file thread.
import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { errnoOrRethrow } from '../../base/errno.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { fileKindOf } from '../../base/note.ts';
import { comparePaths } from '../../base/path-order.ts';
import { isEvicted } from '../../base/system/evicted-file.ts';
import type { SkippedEntry } from '../../contracts/vault.ts';
import type { FileListTask, FoundFile, FoundFiles } from './file-task.ts';
import { type OpenFolders, withOpenFolders } from './open-folders.ts';
import { assignPaths, type Exclusion, isConflictCopy, nameBehindStub } from './path-rules.ts';
import { createdAt } from './read-file.ts';
import { parseScratchName } from './writing/scratch-names.ts';

/** Node puts it into a name that is not valid UTF-8; such a name cannot be opened. */
const REPLACEMENT = '\uFFFD';
const ANY_NOTE = 'a.md';

/** The part of a file's `Stats` that is kept during the walk; a whole one takes several times the memory. */
type SeenFile = Pick<FoundFile, 'sizeBytes' | 'modifiedMs' | 'createdMs' | 'changedMs' | 'evicted'> & {
  readonly onDisk: string;
  readonly isStub?: true;
};

interface Walk {
  readonly exclusion: Exclusion;
  /** Whether the path of a file, or of a folder above one, is to be listed; takes an NFC path. */
  readonly isWanted: (path: string) => boolean;
  readonly folders: string[];
  readonly files: SeenFile[];
  readonly skipped: SkippedEntry[];
  /** Undefined in a listing of some paths. */
  readonly scratch: string[] | undefined;
  readonly unreadable: Map<string, string>;
  /** How many notes are still to be found. */
  notesLeft: number;
}

interface ListedFolder {
  readonly path: string;
  readonly entries: readonly Dirent[];
}

/**
 * @param onFound called for each entry while it is found, named and sorted, with the files found so far; an error it throws ends the walk
 * @param part what the task limits the listing to
 * @throws VAULT_UNAVAILABLE when the root cannot be listed, or is another folder at the end
 */
export function listFiles(
  root: string,
  exclusion: Exclusion,
  onFound: (files: number) => void,
  { paths, some }: Pick<FileListTask, 'paths' | 'some'> = {},
): FoundFiles {
  const before = statRoot(root);
  const isWanted = paths === undefined ? (path: string) => !some?.except.has(path) : leadsToOneOf(paths);
  const scratch = paths === undefined ? [] : undefined;
  const notesLeft = some?.notes ?? Number.POSITIVE_INFINITY;
  const unreadable = new Map<string, string>();
  const walk: Walk = { exclusion, isWanted, folders: [''], files: [], skipped: [], scratch, unreadable, notesLeft };
  withOpenFolders(realPathOf(root), (folders) => {
    for (let folder = walk.folders.pop(); folder !== undefined && walk.notesLeft > 0; folder = walk.folders.pop())
      walkFolder(walk, folders, folder, onFound);
  });
  const after = statRoot(root);
  if (after.ino !== before.ino || after.dev !== before.dev)
    throw new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'ESTALE' });
  return foundFiles(walk, () => onFound(walk.files.length));
}

/** The vault's path without links, as it is now. @throws VAULT_UNAVAILABLE */
export function realPathOf(root: string): string {
  try {
    return realpathSync.native(root);
  } catch (thrown) {
    throw new VaultgraphError('VAULT_UNAVAILABLE', { errno: errnoOrRethrow(thrown) }, { cause: thrown });
  }
}

function leadsToOneOf(paths: readonly string[]): Walk['isWanted'] {
  const folders = new Set<string>();
  for (const path of paths) {
    const segments = path.normalize('NFC').split('/');
    for (const end of segments.keys()) folders.add(segments.slice(0, end + 1).join('/'));
  }
  return (path) => folders.has(path);
}

/** @throws VAULT_UNAVAILABLE */
export function statRoot(root: string): Stats {
  try {
    const stats = statSync(root);
    if (stats.isDirectory()) return stats;
  } catch (thrown) {
    throw new VaultgraphError('VAULT_UNAVAILABLE', { errno: errnoOrRethrow(thrown) }, { cause: thrown });
  }
  throw new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'ENOTDIR' });
}

function walkFolder(walk: Walk, folders: OpenFolders, folder: string, onFound: (files: number) => void): void {
  const listed = listFolder(walk, folders, folder);
  for (const entry of listed?.entries ?? []) {
    if (walk.notesLeft === 0) return;
    onFound(walk.files.length);
    visit(walk, folder, entry, `${listed?.path}/${entry.name}`);
  }
}

/** Undefined for a folder that cannot be listed. */
function listFolder(walk: Walk, folders: OpenFolders, folder: string): ListedFolder | undefined {
  try {
    const path = folders.pathOf(folder);
    if (path !== undefined) return { path, entries: readdirSync(path, { withFileTypes: true }) };
  } catch (thrown) {
    const errno = errnoOrRethrow(thrown);
    if (folder === '') throw new VaultgraphError('VAULT_UNAVAILABLE', { errno }, { cause: thrown });
    if (isUnlistable(folder, errno)) skip(walk, folder, 'unlistable_name');
    else addUnreadable(walk, folder, errno);
    return undefined;
  }
  if (folder === '') throw new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'ELOOP' });
  skip(walk, folder, 'symlink');
  return undefined;
}

/** @param file its path to be used for system calls */
function visit(walk: Walk, folder: string, entry: Dirent, file: string): void {
  const { name } = entry;
  const onDisk = folder === '' ? name : `${folder}/${name}`;
  const path = onDisk.normalize('NFC');
  if (name.startsWith('.')) visitHidden(walk, folder, name, file);
  else if (!walk.isWanted(path)) return;
  else if (entry.isDirectory() ? walk.exclusion.hidesFolder(path) : walk.exclusion.hidesFile(path)) return;
  else if (entry.isDirectory()) visitFolder(walk, onDisk);
  else if (entry.isSymbolicLink()) skip(walk, onDisk, 'symlink');
  else visitFile(walk, folder, onDisk, file);
}

/** A stub is listed as the file in the cloud that it is a placeholder for. */
function visitHidden(walk: Walk, folder: string, name: string, file: string): void {
  if (parseScratchName(name) !== undefined) noteScratch(walk, folder, name);
  const real = nameBehindStub(name);
  if (real === undefined) return;
  const onDisk = folder === '' ? real : `${folder}/${real}`;
  const path = onDisk.normalize('NFC');
  if (walk.isWanted(path) && !walk.exclusion.hidesFile(path)) visitFile(walk, folder, onDisk, file, true);
}

/** Clients learn nothing of a folder in which they see no note. */
function noteScratch({ exclusion, scratch }: Walk, folder: string, name: string): void {
  const inFolder = (file: string): string => (folder === '' ? file : `${folder}/${file}`).normalize('NFC');
  if (exclusion.view.shows(inFolder(ANY_NOTE))) scratch?.push(inFolder(name));
}

/** A folder named like a note is walked like any other, and reported as not being a file. */
function visitFolder(walk: Walk, onDisk: string): void {
  if (fileKindOf(onDisk) !== 'attachment') skip(walk, onDisk, 'not_a_file');
  walk.folders.push(onDisk);
}

function visitFile(walk: Walk, folder: string, onDisk: string, file: string, isStub = false): void {
  try {
    const stats = lstatSync(file);
    if (stats.isFile()) addFile(walk, { ...seenFile(onDisk, stats), ...(isStub && { evicted: true, isStub }) });
    else if (isStub) return;
    else if (stats.isDirectory()) visitFolder(walk, onDisk);
    else skip(walk, onDisk, stats.isSymbolicLink() ? 'symlink' : 'not_a_file');
  } catch (thrown) {
    const errno = errnoOrRethrow(thrown);
    if (isUnlistable(onDisk, errno)) skip(walk, onDisk, 'unlistable_name');
    else if (errno !== 'ENOENT' && folder !== '') addUnreadable(walk, folder, errno);
    // Other files of the root are listed, so that the file itself is named.
    else if (errno !== 'ENOENT') addUnreadable(walk, onDisk, errno, '');
  }
}

function addFile(walk: Walk, file: SeenFile): void {
  walk.files.push(file);
  if (fileKindOf(file.onDisk) !== 'attachment' && !file.evicted) walk.notesLeft -= 1;
}

/** A folder is part of the view if any note in it would be. @param below what is added to its path to ask for; empty for a file */
function addUnreadable({ exclusion, unreadable }: Walk, onDisk: string, errno: string, below = `/${ANY_NOTE}`): void {
  const path = onDisk.normalize('NFC');
  if (exclusion.view.shows(`${path}${below}`)) unreadable.set(path, errno);
}

function seenFile(onDisk: string, stats: Stats): SeenFile {
  const { size: sizeBytes, mtimeMs: modifiedMs, ctimeMs: changedMs } = stats;
  return { onDisk, sizeBytes, modifiedMs, changedMs, ...createdAt(stats), evicted: isEvicted(stats) };
}

function isUnlistable(onDisk: string, errno: string): boolean {
  return errno === 'ENOENT' && onDisk.includes(REPLACEMENT);
}

function skip(walk: Walk, onDisk: string, reason: SkippedEntry['reason']): void {
  const path = onDisk.normalize('NFC');
  if (walk.exclusion.view.shows(path)) walk.skipped.push({ path, reason });
}

/** Without the stubs of files that are there. */
function withoutStale(files: readonly SeenFile[]): readonly SeenFile[] {
  if (!files.some(({ isStub }) => isStub)) return files;
  const present = new Set(files.flatMap(({ onDisk, isStub }) => (isStub ? [] : [onDisk.normalize('NFC')])));
  return files.filter(({ onDisk, isStub }) => !isStub || !present.has(onDisk.normalize('NFC')));
}

function foundFiles({ files: seen, skipped, scratch, unreadable }: Walk, checkStop: () => void): FoundFiles {
  const files = withoutStale(seen);
  const paths = assignPaths(files.map(({ onDisk }) => onDisk));
  const statFiles = files.map(({ onDisk, isStub: _stub, ...stats }, index): FoundFile => {
    checkStop();
    const path = paths[index] ?? onDisk;
    const spelling = path === onDisk ? {} : { onDisk };
    const named = { path: path as FoundFile['path'], kind: fileKindOf(path), conflictCopy: isConflictCopy(path) };
    return { ...named, ...stats, ...spelling };
  });
  // Sorting the files of a vault of half a million takes seconds, in which the thread must not seem to hang.
  const byPath = (left: { path: string }, right: { path: string }): number => {
    checkStop();
    return comparePaths(left.path, right.path);
  };
  return {
    files: statFiles.sort(byPath),
    skipped: skipped.sort(byPath),
    unreadableFolders: [...unreadable].map(([path, errno]) => ({ path, errno })).sort(byPath),
    ...(scratch?.length && { scratch: scratch.sort(comparePaths) }),
  };
}
