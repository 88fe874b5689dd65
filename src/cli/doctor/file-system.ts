// Finds out from the system's list of mounts on what file system a folder is, without touching the folder, which may hang.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { ownRules } from '../../base/system/system-rules.ts';

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
