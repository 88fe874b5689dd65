// Doctor checks for the machine: the disk of the index, the folder of the change log and the limit of watched folders.
import { readFile } from 'node:fs/promises';
import { foldersAbove } from '../../base/note.ts';
import { realPathOf } from '../../base/real-path.ts';
import { NEVER } from '../../base/until-aborted.ts';
import type { Vault } from '../../contracts/vault.ts';
import { checkStateFolder } from '../../lifecycle/state-folder.ts';
import { fileSystemOf, sharedFileSystem } from './file-system.ts';
import { type Finding, failing, ok, warning } from './finding.ts';

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
  if (!isUsed) return ok(`${path}; nothing is added to it, as the vault is read-only`);
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
  const found = `${folders} folders to watch, ${limit} allowed`;
  if (folders < limit * OWN_SHARE) return ok(found);
  return warning(
    `${found}; the vault is scanned at intervals instead, and changes appear later`,
    `raise the limit, for example with: sudo sysctl fs.inotify.max_user_watches=${Math.max(524_288, limit * 4)}`,
  );
}
