// Finds the config file and the platform folders from flags and environment variables.
import { readFile, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { programName, shellWord } from '../base/command-line.ts';
import { errnoOrRethrow } from '../base/errno.ts';
import type { ConfigFault } from '../base/errors.ts';
import type { Environment } from './section.ts';

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
export function fromFlagOrVariable(
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
export function platformFolder(kind: FolderKind, sources: ConfigSources): Named {
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
