// Doctor check for programs on other machines that may write to the vault: the lock that servers share does not reach them.

import { execFile } from 'node:child_process';
import { lstatSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { changesIn, type foreignChanges } from '../../app/closed-vault.ts';
import { NEVER } from '../../base/async/waits.ts';
import { errnoOrRethrow } from '../../base/errno.ts';
import { ownRules } from '../../base/system/system-rules.ts';
import type { Config } from '../../config/config.ts';
import type { Change } from '../../contracts/writer.ts';
import type { Loaded } from '../../lifecycle/loader.ts';
import { type Finding, ok, warning } from './finding.ts';
import { PROBE_LIMIT_MS } from './models.ts';

/** The newest changes that are looked at. */
const MAX_CHANGES = 200;
const HINT =
  'let only one machine write to it at a time: set vault.access to read-only for the others, or give each its own copy and sync them';

/** @throws why the lock cannot be had */
export async function otherWritersFinding({ providers }: Loaded, config: Config): Promise<Finding> {
  const shared = sharedFileSystem(config.vaultRoot, await fileSystemOf(config.vaultRoot));
  const changes = changesIn(config, MAX_CHANGES).map(({ change }) => change);
  const probes = await Promise.all(providers.map(({ probe }) => probe(NEVER, PROBE_LIMIT_MS)));
  const failure = probes.find(({ ok: isOk }) => !isOk)?.failure;
  if (failure !== undefined) throw failure;
  return machinesFinding(shared, changes, probes.map(({ detail }) => detail).join('; '));
}

/**
 * @param shared the vault's file system if other machines can write to it
 * @param changes newest first
 * @param lock says how servers of this machine write in turn
 */
export function machinesFinding(
  shared: string | undefined,
  changes: readonly Pick<Change, 'machine'>[],
  lock: string,
): Finding {
  if (shared !== undefined)
    return warning(`the vault is on ${shared}, and servers on other machines do not share the lock of this one`, HINT);
  const machines = machinesInTurn(changes);
  if (machines.length === 0) return ok(lock);
  return warning(`machines that do not share a lock write by turns: ${machines.join(', ')}`, HINT);
}

/**
 * The names of the machines that wrote, if one of them wrote again after another did: then both run. A machine that was restarted
 * counts as another one, but the one before never writes again.
 */
function machinesInTurn(changes: readonly Pick<Change, 'machine'>[]): readonly string[] {
  const wrote = changes.flatMap(({ machine }) => machine ?? []);
  const turns = wrote.filter((machine, at) => bootOf(machine) !== bootOf(wrote[at - 1] ?? ''));
  const boots = new Set(turns.map(bootOf));
  return turns.length > boots.size ? [...new Set(turns.map(nameOf))] : [];
}

const nameOf = (machine: string): string => machine.split(' ')[0] ?? '';
const bootOf = (machine: string): string => machine.split(' ')[1] ?? machine;

type Found = ReturnType<typeof foreignChanges>;

const MAX_SHOWN = 10;
const COMPLETE_HINT =
  'a server with the state folder of that change completes it: start one with write access there. If its log is gone, compare each note that is named with these files, keep the text that you want, and remove the files';

export function foreignFinding(root: string, { text, files }: Found): Finding {
  if (text === undefined) return ok('no temporary files of another server are in the vault');
  const shown = files.slice(0, MAX_SHOWN).map((file) => `${file.path} (${describe(root, file)})`);
  const more = files.length > MAX_SHOWN ? ` and ${files.length - MAX_SHOWN} more` : '';
  return warning(`${text}: ${shown.join('; ')}${more}`, COMPLETE_HINT);
}

/** Says which of the two texts a note has, as far as the files show it. */
function describe(root: string, { path, kind }: Found['files'][number]): string {
  if (kind === 'marker') return 'marks an empty file that takes the place of a new one';
  const note = sameFile(root, path);
  if (kind === 'new text') return note === undefined ? 'a new text that no note has yet' : `${note} has this new text`;
  return note === undefined
    ? 'the old text of a note that has its new text, or was moved or removed'
    : `${note} still has this old text`;
}

/** The name of another file in its folder that is the very same one. */
function sameFile(root: string, path: string): string | undefined {
  const folder = join(root, dirname(path));
  try {
    const { ino, dev } = lstatSync(join(root, path), { bigint: true });
    return readdirSync(folder).find((name) => {
      if (name === basename(path)) return false;
      const stats = lstatSync(join(folder, name), { bigint: true, throwIfNoEntry: false });
      return stats?.ino === ino && stats.dev === dev;
    });
  } catch (thrown) {
    // It was removed meanwhile.
    errnoOrRethrow(thrown);
    return undefined;
  }
}

/** One mounted file system; the type is the system's name for it, such as `ext4`, `nfs4` or `smbfs`. */
interface Mount {
  readonly folder: string;
  readonly type: string;
}

/** File systems that other machines can write to at the same time, by the names of Linux and macOS. */
const SHARED: readonly (readonly [types: RegExp, name: string])[] = [
  [/^nfs\d?$/, 'NFS'],
  [/^(?:cifs|smb3?|smbfs|smbnetfs|fuse\.smbnetfs)$/, 'SMB'],
  [/^9p$/, '9P'],
  [/^(?:afpfs|webdav|davfs|ceph|lustre|gpfs|afs|glusterfs)$/, 'a network file system'],
  [/^fuse\.(?:sshfs|rclone|davfs2?|s3fs|gcsfuse|glusterfs|ceph|cephfs|gvfsd-fuse)$/, 'a network file system'],
  [
    /^(?:virtiofs|vboxsf|prl_fs|vmhgfs|osxfs|fakeowner|fuse\.(?:vmhgfs-fuse|grpcfuse|osxfs))$/,
    'a drive of another machine',
  ],
];
const SHARE = /^[/\\]{2}[^/\\]/;

/** The type of the file system of a folder, which need not exist; undefined where the system has no list. */
export async function fileSystemOf(folder: string): Promise<string | undefined> {
  const above = (await mounts()).filter((mount) => `${folder}/`.startsWith(mount.folder.replace(/\/?$/, '/')));
  // A later mount hides an earlier one on the same folder.
  return above.toSorted((one, other) => one.folder.length - other.folder.length).at(-1)?.type;
}

/** What file system it is if other machines can write to it, in words; undefined if none can, or it is not known. */
export function sharedFileSystem(folder: string, type: string | undefined): string | undefined {
  if (SHARE.test(folder)) return 'a network share';
  return SHARED.find(([types]) => types.test(type ?? ''))?.[1];
}

async function mounts(): Promise<readonly Mount[]> {
  const { mountList } = ownRules();
  if (mountList === 'file') return parseMountInfo(await readFile('/proc/self/mountinfo', 'utf8'));
  if (mountList === undefined) return [];
  return parseMountOutput((await promisify(execFile)('/sbin/mount')).stdout);
}

/** `36 35 98:0 /root /folder rw,noatime master:1 - ext4 /dev/sda rw`, where a space in a folder is `\040`. */
export function parseMountInfo(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    const [fields = '', more = ''] = line.split(' - ');
    const [folder, type] = [fields.split(' ')[4], more.split(' ')[0]];
    if (folder === undefined || type === undefined) return [];
    return { folder: folder.replace(/\\(\d{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8))), type };
  });
}

/** `//ann@nas/notes on /Volumes/notes (smbfs, nodev, nosuid)` */
export function parseMountOutput(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    const [, folder, type] = / on (\/.*) \(([^,)]+)[^(]*\)$/.exec(line) ?? [];
    return folder === undefined || type === undefined ? [] : { folder, type };
  });
}
