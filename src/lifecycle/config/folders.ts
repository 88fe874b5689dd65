// Finds the vault that flag, variable or config name and makes sure it is a folder.
import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import * as z from 'zod';
import { type ConfigFault, VaultgraphError } from '../../base/errors.ts';
import { withLimit } from '../guard.ts';
import type { ConfigDocument, Place } from './config-document.ts';
import { absolutePath, type ConfigSources, fromFlagOrVariable, type Named, platformFolder } from './config-sources.ts';
import { readSection } from './section.ts';

export interface VaultFolder {
  /** Absolute; the real path, unless the folder hung. */
  readonly root: string;
  readonly origin: string;
}

export interface VaultResult {
  /** Undefined if no vault is named, or its name is not a string. */
  readonly folder: VaultFolder | undefined;
  readonly faults: readonly ConfigFault[];
}

interface NamedFolder {
  readonly path: string;
  readonly origin: string;
  readonly place: Place;
}

/** A folder that says no is a fault of the config; one that says nothing within this time is its calls' affair. */
const HANGS_AFTER_MS = 500;

const VAULT_PATH = z.looseObject({ path: z.string().min(1).optional() });

/** Flag before variable before the config's `vault.path`, which is relative to the folder of `configPath`. */
export async function findVaultFolder(
  sources: ConfigSources,
  document: ConfigDocument,
  configPath: string,
): Promise<VaultResult> {
  const { flags, cwd, home, env } = sources;
  const { vault: data = {} } = document.data;
  const read = readSection(VAULT_PATH, { document, path: ['vault'], data, taken: [] }, env);
  const outside = fromFlagOrVariable(sources, { name: '--vault', value: flags.vault }, 'OBSIDIAN_VAULT_PATH');
  if (outside?.rawPath === '') {
    return { folder: undefined, faults: [...read.faults, { file: outside.origin, what: 'names no folder' }] };
  }
  if (outside !== undefined) {
    const named = {
      origin: outside.origin,
      path: absolutePath(outside.rawPath, cwd, home),
      place: { file: outside.origin },
    };
    return checked(named, read.faults);
  }
  const rawPath = read.value?.path;
  if (rawPath === undefined) return { folder: undefined, faults: read.faults };
  const place = document.placeOf(['vault', 'path'], 'value');
  const path = absolutePath(rawPath, dirname(configPath), home);
  return checked({ path, place, origin: `${place.file}:${place.line}` }, read.faults);
}

async function checked(named: NamedFolder, faults: readonly ConfigFault[]): Promise<VaultResult> {
  const { path, origin, place } = named;
  const refused = (what: string): VaultResult => ({
    folder: { root: path, origin },
    faults: [...faults, { ...place, key: 'vault.path', what }],
  });
  try {
    return { folder: { root: await realFolder(path), origin }, faults };
  } catch (thrown) {
    return refused(refusalOf(thrown, path));
  }
}

/** The real path of a folder, or the path as written if the disk does not answer in time. */
async function realFolder(path: string): Promise<string> {
  const hung = new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'ETIMEDOUT' });
  try {
    return await withLimit(
      HANGS_AFTER_MS,
      () => hung,
      new AbortController().signal,
      () => resolveFolder(path),
    );
  } catch (thrown) {
    if (thrown === hung) return path;
    throw thrown;
  }
}

async function resolveFolder(path: string): Promise<string> {
  const root = await realpath(path);
  if (!(await stat(root)).isDirectory()) throw new VaultgraphError('VAULT_NOT_FOUND', { path });
  return root;
}

/** @throws any error that is not from the file system */
function refusalOf(thrown: unknown, path: string): string {
  if (thrown instanceof VaultgraphError) return `${path} is not a folder`;
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : undefined;
  if (code === 'ENOENT') return `no folder at ${path}`;
  if (code === undefined) throw thrown;
  return code === 'ENOTDIR' ? `${path} is not a folder` : `${path} cannot be opened (${code})`;
}

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
    flags.dataDir === undefined ? platformFolder('data', sources) : { rawPath: flags.dataDir, origin: '--data-dir' };
  return { path: absolutePath(named.rawPath, cwd, home), origin: named.origin };
}

/** The data folder of the vault with the real path `vaultRoot`. */
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
    // A problem with the rest of the path is reported when it is opened.
    const missing = thrown instanceof Error && 'code' in thrown && UNREACHED.has(String(thrown.code));
    if (!missing || dirname(path) === path) throw thrown;
    return join(await realPathOf(dirname(path)), basename(path));
  }
}
