// Where settings may come from besides the config file, and which folders the platform keeps them in. Reads nothing itself.
import { isAbsolute, join, resolve } from 'node:path';
import type { ConfigFault } from '../../base/errors.ts';
import type { Environment } from './secret-values.ts';

export interface ConfigSources {
  readonly flags: { readonly config?: string; readonly vault?: string; readonly dataDir?: string };
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  /** Absolute. */
  readonly home: string;
  readonly cwd: string;
}

export interface Named {
  /** As the user wrote it; an absolute path where it comes from the platform. */
  readonly written: string;
  /** `--config`, `$VAULTGRAPH_CONFIG` … or `default`. */
  readonly origin: string;
}

/** Flag before variable; a variable without text counts as not set, as the shells' own conventions have it. */
export function fromFlagOrVariable(
  sources: ConfigSources,
  flag: { readonly name: string; readonly value: string | undefined },
  variable: string,
): Named | undefined {
  if (flag.value !== undefined) return { written: flag.value, origin: flag.name };
  const value = sources.env[variable];
  return value ? { written: value, origin: `$${variable}` } : undefined;
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
  if (value) return { written: join(value, 'vaultgraph'), origin: `$${variable}` };
  return { written: join(sources.home, byDefault, 'vaultgraph'), origin: 'default' };
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
export function absolutePath(written: string, relativeTo: string, home: string): string {
  const expanded = /^~(?=$|[\\/])/.test(written) ? join(home, written.slice(1)) : written;
  return resolve(relativeTo, expanded);
}
