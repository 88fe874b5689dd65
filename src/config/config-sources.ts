// Finds what flags, environment variables and the config name: the config file, the vault, and the folders for index and change log.

import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import * as z from 'zod';
import { withLimit } from '../base/async/limits.ts';
import { NEVER } from '../base/async/waits.ts';
import { programName, shellWord } from '../base/command-line.ts';
import { errnoOrRethrow } from '../base/errno.ts';
import { type ConfigFault, VaultgraphError } from '../base/errors.ts';
import { liesInside } from '../base/local-path.ts';
import { EVERYTHING } from '../contracts/vault.ts';
import {
  type ConfigDocument,
  type Environment,
  type KeyPath,
  type Place,
  readSection,
  valueAt,
} from './config-document.ts';

export interface ConfigSources {
  readonly flags: {
    readonly config?: string;
    readonly vault?: string;
    readonly dataDir?: string;
    readonly stateDir?: string;
  };
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  /** Absolute. */
  readonly home: string;
  readonly cwd: string;
}

export interface Named {
  /** The path as the user wrote it, or the absolute default path of the platform. */
  readonly rawPath: string;
  /** `--config`, `$VAULTGRAPH_CONFIG` … or `default`. */
  readonly origin: string;
}

/** Flag before variable; a variable without text counts as not set, as the shells' own conventions have it. */
function fromFlagOrVariable(
  sources: ConfigSources,
  flag: { readonly name: string; readonly value: string | undefined },
  variable: string,
): Named | undefined {
  if (flag.value !== undefined) return { rawPath: flag.value, origin: flag.name };
  const value = sources.env[variable];
  return value ? { rawPath: value, origin: `$${variable}` } : undefined;
}

interface PlatformPlace {
  readonly variable: string;
  /** In the home folder. */
  readonly byDefault: string;
  readonly name: string;
}

const NAME = 'vaultgraph';
const LOCAL_DATA = { variable: 'LOCALAPPDATA', byDefault: 'AppData/Local' };
/** Windows has one place for data and state; its folders differ in name, so that one can be deleted without the other. */
const FOLDERS = {
  config: {
    windows: { variable: 'APPDATA', byDefault: 'AppData/Roaming', name: NAME },
    xdg: { variable: 'XDG_CONFIG_HOME', byDefault: '.config', name: NAME },
  },
  data: {
    windows: { ...LOCAL_DATA, name: NAME },
    xdg: { variable: 'XDG_DATA_HOME', byDefault: '.local/share', name: NAME },
  },
  state: {
    windows: { ...LOCAL_DATA, name: `${NAME}-state` },
    xdg: { variable: 'XDG_STATE_HOME', byDefault: '.local/state', name: NAME },
  },
} as const;
type FolderKind = keyof typeof FOLDERS;

/** Our folder in the platform's place for configs, data or state; absolute, unless its variable is faulty. */
function platformFolder(kind: FolderKind, sources: ConfigSources): Named {
  const { variable, byDefault, name } = placeOn(sources.platform, kind);
  const value = sources.env[variable];
  if (value) return { rawPath: join(value, name), origin: `$${variable}` };
  return { rawPath: join(sources.home, byDefault, name), origin: 'default' };
}

/** A relative folder would mean another place in every working directory. */
export function folderVariableFaults({ env, platform, home }: ConfigSources): ConfigFault[] {
  const kinds = Object.keys(FOLDERS) as FolderKind[];
  const variables = new Set(kinds.map((kind) => placeOn(platform, kind).variable));
  const relative = [...variables].filter((variable) => env[variable] && !isAbsolute(env[variable]));
  // On other systems the home folder is not from a variable alone.
  if (platform !== 'win32' && !isAbsolute(home)) relative.push('HOME');
  return relative.map((variable) => ({ file: `$${variable}`, what: 'must be an absolute path' }));
}

function placeOn(platform: NodeJS.Platform, kind: FolderKind): PlatformPlace {
  return platform === 'win32' ? FOLDERS[kind].windows : FOLDERS[kind].xdg;
}

/** Absolute, with a leading `~` as the home folder. */
export function absolutePath(rawPath: string, relativeTo: string, home: string): string {
  const expanded = /^~(?=$|[\\/])/.test(rawPath) ? join(home, rawPath.slice(1)) : rawPath;
  return resolve(relativeTo, expanded);
}

/** Far above any real config, far below what would hold up the start. */
const MAX_BYTES = 256 * 1024;

export interface ConfigFile extends Named {
  /** Absolute. */
  readonly path: string;
}

export type ReadFile =
  | { readonly file: ConfigFile; readonly text: string; readonly faults: readonly [] }
  | { readonly file: ConfigFile; readonly text: undefined; readonly faults: readonly ConfigFault[] };

/** The file from the flag or variable, else the platform default; never an unnamed one inside the vault. */
export function locateConfigFile(sources: ConfigSources): ConfigFile {
  const { flags, cwd, home } = sources;
  const named = fromFlagOrVariable(sources, { name: '--config', value: flags.config }, 'VAULTGRAPH_CONFIG');
  if (named !== undefined) return { ...named, path: absolutePath(named.rawPath, cwd, home) };
  const path = join(platformFolder('config', sources).rawPath, 'config.yaml');
  return { rawPath: path, origin: 'default', path };
}

/** `text` is undefined without a fault if no file was named and there is none in the default place. */
export async function readConfigFile(file: ConfigFile): Promise<ReadFile> {
  const refused = (what: string): ReadFile => ({ file, text: undefined, faults: [{ file: file.rawPath, what }] });
  try {
    const { size, isFile } = await statOf(file.path);
    if (!isFile) return refused('is not a file');
    if (size > MAX_BYTES) return refused(`is ${size} bytes long, a config has at most ${MAX_BYTES}`);
    return { file, text: decoded(await readFile(file.path)), faults: [] };
  } catch (thrown) {
    const reason = refusalOf(thrown);
    if (reason !== ABSENT) return refused(reason);
    if (file.origin === 'default') return { file, text: undefined, faults: [] };
    const init = `\`${programName()} init --config ${shellWord(file.rawPath)}\``;
    const advice = `Name a config file that exists, or run ${init} to write this one.`;
    return {
      file,
      text: undefined,
      faults: [{ file: file.origin, what: `no config file at ${file.rawPath}`, advice }],
    };
  }
}

/** Checks the file type first, because reading a pipe or device would never end. */
async function statOf(path: string): Promise<{ size: number; isFile: boolean }> {
  const stats = await stat(path);
  return { size: stats.size, isFile: stats.isFile() };
}

function decoded(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

const ABSENT = 'absent';

/** @throws any error that is not from the file system or the decoder */
function refusalOf(thrown: unknown): string {
  const code = errnoOrRethrow(thrown);
  if (code === 'ENOENT' || code === 'ENOTDIR') return ABSENT;
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'is not UTF-8 text';
  return `cannot be read (${code})`;
}

export interface VaultFolder {
  /** Absolute; the real path, unless the folder hung. */
  readonly root: string;
  readonly origin: string;
}

interface VaultResult {
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
  const { flags, cwd, home } = sources;
  const data = valueAt(document.data, key) ?? {};
  const section = readSection(VAULT_PATH, { document, path: key, data });
  const outside =
    key.length > 1
      ? undefined
      : fromFlagOrVariable(sources, { name: '--vault', value: flags.vault }, 'OBSIDIAN_VAULT_PATH');
  if (outside?.rawPath === '') {
    return { folder: undefined, faults: [...section.faults, { file: outside.origin, what: 'names no folder' }] };
  }
  if (outside !== undefined) {
    const path = absolutePath(outside.rawPath, cwd, home);
    return checked({ path, origin: outside.origin, place: { file: outside.origin } }, key, section.faults);
  }
  const rawPath = section.value?.path;
  if (rawPath === undefined) return { folder: undefined, faults: section.faults };
  const place = document.placeOf([...key, 'path'], 'value');
  const path = absolutePath(rawPath, dirname(configPath), home);
  return checked({ path, place, origin: `${place.file}:${place.line}` }, key, section.faults);
}

async function checked(named: NamedFolder, key: KeyPath, faults: readonly ConfigFault[]): Promise<VaultResult> {
  const { path, origin, place } = named;
  try {
    return { folder: { root: await realFolder(path), origin }, faults };
  } catch (thrown) {
    const fault = { ...place, key: [...key, 'path'].join('.'), what: folderRefusal(thrown, path) };
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
function folderRefusal(thrown: unknown, path: string): string {
  if (thrown instanceof VaultgraphError) return `${path} is not a folder`;
  const errno = errnoOrRethrow(thrown);
  if (errno === 'ENOENT') return `no folder at ${path}`;
  return errno === 'ENOTDIR' ? `${path} is not a folder` : `${path} cannot be opened (${errno})`;
}

/** A folder for all vaults, each with a folder of its own in it. */
interface OwnFolder {
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
  const folderOf = ({ rawPath, origin }: Named): OwnFolder => ({ path: absolutePath(rawPath, cwd, home), origin });
  const { dataDir, stateDir } = flags;
  const data = folderOf(
    dataDir === undefined ? platformFolder('data', sources) : { rawPath: dataDir, origin: '--data-dir' },
  );
  if (stateDir !== undefined) return { data, state: folderOf({ rawPath: stateDir, origin: '--state-dir' }) };
  if (dataDir === undefined) return { data, state: folderOf(platformFolder('state', sources)) };
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

/** The same as `viewIdOf`, for the files that are listed. */
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
