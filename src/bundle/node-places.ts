// Lists where a Node of the user may be, since desktop applications do not have the user's PATH.
import { joinOn as join, rulesFor } from '../base/system/system-rules.ts';

export interface Computer {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly home: string;
  /** The names in a folder; empty for one that cannot be read. */
  list(folder: string): readonly string[];
}

/** Absolute paths in the order to try; most of them do not exist. */
export function nodePlaces(computer: Computer): string[] {
  const { delimiter, isAbsolute } = rulesFor(computer.platform).paths;
  const named = (computer.env.PATH ?? computer.env.Path ?? '').split(delimiter).filter(isAbsolute);
  const onPath = named.map((folder) => join(computer, folder, programOf(computer)));
  return [...new Set([...onPath, ...usualPlaces(computer), ...managedPlaces(computer)])];
}

const programOf = ({ platform }: Pick<Computer, 'platform'>): string => (platform === 'win32' ? 'node.exe' : 'node');

/** Where installers put it. */
function usualPlaces(computer: Computer): string[] {
  const { platform, env } = computer;
  if (platform === 'win32') {
    const folders = [
      env.ProgramFiles ?? 'C:\\Program Files',
      ...(env.NVM_SYMLINK === undefined ? [] : [env.NVM_SYMLINK]),
    ];
    return folders.map((folder, at) => join(computer, folder, ...(at === 0 ? ['nodejs'] : []), 'node.exe'));
  }
  const folders = [
    '/opt/homebrew/bin',
    '/usr/local/bin',
    '/opt/local/bin',
    '/usr/bin',
    '/home/linuxbrew/.linuxbrew/bin',
  ];
  return folders.map((folder) => join(computer, folder, 'node'));
}

/** Where managers of versions put it, the newest version first. */
function managedPlaces(computer: Computer): string[] {
  const { platform, env, home } = computer;
  const program = programOf(computer);
  const inHome = (...parts: readonly string[]): string => join(computer, home, ...parts);
  if (platform === 'win32') {
    const local = env.LOCALAPPDATA ?? inHome('AppData', 'Local');
    const roaming = env.APPDATA ?? inHome('AppData', 'Roaming');
    return [
      join(computer, local, 'Volta', 'bin', program),
      ...versionsIn(computer, join(computer, roaming, 'nvm'), program),
      ...versionsIn(computer, join(computer, roaming, 'fnm', 'node-versions'), 'installation', program),
    ];
  }
  const data = platform === 'darwin' ? inHome('Library', 'Application Support') : inHome('.local', 'share');
  return [
    inHome('.volta', 'bin', program),
    inHome('.local', 'share', 'mise', 'shims', program),
    inHome('.asdf', 'shims', program),
    ...versionsIn(computer, inHome('.nvm', 'versions', 'node'), 'bin', program),
    ...versionsIn(computer, join(computer, data, 'fnm', 'node-versions'), 'installation', 'bin', program),
  ];
}

function versionsIn(computer: Computer, folder: string, ...below: readonly string[]): string[] {
  const versions = computer.list(folder).filter((name) => /^v?\d+\./.test(name));
  const newestFirst = [...versions].sort((one, other) => other.localeCompare(one, 'en', { numeric: true }));
  return newestFirst.map((version) => join(computer, folder, version, ...below));
}
