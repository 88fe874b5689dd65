// Doctor checks for the machine: the disk of the index, the folder of the change log and the limit of watched folders.
import { readFile } from 'node:fs/promises';
import * as modules from 'node:module';
import { checkStateFolder } from '../../app/state-folder.ts';
import { NEVER } from '../../base/async/waits.ts';
import { realPathOf } from '../../base/local-path.ts';
import { foldersAbove } from '../../base/note.ts';
import { ownRules } from '../../base/system/system-rules.ts';
import type { Vault } from '../../contracts/vault.ts';
import { type Finding, failing, ok, warning } from './finding.ts';
import { fileSystemOf, sharedFileSystem } from './other-writers.ts';

/** Folders of sync clients, which copy a database while it is being written. */
const SYNCED =
  /[/\\](Dropbox[^/\\]*|OneDrive[^/\\]*|iCloud ?Drive|Mobile Documents|CloudStorage|Google ?Drive|My Drive|Nextcloud|ownCloud|Syncthing|pCloudDrive|MEGA|Box Sync)[/\\]/i;
const HINT = 'place the index on a local disk with --data-dir';

/** @param typeOf returns the type of a folder's file system, or undefined if unknown */
export async function dataFolderFinding(folder: string, typeOf = fileSystemOf): Promise<Finding> {
  if (SYNCED.test(`${folder}/`)) return warning('the index is in a folder that a sync client copies', HINT);
  const type = await typeOf(await realPathOf(folder));
  const kind = sharedFileSystem(folder, type) ?? (type?.startsWith('fuse') ? 'FUSE' : undefined);
  if (kind === undefined) return ok('outside the vault, not in a synced folder, on a local disk');
  return warning(`the index is on ${kind}, where a database is not safe`, HINT);
}

/** @param isUsed whether the vault may be written */
export async function stateFolderFinding(folder: string, isUsed: boolean): Promise<Finding> {
  const { path, errno } = await checkStateFolder(folder);
  if (!isUsed && errno === undefined) return ok(`${path}; has the feed of changes only, as the vault is read-only`);
  if (!isUsed)
    return warning(
      `${path} cannot be written (${errno}), so that no feed of changes is kept`,
      'grant write permission on it, or name another folder with --state-dir',
    );
  if (errno === undefined) return ok(`${path} can be written`);
  return failing(
    `${path} cannot be written (${errno}), so that no note can be changed`,
    'grant write permission on it, or name another folder with --state-dir',
  );
}

const WATCHES = '/proc/sys/fs/inotify/max_user_watches';
/** All programs of a user share the limit, so only this share of it counts as free. */
const OWN_SHARE = 0.8;

/** @param limitFile the file with the limit of watches per user; without it there is no limit */
export async function watchesFinding(vault: Pick<Vault, 'list'>, limitFile = WATCHES): Promise<Finding> {
  const [read] = await Promise.allSettled([readFile(limitFile, 'utf8')]);
  const limit = read.status === 'fulfilled' ? Number(read.value) : Number.NaN;
  if (!(limit > 0)) return ok('this system does not limit watched folders');
  const { files } = await vault.list(NEVER);
  const folders = new Set(files.flatMap(({ path }) => foldersAbove(path))).size + 1;
  const summary = `${folders} folders to watch, ${limit} allowed`;
  if (folders < limit * OWN_SHARE) return ok(summary);
  return warning(
    `${summary}; the vault is scanned at intervals instead, and changes appear later`,
    `raise the limit, for example with: sudo sysctl fs.inotify.max_user_watches=${Math.max(524_288, limit * 4)}`,
  );
}

const requireModule = modules.createRequire(import.meta.url);

interface Database {
  prepare(sql: string): { pluck(): { get(): unknown } };
  close(): void;
}

interface NativeModule {
  readonly name: string;
  /** What is used where it does not load. */
  readonly instead: string;
  /** Uses the binary and returns its version. @throws if it does not load */
  use(): string;
}

/** Databases are opened in memory only. */
const NATIVE_MODULES: readonly NativeModule[] = [
  {
    name: 'better-sqlite3',
    instead: 'node:sqlite',
    use: () => `SQLite ${inMemory((database) => answer(database, 'SELECT sqlite_version()'))}`,
  },
  {
    name: 'sqlite-vec',
    instead: 'node:sqlite',
    use: () =>
      `sqlite-vec ${inMemory((database) => {
        requireModule('sqlite-vec').load(database);
        return answer(database, 'SELECT vec_version()');
      })}`,
  },
  {
    name: '@parcel/watcher',
    instead: 'fs.watch',
    use: () => {
      requireModule('@parcel/watcher');
      return 'watcher';
    },
  },
  // Elsewhere the lock of the vault needs no module.
  ...(ownRules().lockFlag === undefined
    ? [{ name: 'koffi', instead: 'the program flock', use: () => `koffi ${requireModule('koffi').version}` }]
    : []),
];

export function nativeFinding(native: readonly NativeModule[] = NATIVE_MODULES): Finding {
  const { platform, arch } = process;
  const checked = native.map(({ name, instead, use }) => ({ name, instead, ...tryUse(use) }));
  const broken = checked.filter(({ version }) => version === undefined);
  if (broken.length === 0) return ok(`${checked.map(({ version }) => version).join(', ')} on ${platform} ${arch}`);
  const names = broken.map(({ name, instead, reason }) => `${name} does not load (${reason}), and ${instead} is used`);
  return warning(
    `${names.join('; ')} on ${platform} ${arch}, Node ${process.versions.node}`,
    'reinstall on this machine with optional dependencies (`npm ci` in a checkout); the folder may come from another system',
  );
}

/** Only the first line of a failure is kept: the others list paths. */
function tryUse(use: () => string): { readonly version?: string; readonly reason?: string } {
  try {
    return { version: use() };
  } catch (thrown) {
    return { reason: String(thrown instanceof Error ? thrown.message : thrown).split('\n')[0] ?? '' };
  }
}

function inMemory(use: (database: Database) => string): string {
  const database: Database = new (requireModule('better-sqlite3'))(':memory:');
  try {
    return use(database);
  } finally {
    database.close();
  }
}

const answer = (database: Database, sql: string): string => String(database.prepare(sql).pluck().get());
