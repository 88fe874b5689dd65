// What `vaultgraph doctor` looks at of the machine: where the index lies, how many folders it lets a process watch. Changes nothing.
import { readFile, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Vault } from '../../contracts/vault.ts';
import { errnoOf } from '../../lifecycle/log-file.ts';
import { type Finding, NEVER, ok, warning } from './finding.ts';

/** Folders of sync clients: a database in one is copied while it is written. */
const SYNCED =
  /[/\\](Dropbox[^/\\]*|OneDrive[^/\\]*|iCloud ?Drive|Mobile Documents|CloudStorage|Google ?Drive|My Drive|Nextcloud|ownCloud|Syncthing|pCloudDrive|MEGA|Box Sync)[/\\]/i;
const SHARE = /^[/\\]{2}[^/\\]/;
/** What Linux calls file systems that lie elsewhere: locks of a database are not safe there. */
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

/** @param kindOf the number of the file system that a folder lies on; undefined where that tells nothing */
export async function dataFolderFinding(
  folder: string,
  kindOf: (folder: string) => Promise<number | undefined> = fileSystemOf,
): Promise<Finding> {
  if (SYNCED.test(`${folder}/`)) return warning('the index is in a folder that a sync client copies', HINT);
  const kind = SHARE.test(folder) ? 'a network share' : ELSEWHERE[(await kindOf(folder)) ?? 0];
  if (kind === undefined) return ok('outside the vault, not in a synced folder, on a local disk');
  return warning(`the index is on ${kind}, where a database is not safe`, HINT);
}

/** Of the nearest folder above that is there. */
async function fileSystemOf(folder: string): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  const [asked] = await Promise.allSettled([statfs(folder)]);
  if (asked.status === 'fulfilled') return asked.value.type;
  const above = dirname(folder);
  return errnoOf(asked.reason) === 'ENOENT' && above !== folder ? fileSystemOf(above) : undefined;
}

const WATCHES = '/proc/sys/fs/inotify/max_user_watches';
/** All programs of a user share the limit. */
const OWN_SHARE = 0.8;

/** @param limitFile holds how many folders a user's programs may watch; where there is none, there is no such limit */
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
