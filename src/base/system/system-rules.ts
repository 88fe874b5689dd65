// What differs between the systems, as one table: other files ask it instead of the system's name.
import { constants } from 'node:fs';
import { type PlatformPath, posix, win32 } from 'node:path';

/** A folder that a variable names, and the folder without that variable. */
interface NamedFolder {
  readonly variable?: string;
  readonly byDefault: string;
}

export interface SystemRules {
  /** How it writes paths. */
  readonly paths: PlatformPath;
  /** Where desktop programs keep the settings of one user; the default is in the home folder. */
  readonly appFolder: NamedFolder;
  /** Where every user may make a file. */
  readonly sharedFolder: NamedFolder;
  /** The flag with which open(2) locks what it opens; undefined where flock(2) does it afterwards. */
  readonly lockFlag: number | undefined;
  /** Whether one program may lock a folder that others list meanwhile. */
  readonly canLockFolders: boolean;
  /** Whether a folder can be opened to flush renames in it; otherwise the system does that by itself. */
  readonly canSyncFolders: boolean;
  /** Whether a file can be removed while a program has it open. */
  readonly canRemoveOpenFiles: boolean;
  /** Whether the mode of a file says who may read it. */
  readonly hasModes: boolean;
  /** Whether `/proc` shows processes, threads and descriptors. */
  readonly hasProc: boolean;
  /** Where mounted file systems are listed: `/proc/self/mountinfo` or /sbin/mount. */
  readonly mountList: 'file' | 'command' | undefined;
  /** Whether freed memory between used parts stays with the process until the C library is asked for it. */
  readonly keepsFreedMemory: boolean;
  /** Whether the priority that a thread sets is its own; elsewhere it is that of the process. */
  readonly hasThreadPriorities: boolean;
  /** Whether a cloud drive takes the content of a file away in place: then it has a size and no blocks. */
  readonly canEvictFiles: boolean;
  /** Whether the native watcher misses what a folder contains when it arrives. */
  readonly missesNewFolders: boolean;
  /** Whether npm is a script that only a shell starts. */
  readonly npmNeedsShell: boolean;
  /** Signals that cannot be sent to a process, each with the one to send instead. */
  readonly unsendable: Readonly<Partial<Record<NodeJS.Signals, NodeJS.Signals>>>;
}

/** O_EXLOCK of macOS, and a flag of libuv for a Windows handle that no other may share. */
const [O_EXLOCK, UV_FS_O_EXLOCK] = [0x20, 0x1000_0000];

const LINUX: SystemRules = {
  paths: posix,
  appFolder: { variable: 'XDG_CONFIG_HOME', byDefault: '.config' },
  sharedFolder: { byDefault: '/tmp' },
  lockFlag: undefined,
  canLockFolders: true,
  canSyncFolders: true,
  canRemoveOpenFiles: true,
  hasModes: true,
  hasProc: true,
  mountList: 'file',
  keepsFreedMemory: true,
  hasThreadPriorities: true,
  canEvictFiles: false,
  missesNewFolders: true,
  npmNeedsShell: false,
  unsendable: {},
};

const MACOS: SystemRules = {
  ...LINUX,
  appFolder: { byDefault: 'Library/Application Support' },
  lockFlag: O_EXLOCK | (constants.O_NONBLOCK ?? 0),
  hasProc: false,
  mountList: 'command',
  keepsFreedMemory: false,
  hasThreadPriorities: false,
  canEvictFiles: true,
  missesNewFolders: false,
};

const WINDOWS: SystemRules = {
  paths: win32,
  appFolder: { variable: 'APPDATA', byDefault: 'AppData\\Roaming' },
  sharedFolder: { variable: 'ProgramData', byDefault: 'C:\\ProgramData' },
  lockFlag: UV_FS_O_EXLOCK,
  canLockFolders: false,
  canSyncFolders: false,
  canRemoveOpenFiles: false,
  hasModes: false,
  hasProc: false,
  mountList: undefined,
  keepsFreedMemory: false,
  hasThreadPriorities: false,
  canEvictFiles: false,
  missesNewFolders: false,
  npmNeedsShell: true,
  // A closed console is SIGHUP for the program in it, but the system cannot send that.
  unsendable: { SIGHUP: 'SIGTERM' },
};

/** The program refuses to start on every system but these three. */
export function rulesFor(platform: NodeJS.Platform): SystemRules {
  if (platform === 'win32') return WINDOWS;
  return platform === 'darwin' ? MACOS : LINUX;
}

export const ownRules = (): SystemRules => rulesFor(process.platform);

// Finds folders that each system has in a place of its own.

interface User {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly home: string;
}

/** Joins paths by the rules of the given system, so that every system can be tested anywhere. */
export function joinOn({ platform }: Pick<User, 'platform'>, ...parts: readonly string[]): string {
  return rulesFor(platform).paths.join(...parts);
}

/** Where desktop programs keep the settings of this user. */
export function appFolder({ platform, env, home }: User): string {
  const { variable = '', byDefault } = rulesFor(platform).appFolder;
  return env[variable] || joinOn({ platform }, home, byDefault);
}

/** Where every user of this machine may make a file. */
export function sharedFolder({ platform, env }: Pick<User, 'platform' | 'env'>): string {
  const { variable = '', byDefault } = rulesFor(platform).sharedFolder;
  return env[variable] || byDefault;
}

/** A relative path of the system with `/` between its folders. */
export function withSlashes(path: string, platform: NodeJS.Platform = process.platform): string {
  return path.replaceAll(rulesFor(platform).paths.sep, '/');
}
