// Finds the config file and the platform folders from flags and environment variables.
import { readFile, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import type { ConfigFault } from '../../base/errors.ts';
import type { Environment } from './section.ts';

export interface ConfigSources {
  readonly flags: { readonly config?: string; readonly vault?: string; readonly dataDir?: string };
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  /** Absolute. */
  readonly home: string;
  readonly cwd: string;
}

export interface Named {
  /** As the user wrote it, or the absolute default path of the platform. */
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

const FOLDERS = {
  config: { windows: 'APPDATA', windowsDefault: 'AppData/Roaming', xdg: 'XDG_CONFIG_HOME', xdgDefault: '.config' },
  data: { windows: 'LOCALAPPDATA', windowsDefault: 'AppData/Local', xdg: 'XDG_DATA_HOME', xdgDefault: '.local/share' },
} as const;
type FolderKind = keyof typeof FOLDERS;

/** The folder `vaultgraph` in the platform's place for configs or for data; absolute, unless its variable is faulty. */
export function platformFolder(kind: FolderKind, sources: ConfigSources): Named {
  const [variable, byDefault] = folderNames(kind, sources.platform);
  const value = sources.env[variable];
  if (value) return { rawPath: join(value, 'vaultgraph'), origin: `$${variable}` };
  return { rawPath: join(sources.home, byDefault, 'vaultgraph'), origin: 'default' };
}

/** A relative folder would mean another place in every working directory. */
export function folderVariableFaults({ env, platform }: ConfigSources): ConfigFault[] {
  const variables = (['config', 'data'] as const).map((kind) => folderNames(kind, platform)[0]);
  const relative = variables.filter((variable) => env[variable] && !isAbsolute(env[variable]));
  return relative.map((variable) => ({ file: `$${variable}`, what: 'must be an absolute path' }));
}

function folderNames(kind: FolderKind, platform: NodeJS.Platform): readonly [variable: string, byDefault: string] {
  const { windows, windowsDefault, xdg, xdgDefault } = FOLDERS[kind];
  return platform === 'win32' ? [windows, windowsDefault] : [xdg, xdgDefault];
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
    return { file, text: undefined, faults: [{ file: file.origin, what: `no config file at ${file.rawPath}` }] };
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
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return ABSENT;
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'is not UTF-8 text';
  if (code === undefined) throw thrown;
  return `cannot be read (${code})`;
}
