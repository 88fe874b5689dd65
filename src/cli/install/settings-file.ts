// Reads and atomically replaces another program's settings file, with a backup and never over newer text.
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  openSync,
  readdirSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { flushFolder, replaceFile } from '../../base/atomic-write.ts';
import { errnoOf, errnoOrRethrow, isErrno } from '../../base/errno.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { makeFolderDurably } from '../../base/make-folder.ts';
import { readOwnFile } from '../../base/system/own-file.ts';
import { renamePatientlySync } from '../../base/system/rename.ts';

/** What an edit makes of a text. */
export interface Change {
  /** Undefined deletes the file. */
  readonly text: string | undefined;
  /** Only for an edit that restores an earlier text: which backups it makes superfluous. Then the present text needs none. */
  readonly isSpent?: (backup: string) => boolean;
}

export type Edit = (text: string) => Change;

export interface Edited {
  /** Undefined if there was no file. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** The backup of the old text; absent if nothing changed or there was no file. */
  readonly backup?: string;
}

/** The owner of the file may write at any moment; then the edit is repeated on the new text. */
const MAX_TRIES = 5;
const OWNER_ONLY = 0o600;
/** The newest backups of each settings file are kept. */
const MAX_BACKUPS = 3;
/** For a file that cannot be edited. */
export const SETTINGS_ADVICE = 'Correct this file, then run the command again.';

/** @returns undefined if there is no file. @throws FILE_UNREADABLE, CONFIG_INVALID if it is not UTF-8 */
export function readSettings(file: string): string | undefined {
  const bytes = ifThere(file, readOwnFile, undefined);
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (thrown) {
    const faults = [{ file, what: 'is not UTF-8 text; nothing was changed' }];
    throw new VaultgraphError('CONFIG_INVALID', { faults, advice: SETTINGS_ADVICE }, { cause: thrown });
  }
}

/** Returns the result of `edit` without writing it. */
export function previewSettings(file: string, edit: Edit): Edited & Pick<Change, 'isSpent'> {
  const before = readSettings(file);
  const { text: after, ...rest } = edit(before ?? '');
  // A missing file that would be empty is not created.
  return { before, after: before === undefined && after === '' ? undefined : after, ...rest };
}

/** Applies `edit` to the file; writes nothing if the text stays the same. @throws FILE_WRITE_FAILED, and what `edit` throws */
export async function editSettings(file: string, edit: Edit): Promise<Edited> {
  for (let tries = 1; ; tries += 1) {
    const planned = previewSettings(file, edit);
    const { before, after } = planned;
    if (after === before) return { before, after };
    const replaced = await writing(file, () => replace(file, planned, tries === MAX_TRIES));
    if (replaced !== undefined) return { before, after, ...replaced };
  }
}

/** The backups of the file, newest first. */
function backupsOf(file: string): string[] {
  const target = ifThere(file, (path) => realpathSync(path), file);
  const isOne = (name: string): boolean => name.startsWith(`${basename(target)}.vaultgraph-`) && name.endsWith('.bak');
  const names = ifThere(dirname(target), (path) => readdirSync(path), [])
    .filter(isOne)
    .sort()
    .reverse();
  return names.map((name) => join(dirname(target), name));
}

/** The texts of the backups that can be read, newest first: one that is damaged gives nothing back, and holds up nothing. */
export const backupTexts = (file: string): string[] => backupsOf(file).flatMap((backup) => backupText(backup) ?? []);

function backupText(backup: string): string | undefined {
  try {
    return readSettings(backup);
  } catch (thrown) {
    if (thrown instanceof VaultgraphError) return undefined;
    throw thrown;
  }
}

/** @returns undefined if another program has written the file in the meantime */
async function replace(file: string, planned: Edited & Pick<Change, 'isSpent'>, isLast: boolean) {
  const { before, after, isSpent } = planned;
  // A symbolic link to the file stays a link: some people keep all their settings in one folder.
  const target = ifThere(file, (path) => realpathSync(path), file);
  await makeMarkedFolder(dirname(target));
  let replaced: Pick<Edited, 'backup'> | undefined;
  const commit = (putInPlace: () => void): void => {
    const isNewer = readSettings(target) !== before;
    if (isNewer && isLast) throw failed(file, 'EBUSY', 'compare');
    if (isNewer) return;
    const backup = before === undefined || isSpent !== undefined ? undefined : backUp(target);
    try {
      putInPlace();
    } catch (thrown) {
      // The text is still in its place, unless the disk has lost its reply.
      if (backup !== undefined && readSettings(target) === before) unlessRefused(() => rmSync(backup));
      throw thrown;
    }
    // The settings are changed: a backup too many does not make that a failure.
    unlessRefused(() => removeBackups(target, isSpent));
    replaced = backup === undefined ? {} : { backup };
  };
  const mode = before === undefined ? OWNER_ONLY : statSync(target).mode & 0o777;
  const rename = (temporary: string) => commit(() => renamePatientlySync(temporary, target));
  if (after === undefined) {
    commit(() => rmSync(target));
    await flushFolder(dirname(target));
  } else await replaceFile(target, after, { mode, flush: true, commit: rename });
  return replaced;
}

function backUp(file: string): string {
  const stamp = new Date().toISOString().replaceAll(/[-:]/g, '').replace('.', '');
  const backup = `${file}.vaultgraph-${stamp}.bak`;
  try {
    copyFileSync(file, backup, constants.COPYFILE_EXCL);
    flush(backup);
    return backup;
  } catch (thrown) {
    // There is one of the same millisecond.
    if (isErrno(thrown, 'EEXIST')) return backUp(file);
    // Part of a text is no backup.
    unlessRefused(() => rmSync(backup, { force: true }));
    throw thrown;
  }
}

function unlessRefused(work: () => void): void {
  try {
    work();
  } catch (thrown) {
    if (!(thrown instanceof VaultgraphError) || thrown.code !== 'FILE_UNREADABLE') errnoOrRethrow(thrown);
  }
}

function removeBackups(file: string, isSpent: Change['isSpent']): void {
  const backups = backupsOf(file);
  const isOver = (text: string | undefined): boolean => text !== undefined && isSpent?.(text) === true;
  const spent = backups.filter((backup) => isOver(backupText(backup)));
  for (const backup of new Set([...spent, ...backups.slice(MAX_BACKUPS)])) rmSync(backup);
}

function flush(file: string): void {
  const descriptor = openSync(file, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Names, in a folder that `install` made, the topmost folder that it made for it. */
const MARKER = '.vaultgraph-folder';
/** A path without it was cut off by a full disk, and may be that of a folder that others made. */
const END = '\n';

async function makeMarkedFolder(folder: string): Promise<void> {
  const topmost = await makeFolderDurably(folder);
  if (topmost !== undefined) writeFileSync(join(folder, MARKER), `${topmost}${END}`, { mode: OWNER_ONLY });
}

/** Removes the folder and those above it, as far as `install` made them and they are empty. @param folder absolute */
export function removeMadeFolders(folder: string): void {
  const marker = join(folder, MARKER);
  // The server is out of the settings: a folder too many does not make that a failure.
  unlessRefused(() => {
    const text = ifThere(marker, (path) => readOwnFile(path).toString(), undefined);
    if (text?.endsWith(END) !== true) return;
    const topmost = text.slice(0, -END.length);
    rmSync(marker);
    const isMade = (path: string): boolean => path === topmost || path.startsWith(topmost + sep);
    for (let created = folder; isMade(created) && readdirSync(created).length === 0; created = dirname(created))
      rmdirSync(created);
  });
}

async function writing<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof VaultgraphError) throw thrown;
    throw failed(file, errnoOf(thrown), 'write', thrown);
  }
}

function failed(path: string, errno: string, step: string, cause?: unknown): VaultgraphError {
  return new VaultgraphError('FILE_WRITE_FAILED', { path, errno, step, original_intact: true }, { cause });
}

/** What `read` returns, or `otherwise` if the path does not exist. @throws FILE_UNREADABLE */
function ifThere<T, Otherwise>(path: string, read: (path: string) => T, otherwise: Otherwise): T | Otherwise {
  try {
    return read(path);
  } catch (thrown) {
    const errno = errnoOf(thrown);
    if (errno === 'ENOENT') return otherwise;
    throw new VaultgraphError('FILE_UNREADABLE', { path, errno }, { cause: thrown });
  }
}
