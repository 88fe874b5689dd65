// Doctor checks for the machine: the disk of the index and the limit of watched folders.
import { readFile, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errnoOf } from '../../base/errno.ts';
import type { Vault } from '../../contracts/vault.ts';
import { type Finding, NEVER, ok, warning } from './finding.ts';

/** Folders of sync clients, which copy a database while it is being written. */
const SYNCED =
  /[/\\](Dropbox[^/\\]*|OneDrive[^/\\]*|iCloud ?Drive|Mobile Documents|CloudStorage|Google ?Drive|My Drive|Nextcloud|ownCloud|Syncthing|pCloudDrive|MEGA|Box Sync)[/\\]/i;
const SHARE = /^[/\\]{2}[^/\\]/;
/** Linux type numbers of network file systems, on which database locks are not safe. */
const ELSEWHERE: Readonly<Record<number, string>> = {
  26985: 'NFS',
  20859: 'SMB',
  4283649346: 'CIFS',
  4266872130: 'SMB',
  16914839: '9P',
  1397113167: 'AFS',
  12805120: 'Ceph',
  1702057286: 'FUSE',
};
const HINT = 'place the index on a local disk with --data-dir';

/** @param kindOf returns the type number of a folder's file system, or undefined if unknown */
export async function dataFolderFinding(
  folder: string,
  kindOf: (folder: string) => Promise<number | undefined> = fileSystemOf,
): Promise<Finding> {
  if (SYNCED.test(`${folder}/`)) return warning('the index is in a folder that a sync client copies', HINT);
  const kind = SHARE.test(folder) ? 'a network share' : ELSEWHERE[(await kindOf(folder)) ?? 0];
  if (kind === undefined) return ok('outside the vault, not in a synced folder, on a local disk');
  return warning(`the index is on ${kind}, where a database is not safe`, HINT);
}

/** The file system of the nearest existing parent folder. */
async function fileSystemOf(folder: string): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  const [outcome] = await Promise.allSettled([statfs(folder)]);
  if (outcome.status === 'fulfilled') return outcome.value.type;
  const above = dirname(folder);
  return errnoOf(outcome.reason) === 'ENOENT' && above !== folder ? fileSystemOf(above) : undefined;
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

function foldersAbove(path: string): string[] {
  const steps = path.split('/').slice(0, -1);
  return steps.map((_, at) => steps.slice(0, at + 1).join('/'));
}
