// What the wrapped file system and the test share: the kinds of faults, the calls they apply to, and the cells that arm them.

export const SHARED = 'vaultgraph faults';

/** The cells of the shared memory. */
export const CELL = { armed: 0, calls: 1, from: 2, times: 3, kind: 4, fired: 5, run: 6 } as const;

export interface Shared {
  readonly cells: Int32Array;
  /** The operation of each call that was counted. */
  readonly names: Uint8Array;
  /** The calls of this thread since it was emptied last. */
  readonly done: Done[];
}

/** A call of the main thread: what was done to which file or folder; `to` for one that gives another name. */
export interface Done {
  readonly operation: string;
  readonly path: string;
  readonly to: string | undefined;
}

/** `HALF` does a part of a write, read, copy or rename of a folder · `LATE` does all of it and then fails, as a lost reply of a network drive. */
export const KINDS = ['EIO', 'ENOSPC', 'EACCES', 'EBUSY', 'EMFILE', 'EINTR', 'HALF', 'LATE'] as const;
export type FaultKind = (typeof KINDS)[number];

/** `create` is an `open` that makes a file or writes to one. */
export const OPERATIONS: readonly string[] = [
  ...['access', 'appendFile', 'chmod', 'chown', 'close', 'copyFile', 'cp', 'exists', 'fchmod', 'fchown', 'fdatasync'],
  ...['fstat', 'fsync', 'ftruncate', 'link', 'lstat', 'mkdir', 'mkdtemp', 'open', 'opendir', 'read', 'readFile'],
  ...['readdir', 'readlink', 'realpath', 'rename', 'rm', 'rmdir', 'stat', 'statfs', 'symlink', 'truncate', 'unlink'],
  ...['utimes', 'write', 'writeFile', 'writev', 'create'],
];

const TAKES_SPACE = [
  'copyFile',
  'create',
  'fsync',
  'link',
  'mkdir',
  'rename',
  'symlink',
  'write',
  'writeFile',
  'writev',
  'close',
];
const OPENS = ['copyFile', 'create', 'open', 'opendir', 'readFile', 'readdir', 'writeFile'];
const BY_DESCRIPTOR = [
  'close',
  'fchmod',
  'fchown',
  'fdatasync',
  'fstat',
  'fsync',
  'ftruncate',
  'read',
  'write',
  'writev',
];
const BUSY = ['copyFile', 'create', 'link', 'mkdir', 'open', 'rename', 'rm', 'rmdir', 'unlink', 'writeFile'];
const INTERRUPTED = ['close', 'create', 'fsync', 'open', 'read', 'readFile', 'write', 'writeFile'];
const PARTIAL = ['copyFile', 'read', 'rename', 'write', 'writeFile'];
const CHANGES = [
  'chmod',
  'copyFile',
  'create',
  'fchmod',
  'ftruncate',
  'link',
  'mkdir',
  'rename',
  'rm',
  'rmdir',
  'unlink',
  'utimes',
  'write',
  'writeFile',
  'fsync',
];

/** Whether a system can answer this call so. */
export function appliesTo(kind: FaultKind, operation: string): boolean {
  const only: Partial<Record<FaultKind, readonly string[]>> = {
    ENOSPC: TAKES_SPACE,
    EMFILE: OPENS,
    EBUSY: BUSY,
    EINTR: INTERRUPTED,
    HALF: PARTIAL,
    LATE: CHANGES,
  };
  if (kind === 'EACCES') return !BY_DESCRIPTOR.includes(operation);
  return only[kind]?.includes(operation) ?? true;
}
