// Decides where the index file lies and makes its folder. Never inside the vault: there it would be synced, and the vault written to.
import { accessSync, constants, lstatSync, mkdirSync, realpathSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { VaultgraphError } from '../../../base/errors.ts';
import { shownPath, toStoreFault } from './store-errors.ts';

const FILE_NAME = 'index.db';

export interface Folders {
  readonly vaultRoot: string;
  readonly dataFolder: string;
}

/** The absolute path of the index file; its folder exists when this returns. @throws STORE_UNAVAILABLE, STORE_READONLY, STORE_FULL */
export function placeIndex(path: string | undefined, { vaultRoot, dataFolder }: Folders): string {
  const file = path === undefined ? join(dataFolder, FILE_NAME) : expandHome(path);
  try {
    refuseInside(vaultRoot, file);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Even a reader of the index writes beside it: who reads up to where.
    accessSync(dirname(file), constants.W_OK);
    return file;
  } catch (thrown) {
    throw toStoreFault(thrown, { op: 'open', file });
  }
}

export function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
}

function refuseInside(vaultRoot: string, file: string): void {
  const way = relative(realPathOf(vaultRoot), realPathOf(file));
  const outside = way.startsWith('..') || isAbsolute(way);
  if (outside) return;
  const reason = `${shownPath(file)} lies inside the vault; place the index elsewhere`;
  throw new VaultgraphError('STORE_UNAVAILABLE', { op: 'open', reason });
}

/** With the links resolved in as much of it as exists. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (thrown) {
    const missing = thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';
    if (!missing || dirname(path) === path) throw thrown;
    return join(realPathOf(dirname(path)), basename(path));
  }
}

/** Whether a configured path means one file, wherever the server is started. */
export function isPlaced(path: string): boolean {
  return isAbsolute(expandHome(path));
}

/** What SQLite may have laid beside the database; the log belongs to exactly this file. */
const PARTS = ['', '-wal', '-shm'];

/** @returns the new name of the file, in the same folder; undefined when there is none. @throws STORE_READONLY, STORE_FULL */
export function setAside(file: string): string | undefined {
  if (!isThere(file)) return undefined;
  const kept = `${file}.${new Date().toISOString().replaceAll(/[:.]/g, '-')}.aside`;
  try {
    for (const part of PARTS) if (isThere(file + part)) renameSync(file + part, kept + part);
  } catch (thrown) {
    throw toStoreFault(thrown, { op: 'set aside', file });
  }
  return basename(kept);
}

/** Also a link that leads nowhere. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
