// Decides where the index file is, creates its folder, and moves a damaged index out of the way.
import { accessSync, constants, existsSync, lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, extname, isAbsolute, join } from 'node:path';
import { errnoOrRethrow } from '../../../base/errno.ts';
import { type DetailsOf, VaultgraphError } from '../../../base/errors.ts';
import { liesInside } from '../../../base/local-path.ts';
import { makeFolder } from '../../../base/make-folder.ts';
import { renamePatientlySync } from '../../../base/system/rename.ts';
import { displayPath, isMissing, toStoreError } from './store-errors.ts';

const FILE_NAME = 'index.db';

export interface Folders {
  readonly vaultRoot: string;
  readonly dataFolder: string;
  readonly viewId?: string | undefined;
}

/**
 * A part of the vault has a file of its own beside a configured one. The vault is refused, because the index would be synced there and the vault written to.
 * @returns the absolute path of the index file
 * @throws STORE_UNAVAILABLE
 */
export async function locateIndex(
  path: string | undefined,
  { vaultRoot, dataFolder, viewId }: Folders,
): Promise<string> {
  const file = path === undefined ? join(dataFolder, FILE_NAME) : ofView(expandHome(path), viewId);
  const isInside = await liesInside(vaultRoot, file).catch((thrown: Error) => {
    throw toStoreError(thrown.cause, { op: 'open', file });
  });
  if (!isInside) return file;
  const reason = `${displayPath(file)} is inside the vault; configure a path outside of it`;
  const where = path === undefined ? 'with --data-dir' : 'in providers.store.path';
  const advice = `Ask the user to name a place outside the vault ${where}.`;
  throw new VaultgraphError('STORE_UNAVAILABLE', { op: 'open', reason, advice });
}

/**
 * Creates the folder of the index file.
 * @returns whether files can be made in it, which SQLite needs even to read; if not, there is an index
 * @throws STORE_READONLY if there is none; STORE_UNAVAILABLE, also if the system refuses to look; STORE_FULL
 */
export function isFolderWritable(file: string): boolean {
  try {
    const folder = dirname(file);
    // First, because on a read-only disk the system's reason to refuse a new folder is lost.
    accessSync(nearestFolder(folder), constants.W_OK);
    makeFolder(folder, 0o700);
    return true;
  } catch (thrown) {
    const error = toStoreError(thrown, { op: 'open', file });
    if (!(error instanceof VaultgraphError) || error.code !== 'STORE_READONLY') throw error;
    if (!isMissing(file)) return false;
    const details = error.details as DetailsOf<'STORE_READONLY'>;
    throw new VaultgraphError('STORE_READONLY', { ...details, index: 'missing' }, { cause: thrown });
  }
}

function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}

function ofView(file: string, viewId: string | undefined): string {
  if (viewId === undefined) return file;
  const extension = extname(file);
  return `${file.slice(0, file.length - extension.length)}-${viewId}${extension}`;
}

/** Whether a configured path means the same file wherever the server is started. */
export function isLocated(path: string): boolean {
  return isAbsolute(expandHome(path));
}

function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
}

/** The database and the files next to it that belong to exactly this database. */
const SUFFIXES = ['', '-wal', '-shm', '.seal', '.damaged'];

/**
 * Renames the index file and its write-ahead log without reading them.
 * @returns the new name of the file, in the same folder; undefined if there is no index file
 * @throws STORE_READONLY, STORE_FULL
 */
export function setAside(file: string): string | undefined {
  const aside = `${file}.${new Date().toISOString().replaceAll(/[:.]/g, '-')}.aside`;
  const moved: string[] = [];
  let hadFile = false;
  try {
    // What is left of an earlier failure goes, too: a log is of its database only.
    hadFile = exists(file);
    for (const suffix of SUFFIXES) {
      if (!exists(file + suffix)) continue;
      moved.push(suffix);
      renamePatientlySync(file + suffix, aside + suffix);
    }
  } catch (thrown) {
    // A database without its log, and a log without its database, which a new one would take for its own.
    for (const suffix of moved.toReversed()) moveBack(aside + suffix, file + suffix);
    throw toStoreError(thrown, { op: 'set aside', file });
  }
  return hadFile ? basename(aside) : undefined;
}

function moveBack(from: string, to: string): void {
  try {
    if (exists(from) && !exists(to)) renamePatientlySync(from, to);
  } catch (thrown) {
    errnoOrRethrow(thrown);
  }
}

/** Also true of a symbolic link whose target does not exist. */
function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
