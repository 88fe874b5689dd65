// Reports an uncaught exception on stderr and in a small file that the next `status` reads.
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFileSync } from '../base/atomic-write.ts';
import { errnoOf } from '../base/errno.ts';
import { makeFolder } from '../base/make-folder.ts';
import { isObject } from '../base/plain-object.ts';
import { readOwnJson } from '../base/system/own-file.ts';
import { visibleJson } from '../base/visible-controls.ts';

export interface Crash {
  /** ISO. */
  readonly time: string;
  readonly version: string;
  /** The exception's class and code; its message may quote a note and is left out. */
  readonly kind: string;
  readonly frames: readonly string[];
}

const FILE = 'crash.json';
const MAX_FRAMES = 8;
/** After a week `status` no longer shows a crash; `doctor` and the log still do. */
const MAX_TOLD_MS = 7 * 24 * 60 * 60 * 1_000;

const keptIn = new Set<string>();

/** Where crashes from now on leave their file, too. */
export function keepCrashesIn(dataFolder: string): void {
  keptIn.add(dataFolder);
}

/**
 * Reports every later uncaught exception or rejection, then ends the process with `exit`. One of the two failing, or a second
 * exception, changes nothing of that.
 */
export function recordCrashes(version: string, exit: () => void): void {
  let hasCrashed = false;
  process.on('uncaughtException', (thrown: unknown) => {
    if (hasCrashed) return exit();
    hasCrashed = true;
    const crash = crashOf(thrown, version);
    // Synchronous both: the process is in no state to be waited for.
    const faults = [...keptIn].flatMap((folder) => faultOf(keepIn(folder, crash)) ?? []);
    const unkept = keptIn.size === 0 ? 'no data folder yet' : faults[0];
    const line = { ts: crash.time, level: 'error', event: 'crash', version, kind: crash.kind };
    const shown = { ...line, frames: crash.frames.join(' < '), ...(unkept && { reason: `no crash file: ${unkept}` }) };
    // If stderr is closed as well, only the exit code is left.
    faultOf(() => void writeSync(process.stderr.fd, `${visibleJson(shown)}\n`));
    exit();
  });
}

const keepIn = (folder: string, crash: Crash) => (): void => {
  makeFolder(folder, 0o700);
  replaceFileSync(join(folder, FILE), JSON.stringify(crash));
};

/** The errno of what kept it from being done. */
function faultOf(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (thrown) {
    return errnoOf(thrown);
  }
}

/** The last crash of any server of this vault within a week; undefined when there was none. */
export function lastCrash(dataFolder: string, now = Date.now()): Crash | undefined {
  const crash = keptCrash(dataFolder);
  return crash === undefined || now - Date.parse(crash.time) > MAX_TOLD_MS ? undefined : crash;
}

/** An invalid report counts as one that cannot be read. */
function keptCrash(dataFolder: string): Crash | undefined {
  try {
    const crash = readOwnJson(join(dataFolder, FILE));
    if (isCrash(crash)) return crash;
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return undefined;
  }
  return { time: '', version: '', kind: 'a crash file that cannot be read', frames: [] };
}

function isCrash(value: unknown): value is Crash {
  if (!isObject(value)) return false;
  const { time, version, kind, frames } = value;
  const isDated = typeof time === 'string' && !Number.isNaN(Date.parse(time));
  const hasFrames = Array.isArray(frames) && frames.every((frame) => typeof frame === 'string');
  return isDated && hasFrames && typeof version === 'string' && typeof kind === 'string';
}

function crashOf(thrown: unknown, version: string): Crash {
  const frames = thrown instanceof Error ? (thrown.stack ?? '').split('\n').filter((row) => /^ +at /.test(row)) : [];
  return {
    time: new Date().toISOString(),
    version,
    kind: kindOf(thrown),
    frames: frames.slice(0, MAX_FRAMES).map(withoutFolders),
  };
}

function kindOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown;
  return 'code' in thrown ? `${thrown.name} ${thrown.code}` : thrown.name;
}

/** The folders above a file may name the user. */
function withoutFolders(frame: string): string {
  return frame.trim().replace(/(file:\/\/)?\/.*\/(?=[^/]+$)/, '');
}
