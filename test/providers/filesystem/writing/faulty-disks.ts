// Wrappers of the real disk that fail, die or lack a feature, and that observe each call.
import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Disk } from '../../../../src/providers/filesystem/writing/disk.ts';

type Name = keyof Disk;
type Call = (...given: unknown[]) => unknown;

const NAMES: readonly Name[] = [
  'accessSync',
  'closeSync',
  'fchmodSync',
  'fchownSync',
  'fstatSync',
  'fsyncSync',
  'linkSync',
  'lstatSync',
  'mkdirSync',
  'openSync',
  'readFileSync',
  'readSync',
  'readdirSync',
  'readlinkSync',
  'realpathSync',
  'renameSync',
  'rmdirSync',
  'rmSync',
  'statfsSync',
  'unlinkSync',
  'utimesSync',
  'writeSync',
];

export function wrapDisk(disk: Disk, wrapped: (name: Name, call: Call) => Call): Disk {
  const made = Object.fromEntries(NAMES.map((name) => [name, wrapped(name, disk[name] as Call)]));
  const native = wrapped('realpathSync', disk.realpathSync.native as Call);
  return Object.assign(made, { realpathSync: Object.assign(made.realpathSync as Call, { native }) }) as unknown as Disk;
}

/** Skips fsync, because a killed process loses nothing that the system has. */
export const quickDisk: Disk = wrapDisk(fs, (name, call) => (name === 'fsyncSync' ? () => undefined : call));

const CHANGING: readonly Name[] = [
  'fchmodSync',
  'fchownSync',
  'linkSync',
  'mkdirSync',
  'renameSync',
  'rmdirSync',
  'rmSync',
  'unlinkSync',
  'writeSync',
];

/** Whether a call changes what is on disk; of `openSync` only what makes a file. */
export const isChanging = (name: Name, [, flags]: readonly unknown[]): boolean =>
  CHANGING.includes(name) || (name === 'openSync' && (flags === 'w' || flags === 'wx'));

/** @param before may throw in the place of the call, or do something first */
export function watchedDisk(before: (name: Name, given: readonly unknown[]) => void, disk: Disk = quickDisk): Disk {
  return wrapDisk(disk, (name, call) => (...given) => {
    before(name, given);
    return call(...given);
  });
}

/** Ends a simulated process; different from every error that the code handles. */
export class Killed extends Error {}

/** Whether `work` was killed. Rethrows any other error. */
export function isKilled(work: () => unknown): boolean {
  try {
    work();
    return false;
  } catch (thrown) {
    if (thrown instanceof Killed) return true;
    throw thrown;
  }
}

/** Dies at one call that changes the disk, and in the middle of it if it is a write. All later calls fail. */
export function dyingDisk(atCall: number, disk: Disk = quickDisk): Disk {
  let [calls, isDead] = [0, false];
  return wrapDisk(disk, (name, call) => (...given) => {
    const isLast = !isDead && isChanging(name, given) && calls++ === atCall;
    if (isLast && name === 'writeSync') tear(call, given);
    isDead ||= isLast;
    // A dead process has no open files.
    if (isDead && name !== 'closeSync') throw new Killed();
    return call(...given);
  });
}

function tear(write: Call, [descriptor, bytes]: readonly unknown[]): void {
  write(descriptor, bytes, 0, Math.floor((bytes as Uint8Array).byteLength / 2));
}

export interface Failure {
  /** The number of the first call that fails, among those of `isFailing`. */
  readonly from: number;
  /** How many of them fail. */
  readonly times: number;
  readonly errno: string;
  readonly isFailing: (name: Name, given: readonly unknown[]) => boolean;
}

/** A write that fails still writes half of its bytes. */
export function failingDisk({ from, times, errno, isFailing }: Failure, disk: Disk = quickDisk): Disk {
  let calls = 0;
  return wrapDisk(disk, (name, call) => (...given) => {
    const number = isFailing(name, given) ? calls++ : -1;
    if (number < from || number >= from + times) return call(...given);
    if (name === 'writeSync') tear(call, given);
    throw systemError(errno, name);
  });
}

function systemError(code: string, name: Name): Error {
  const syscall = name.replace(/^f?(.*)Sync$/, (whole, verb) => (whole === 'fsyncSync' ? 'fsync' : verb));
  return Object.assign(new Error(`${code}: ${syscall}`), { code, errno: -1, syscall });
}

/** A file system without hard links, such as exFAT. */
export function linklessDisk(disk: Disk = quickDisk): Disk {
  return wrapDisk(disk, (name, call) => {
    if (name !== 'linkSync') return call;
    return (_file, target) => {
      throw systemError(fs.lstatSync(String(target), { throwIfNoEntry: false }) ? 'EEXIST' : 'EPERM', name);
    };
  });
}

/** The number of path arguments of each call. */
const PATHS: Partial<Record<Name, number>> = {
  accessSync: 1,
  linkSync: 2,
  lstatSync: 1,
  mkdirSync: 1,
  openSync: 1,
  readFileSync: 1,
  renameSync: 2,
  rmSync: 1,
  rmdirSync: 1,
  unlinkSync: 1,
};

/** A file system that ignores case and normalization, such as APFS and NTFS. */
export function foldingDisk(disk: Disk = quickDisk): Disk {
  return wrapDisk(disk, (name, call) => {
    const count = PATHS[name];
    if (count === undefined) return call;
    return (...given) => {
      const onDisk = given.map((argument, at) => (at < count ? spelledOnDisk(String(argument)) : argument));
      if (name === 'renameSync' && onDisk[0] === onDisk[1]) return call(onDisk[0], given[1]);
      return call(...onDisk);
    };
  });
}

function spelledOnDisk(path: string): string {
  const folder = dirname(path);
  if (!fs.existsSync(folder)) return path;
  const folded = (name: string): string => name.normalize('NFC').toLowerCase();
  const names = fs.readdirSync(folder);
  const wanted = basename(path);
  const twin = names.find((name) => name === wanted) ?? names.find((name) => folded(name) === folded(wanted));
  return join(folder, twin ?? wanted);
}
