// Finds the vault that flag, variable or config name, and the folders for the index and the change log outside it.
import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { withLimit } from '../base/async/limits.ts';
import { errnoOrRethrow } from '../base/errno.ts';
import { type ConfigFault, VaultgraphError } from '../base/errors.ts';
import { liesInside } from '../base/local-path.ts';
import { NEVER } from '../base/until-aborted.ts';
import { EVERYTHING } from '../contracts/vault.ts';
import type { ConfigDocument, KeyPath, Place } from './config-document.ts';
import { absolutePath, type ConfigSources, fromFlagOrVariable, type Named, platformFolder } from './config-sources.ts';
import { readSection, valueAt } from './section.ts';

export interface VaultFolder {
  /** Absolute; the real path, unless the folder hung. */
  readonly root: string;
  readonly origin: string;
}

export interface VaultResult {
  /** Undefined if no vault is named, or its name is not a string. */
  readonly folder: VaultFolder | undefined;
  readonly faults: readonly ConfigFault[];
  /** Why the folder cannot be opened now: one of several vaults may come back later. */
  readonly unavailable?: UnavailableFolder;
}

export interface UnavailableFolder {
  readonly fault: ConfigFault;
  readonly errno: string;
}

interface NamedFolder {
  readonly path: string;
  readonly origin: string;
  readonly place: Place;
}

/** A folder that says no is a fault of the config; one that says nothing within this time is its calls' affair. */
const HANGS_AFTER_MS = 500;

const VAULT_PATH = z.looseObject({ path: z.string().min(1).optional() });

/** The section of the only vault; that of one of several is `vaults.NAME`. */
export const VAULT_KEY: KeyPath = ['vault'];

/**
 * Flag before variable before the path of the section at `key`, which is relative to the folder of `configPath`. Neither flag nor
 * variable replaces the folder of one of several vaults.
 */
export async function findVaultFolder(
  sources: ConfigSources,
  document: ConfigDocument,
  configPath: string,
  key: KeyPath = VAULT_KEY,
): Promise<VaultResult> {
  const { flags, cwd, home, env } = sources;
  const data = valueAt(document.data, key) ?? {};
  const read = readSection(VAULT_PATH, { document, path: key, data, taken: [] }, env);
  const outside =
    key.length > 1
      ? undefined
      : fromFlagOrVariable(sources, { name: '--vault', value: flags.vault }, 'OBSIDIAN_VAULT_PATH');
  if (outside?.rawPath === '') {
    return { folder: undefined, faults: [...read.faults, { file: outside.origin, what: 'names no folder' }] };
  }
  if (outside !== undefined) {
    const path = absolutePath(outside.rawPath, cwd, home);
    return checked({ path, origin: outside.origin, place: { file: outside.origin } }, key, read.faults);
  }
  const rawPath = read.value?.path;
  if (rawPath === undefined) return { folder: undefined, faults: read.faults };
  const place = document.placeOf([...key, 'path'], 'value');
  const path = absolutePath(rawPath, dirname(configPath), home);
  return checked({ path, place, origin: `${place.file}:${place.line}` }, key, read.faults);
}

async function checked(named: NamedFolder, key: KeyPath, faults: readonly ConfigFault[]): Promise<VaultResult> {
  const { path, origin, place } = named;
  try {
    return { folder: { root: await realFolder(path), origin }, faults };
  } catch (thrown) {
    const fault = { ...place, key: [...key, 'path'].join('.'), what: refusalOf(thrown, path) };
    const errno = thrown instanceof VaultgraphError ? 'ENOTDIR' : errnoOrRethrow(thrown);
    return { folder: { root: path, origin }, faults, unavailable: { fault, errno } };
  }
}

/** The real path of a folder, or the path as written if the disk does not answer in time. */
async function realFolder(path: string): Promise<string> {
  const hung = new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'ETIMEDOUT' });
  try {
    return await withLimit(
      HANGS_AFTER_MS,
      () => hung,
      NEVER,
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
  const errno = errnoOrRethrow(thrown);
  if (errno === 'ENOENT') return `no folder at ${path}`;
  return errno === 'ENOTDIR' ? `${path} is not a folder` : `${path} cannot be opened (${errno})`;
}

/** A folder for all vaults, each with a folder of its own in it. */
export interface OwnFolder {
  /** Absolute. */
  readonly path: string;
  readonly origin: string;
}

export interface OwnFolders {
  /** For what can be made again from the notes. */
  readonly data: OwnFolder;
  /** For what cannot: the change log. */
  readonly state: OwnFolder;
}

/** The state folder of a data folder that a flag names. */
const STATE_IN_DATA = 'state';
/** Hexadecimal digits that name a vault's folder: no two of one person's vaults will meet. */
const NAME_DIGITS = 16;

export function locateOwnFolders(sources: ConfigSources): OwnFolders {
  const { flags, cwd, home } = sources;
  const own = ({ rawPath, origin }: Named): OwnFolder => ({ path: absolutePath(rawPath, cwd, home), origin });
  const { dataDir, stateDir } = flags;
  const data = own(
    dataDir === undefined ? platformFolder('data', sources) : { rawPath: dataDir, origin: '--data-dir' },
  );
  if (stateDir !== undefined) return { data, state: own({ rawPath: stateDir, origin: '--state-dir' }) };
  if (dataDir === undefined) return { data, state: own(platformFolder('state', sources)) };
  return { data, state: { ...data, path: join(data.path, STATE_IN_DATA) } };
}

/** The folder of the vault with the real path `vaultRoot`, or of a part of it. */
export function folderOfVault({ path }: OwnFolder, vaultRoot: string, viewId?: string): string {
  return join(path, shortHash(viewId === undefined ? vaultRoot : `${vaultRoot}\0${viewId}`));
}

/** The same for the same globs in any order; undefined for all files. */
export function viewIdOf(globs: readonly string[]): string | undefined {
  const canonical = JSON.stringify([...new Set(globs)].sort());
  return canonical === JSON.stringify(EVERYTHING) ? undefined : shortHash(canonical);
}

/** As `viewIdOf`, for the files that are listed. */
export function scopeIdOf(read: readonly string[], exclude: readonly string[]): string | undefined {
  const view = viewIdOf(read) ?? '';
  return exclude.length === 0 ? viewIdOf(read) : shortHash(JSON.stringify([view, [...new Set(exclude)].sort()]));
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, NAME_DIGITS);
}

/** Nothing but notes is written to the vault, so a folder inside it is refused; one flag has at most one fault. */
export async function ownFolderFaults({ data, state }: OwnFolders, vaultRoot: string): Promise<readonly ConfigFault[]> {
  const [one, other] = await Promise.all([
    insideFault('data', data, vaultRoot),
    insideFault('state', state, vaultRoot),
  ]);
  return one.length > 0 && state.path === join(data.path, STATE_IN_DATA) ? one : [...one, ...other];
}

async function insideFault(name: keyof OwnFolders, folder: OwnFolder, vaultRoot: string): Promise<ConfigFault[]> {
  if (!(await liesInside(vaultRoot, folder.path))) return [];
  const file = folder.origin === 'default' ? `${name} folder` : folder.origin;
  return [{ file, what: `${folder.path} is inside the vault; name another place with --${name}-dir` }];
}
