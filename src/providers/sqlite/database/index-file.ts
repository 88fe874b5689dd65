// Decides where the index file is, creates its folder, and moves a damaged index out of the way.
import { accessSync, constants, lstatSync, mkdirSync, realpathSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { VaultgraphError } from '../../../base/errors.ts';
import { displayPath, toStoreError } from './store-errors.ts';

const FILE_NAME = 'index.db';

export interface Folders {
  readonly vaultRoot: string;
  readonly dataFolder: string;
}

/**
 * Creates the folder of the index file. The vault is refused, because the index would be synced there and the vault written to.
 * @returns the absolute path of the index file
 * @throws STORE_UNAVAILABLE, STORE_READONLY, STORE_FULL
 */
export function locateIndex(path: string | undefined, { vaultRoot, dataFolder }: Folders): string {
  const file = path === undefined ? join(dataFolder, FILE_NAME) : expandHome(path);
  try {
    refuseInside(vaultRoot, file);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // A reader writes to the folder too: SQLite's shared memory file.
    accessSync(dirname(file), constants.W_OK);
    return file;
  } catch (thrown) {
    throw toStoreError(thrown, { op: 'open', file });
  }
}

/** Whether a configured path means the same file wherever the server is started. */
export function isLocated(path: string): boolean {
  return isAbsolute(expandHome(path));
}

function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
}

function refuseInside(vaultRoot: string, file: string): void {
  const fromVault = relative(realPathOf(vaultRoot), realPathOf(file));
  if (fromVault.startsWith('..') || isAbsolute(fromVault)) return;
  const reason = `${displayPath(file)} is inside the vault; configure a path outside of it`;
  throw new VaultgraphError('STORE_UNAVAILABLE', { op: 'open', reason });
}

/** Resolves the symbolic links in the part of the path that exists. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (thrown) {
    const isMissing = thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';
    if (!isMissing || dirname(path) === path) throw thrown;
    return join(realPathOf(dirname(path)), basename(path));
  }
}

/** The database and the files that SQLite keeps next to it; the log belongs to exactly this database. */
const SUFFIXES = ['', '-wal', '-shm'];

/**
 * Renames the index file and its write-ahead log without reading them.
 * @returns the new name of the file, in the same folder; undefined if there is no index file
 * @throws STORE_READONLY, STORE_FULL
 */
export function setAside(file: string): string | undefined {
  if (!exists(file)) return undefined;
  const aside = `${file}.${new Date().toISOString().replaceAll(/[:.]/g, '-')}.aside`;
  try {
    for (const suffix of SUFFIXES) if (exists(file + suffix)) renameSync(file + suffix, aside + suffix);
  } catch (thrown) {
    throw toStoreError(thrown, { op: 'set aside', file });
  }
  return basename(aside);
}

/** Also true of a symbolic link whose target does not exist. */
function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
