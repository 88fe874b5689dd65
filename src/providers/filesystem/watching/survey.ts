// Lists the vault's folders with their identities, for a watcher, without opening a file. Runs in a file thread.
import {
  accessSync,
  closeSync,
  constants,
  type Dirent,
  lstatSync,
  openSync,
  readdirSync,
  type Stats,
  watch,
} from 'node:fs';
import { join } from 'node:path';
import { errnoOrRethrow } from '../../../base/errno.ts';
import type { PathQuery, PathState, Survey } from '../file-task.ts';
import { statRoot } from '../list-files.ts';
import type { Exclusion } from '../path-rules.ts';

/** @throws VAULT_UNAVAILABLE */
export function surveyVault(root: string, exclusion: Exclusion, checkStop: () => void): Survey {
  const identity = identityOf(statRoot(root));
  const { folders, ignored } = surveyFolder(root, '', exclusion, checkStop);
  const errno = folders.has('') ? watcherFault(root) : 'EACCES';
  return { root: identity, folders, ignored, ...(errno !== undefined && { fault: errno }) };
}

/** What is at each of the paths now, in the given order. */
export function inspectPaths(
  root: string,
  paths: readonly PathQuery[],
  exclusion: Exclusion,
  checkStop: () => void,
): PathState[] {
  return paths.map(({ path, identity: identityBefore }) => {
    checkStop();
    const stats = statsOf(root, path);
    if (stats?.isDirectory() === false) return { path, stamp: fileStamp(stats) };
    const isHidden = stats === undefined || exclusion.hidesFolder(path.normalize('NFC'));
    if (isHidden) return { path };
    const identity = identityOf(stats);
    if (identity === identityBefore) return { path, identity };
    const { folders, files } = surveyFolder(root, path, exclusion, checkStop);
    return { path, identity, below: { folders, files } };
  });
}

/** Walks from `top` down. `ignored` are the folders that are excluded or cannot be listed. */
function surveyFolder(
  root: string,
  top: string,
  exclusion: Exclusion,
  checkStop: () => void,
): { readonly folders: Map<string, string>; readonly ignored: string[]; readonly files: string[] } {
  const folders = new Map<string, string>();
  const ignored: string[] = [];
  const files: string[] = [];
  const pending = [top];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const entries = entriesOf(root, folder);
    if (entries === undefined) ignored.push(folder);
    for (const entry of entries ?? []) {
      checkStop();
      const onDisk = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (!entry.isDirectory()) files.push(onDisk);
      else if (exclusion.hidesFolder(onDisk.normalize('NFC'))) ignored.push(onDisk);
      else pending.push(onDisk);
    }
    const identity = entries && folderIdentity(root, folder);
    if (identity !== undefined) folders.set(folder, identity);
  }
  return { folders, ignored, files };
}

/** Undefined where the native watcher would fail, because it reads every folder it watches. */
function entriesOf(root: string, folder: string): readonly Dirent[] | undefined {
  try {
    accessSync(join(root, folder), constants.R_OK | constants.X_OK);
    return readdirSync(join(root, folder), { withFileTypes: true });
  } catch (thrown) {
    errnoOrRethrow(thrown);
    return undefined;
  }
}

/** Undefined for anything but a folder. */
function folderIdentity(root: string, path: string): string | undefined {
  const stats = statsOf(root, path);
  return stats?.isDirectory() ? identityOf(stats) : undefined;
}

function statsOf(root: string, path: string): Stats | undefined {
  try {
    return lstatSync(join(root, path));
  } catch (thrown) {
    errnoOrRethrow(thrown);
    return undefined;
  }
}

export const identityOf = ({ dev, ino }: Stats): string => `${dev}:${ino}`;

/** The stamp of a file that may be missing. */
export function settingsStamp(file: string): string {
  const stats = statsOf(file, '');
  return stats === undefined ? NO_FILE : fileStamp(stats);
}

export const NO_FILE = 'none';

export const fileStamp = (stats: Stats): string => `${identityOf(stats)} ${stats.size} ${stats.mtimeMs}`;

/** Descriptors that the native watcher needs besides its own queue. */
const SPARE_DESCRIPTORS = 4;

/** The native watcher waits forever if it gets no queue or pipe, so the system is asked for them first. */
function watcherFault(root: string): string | undefined {
  const opened: number[] = [];
  try {
    watch(root).close();
    while (opened.length < SPARE_DESCRIPTORS) opened.push(openSync(root, 'r'));
    return undefined;
  } catch (thrown) {
    return errnoOrRethrow(thrown);
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
