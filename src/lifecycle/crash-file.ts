// What an uncaught exception leaves behind for the next `status`: one line on stderr and one small file. Knows no tool.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Crash {
  /** ISO. */
  readonly time: string;
  readonly version: string;
  /** The exception's class and code; its message may quote a note and is left out. */
  readonly kind: string;
  readonly frames: readonly string[];
}

const FILE = 'crash.json';
const MOST_FRAMES = 8;

/** From now on an uncaught exception or rejection is recorded, and then `exit` ends the process. */
export function recordCrashes(dataFolder: string, version: string, exit: () => void): void {
  process.on('uncaughtException', (thrown: unknown) => {
    const crash = crashOf(thrown, version);
    // Synchronous both: the process is in no state to be waited for.
    writeFileSync(
      process.stderr.fd,
      `${JSON.stringify({ ts: crash.time, level: 'error', event: 'crash', ...crash })}\n`,
    );
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
    writeFileSync(join(dataFolder, FILE), JSON.stringify(crash));
    exit();
  });
}

/** The last crash of any server of this vault; undefined when there was none. */
export function lastCrash(dataFolder: string): Crash | undefined {
  try {
    return JSON.parse(readFileSync(join(dataFolder, FILE), 'utf8')) as Crash;
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return undefined;
    return { time: '', version: '', kind: 'a crash file that cannot be read', frames: [] };
  }
}

function crashOf(thrown: unknown, version: string): Crash {
  const frames = thrown instanceof Error ? (thrown.stack ?? '').split('\n').filter((row) => /^ +at /.test(row)) : [];
  return {
    time: new Date().toISOString(),
    version,
    kind: kindOf(thrown),
    frames: frames.slice(0, MOST_FRAMES).map(withoutFolders),
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
