// Checks before a change begins that the disks have room for it, and adds the free space to the error of a full disk.
import type { StatsFs } from 'node:fs';
import { VaultgraphError } from '../../../base/errors.ts';
import { type Disk, tryQuietly } from './disk.ts';
import { CHANGE_LOG_NAME, type Images, type Intent } from './logged-change.ts';
import type { WriteContext } from './write-context.ts';

/** @throws FILE_WRITE_FAILED with ENOSPC if the disk of the vault, or that of the change log, has too little room */
export function checkSpace(context: WriteContext, intent: Intent, images: Images): void {
  const { disk, root, log } = context;
  const [vault, logDisk] = [statDisk(disk, root), statDisk(disk, log.folder)];
  const inVault = (blockBytes: number): number => bytesInVault(intent, images, blockBytes);
  const inLog = bytesInLog(intent, images);
  if (isOneDisk(disk, root, log.folder)) {
    checkDisk('the change', vault, (blockBytes) => inVault(blockBytes) + inLog);
    return;
  }
  checkDisk('the change', vault, inVault);
  checkDisk(CHANGE_LOG_NAME, logDisk, () => inLog);
}

/** @throws what `work` throws; the error of a full disk with the space that is free after the change was rolled back */
export function withFreeSpace<T>({ disk, root, log }: WriteContext, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof VaultgraphError) || !isDiskFull(thrown)) throw thrown;
    const stats = statDisk(disk, thrown.details.path.startsWith(CHANGE_LOG_NAME) ? log.folder : root);
    if (stats === undefined) throw thrown;
    const hasFileLimit = stats.files > 0;
    const free = { free_bytes: freeBytes(stats), ...(hasFileLimit && { free_files: stats.ffree }) };
    const details = { ...thrown.details, ...free };
    throw new VaultgraphError('FILE_WRITE_FAILED', details, { cause: thrown });
  }
}

function isDiskFull(error: VaultgraphError): error is VaultgraphError<'FILE_WRITE_FAILED'> {
  if (error.code !== 'FILE_WRITE_FAILED') return false;
  const { errno, free_bytes: free } = (error as VaultgraphError<'FILE_WRITE_FAILED'>).details;
  return errno === 'ENOSPC' && free === undefined;
}

function checkDisk(path: string, stats: StatsFs | undefined, neededBytes: (blockBytes: number) => number): void {
  if (stats === undefined) return;
  const [needed, free] = [neededBytes(stats.bsize), freeBytes(stats)];
  if (needed <= free) return;
  const details = { path, errno: 'ENOSPC', step: 'the space check', original_intact: true };
  throw new VaultgraphError('FILE_WRITE_FAILED', { ...details, free_bytes: free, needed_bytes: needed });
}

/** All new files exist beside the old ones before the first of them is replaced. A file that is only moved needs no room. */
function bytesInVault({ slots, folders }: Intent, images: Images, blockBytes: number): number {
  const contents = slots.filter(({ isCarried, respelled }) => isCarried !== true && respelled === undefined);
  const blocks = contents.map(({ after }) => Math.ceil((images.get(after ?? '')?.byteLength ?? 0) / blockBytes));
  return (blocks.reduce((sum, count) => sum + count, 0) + folders.length) * blockBytes;
}

function bytesInLog(intent: Intent, images: Images): number {
  const json = Buffer.byteLength(JSON.stringify(intent));
  return [...images.values()].reduce((sum, { byteLength }) => sum + byteLength, json);
}

/** Undefined if the file system does not say how much is free, as some network file systems do. */
function statDisk(disk: Disk, folder: string): StatsFs | undefined {
  let stats: StatsFs | undefined;
  tryQuietly(() => {
    stats = disk.statfsSync(folder);
  });
  return stats === undefined || stats.blocks === 0 ? undefined : stats;
}

const freeBytes = ({ bavail, bsize }: StatsFs): number => bavail * bsize;

function isOneDisk(disk: Disk, ...folders: readonly string[]): boolean {
  return new Set(folders.map((folder) => disk.lstatSync(disk.realpathSync(folder)).dev)).size === 1;
}
