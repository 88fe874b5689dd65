// Decides where everything derived from one vault is kept. Creates nothing.
import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import type { ConfigFault } from '../../base/errors.ts';
import { absolutePath, type ConfigSources, type Named, platformFolder } from './config-sources.ts';

export interface DataFolder {
  /** Of all vaults; absolute. */
  readonly path: string;
  readonly origin: string;
}

/** Hexadecimal digits that name a vault's folder: no two of one person's vaults will meet. */
const NAME_DIGITS = 16;

export function locateDataFolder(sources: ConfigSources): DataFolder {
  const { flags, cwd, home } = sources;
  const named: Named =
    flags.dataDir === undefined ? platformFolder('data', sources) : { written: flags.dataDir, origin: '--data-dir' };
  return { path: absolutePath(named.written, cwd, home), origin: named.origin };
}

/** The folder of the vault with the real path `vaultRoot`, in whatever place the vault is opened from. */
export function folderOfVault(data: DataFolder, vaultRoot: string): string {
  return join(data.path, createHash('sha256').update(vaultRoot).digest('hex').slice(0, NAME_DIGITS));
}

/** The vault is never written to, so a data folder inside it is refused. */
export async function dataFolderFaults(data: DataFolder, vaultRoot: string): Promise<readonly ConfigFault[]> {
  if (!(await liesInside(vaultRoot, data.path))) return [];
  const file = data.origin === 'default' ? 'data folder' : data.origin;
  return [{ file, what: `${data.path} lies inside the vault; name another place with --data-dir` }];
}

/** Whether `path`, which may not be there yet, is the folder or below it. */
export async function liesInside(folder: string, path: string): Promise<boolean> {
  const way = relative(folder, await realPathOf(path));
  return !(way === '..' || way.startsWith('../') || way.startsWith('..\\') || isAbsolute(way));
}

const UNREACHED: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EACCES']);

/** With the links resolved in as much of the path as exists. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (thrown) {
    // What stands in the way of the rest is told when it is opened.
    const missing = thrown instanceof Error && 'code' in thrown && UNREACHED.has(String(thrown.code));
    if (!missing || dirname(path) === path) throw thrown;
    return join(await realPathOf(dirname(path)), basename(path));
  }
}
