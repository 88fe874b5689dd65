// Opens a file or folder with an exclusive lock, which the system frees when the handle is closed or its process ends.
import * as modules from 'node:module';
import { constants as system } from 'node:os';
import type * as Koffi from 'koffi';
import { errnoOrRethrow } from '../../../base/errno.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import { ownRules } from '../../../base/system/system-rules.ts';
import type { Disk } from './disk.ts';

/** A descriptor, or why there is none: another handle has the lock, or the file system gives no such locks. */
export type ExclusiveHandle = number | 'held' | 'refused';

/** The vault's name in errors, which do not show its real path. */
export const VAULT_NAME = 'the vault';

/** The arguments of flock(2). */
const [LOCK_EX, LOCK_NB] = [2, 4];
const IS_HELD = ['EAGAIN', 'EBUSY', 'EINTR', 'EWOULDBLOCK'];
const IS_REFUSED = ['EBADF', 'EINVAL', 'ENOLCK', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'];

const requireModule = modules.createRequire(import.meta.url);
let flock: ((descriptor: number) => number) | undefined;

/**
 * Does not wait. A lock belongs to the handle: another handle of the same process does not share it.
 * @throws the system errors of opening; FILE_WRITE_FAILED with ELIBACC if the part that locks does not load
 */
export function openExclusively(disk: Disk, path: string, flags: number): ExclusiveHandle {
  const { lockFlag } = ownRules();
  return lockFlag === undefined ? openAndLock(disk, path, flags) : openLocked(disk, path, flags | lockFlag);
}

function openAndLock(disk: Disk, path: string, flags: number): ExclusiveHandle {
  flock ??= loadFlock();
  const descriptor = disk.openSync(path, flags);
  const errno = flock(descriptor);
  if (errno === 0) return descriptor;
  disk.closeSync(descriptor);
  return errno === system.errno.EAGAIN || errno === system.errno.EINTR ? 'held' : 'refused';
}

function openLocked(disk: Disk, path: string, flags: number): ExclusiveHandle {
  try {
    return disk.openSync(path, flags);
  } catch (thrown) {
    const errno = errnoOrRethrow(thrown);
    if (IS_HELD.includes(errno)) return 'held';
    if (IS_REFUSED.includes(errno)) return 'refused';
    throw thrown;
  }
}

/** Node has no flock. Loaded with the first lock, which a read-only server never takes. */
function loadFlock(): (descriptor: number) => number {
  try {
    const koffi = requireModule('koffi') as typeof Koffi;
    const call = koffi.load(null).func('int flock(int descriptor, int operation)');
    return (descriptor) => (call(descriptor, LOCK_EX | LOCK_NB) === 0 ? 0 : koffi.errno());
  } catch (thrown) {
    const details = { path: VAULT_NAME, errno: 'ELIBACC', step: 'lock', original_intact: true };
    throw new VaultgraphError('FILE_WRITE_FAILED', details, { cause: thrown });
  }
}
