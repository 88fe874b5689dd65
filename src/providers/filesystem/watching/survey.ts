// What a watcher has to know of a vault before it begins: its folders, and those to leave out. Opens no file. Runs in a file thread.
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
import { errnoOf } from '../errno.ts';
import type { Exclusion } from '../exclusion.ts';
import type { Survey } from '../file-task.ts';
import { statRoot } from '../list-files.ts';

/** @throws VAULT_UNAVAILABLE */
export function surveyVault(root: string, exclusion: Exclusion, beat: () => void): Survey {
  const mark = rootMark(root);
  const { folders, ignored } = surveyFolder(root, '', exclusion, beat);
  const errno = folders.has('') ? watcherFault(root) : 'EACCES';
  return { root: mark, folders, ignored, ...(errno !== undefined && { fault: errno }) };
}

/** The folders at and below `top` on disk, and among them those to leave out. */
export function surveyFolder(
  root: string,
  top: string,
  exclusion: Exclusion,
  beat: () => void,
): { readonly folders: Map<string, string>; readonly ignored: string[]; readonly files: string[] } {
  const folders = new Map<string, string>();
  const ignored: string[] = [];
  const files: string[] = [];
  const waiting = [top];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = entriesOf(root, folder);
    if (entries === undefined) ignored.push(folder);
    for (const entry of entries ?? []) {
      beat();
      const onDisk = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (!entry.isDirectory()) files.push(onDisk);
      else if (exclusion.hidesFolder(onDisk.normalize('NFC'))) ignored.push(onDisk);
      else waiting.push(onDisk);
    }
    const mark = entries && folderMark(root, folder);
    if (mark !== undefined) folders.set(folder, mark);
  }
  return { folders, ignored, files };
}

/** Undefined where the native watcher would fail: it has to look at whatever a folder holds. */
function entriesOf(root: string, folder: string): readonly Dirent[] | undefined {
  try {
    accessSync(join(root, folder), constants.R_OK | constants.X_OK);
    return readdirSync(join(root, folder), { withFileTypes: true });
  } catch (thrown) {
    errnoOf(thrown);
    return undefined;
  }
}

/** Undefined for what is no folder. */
export function folderMark(root: string, path: string): string | undefined {
  try {
    const stats = lstatSync(join(root, path));
    return stats.isDirectory() ? markOf(stats) : undefined;
  } catch (thrown) {
    errnoOf(thrown);
    return undefined;
  }
}

/** @throws VAULT_UNAVAILABLE */
export function rootMark(root: string): string {
  return markOf(statRoot(root));
}

function markOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}

/** Descriptors that the native watcher needs beside its own queue. */
const SPARE_DESCRIPTORS = 4;

/** The native watcher waits for ever where it gets no queue or pipe of its own, so another is asked for before. */
function watcherFault(root: string): string | undefined {
  const opened: number[] = [];
  try {
    watch(root).close();
    while (opened.length < SPARE_DESCRIPTORS) opened.push(openSync(root, 'r'));
    return undefined;
  } catch (thrown) {
    return errnoOf(thrown);
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
