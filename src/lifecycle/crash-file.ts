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
const EXIT_FAILED = 1;

/** From now on an uncaught exception or rejection ends the process with 1, after both records are on their way out. */
export function recordCrashes(dataFolder: string, version: string): void {
  process.on('uncaughtException', (thrown: unknown) => {
    const crash = crashOf(thrown, version);
    // Synchronous both: the process is in no state to be waited for.
    writeFileSync(
      process.stderr.fd,
      `${JSON.stringify({ ts: crash.time, level: 'error', event: 'crash', ...crash })}\n`,
    );
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
    writeFileSync(join(dataFolder, FILE), JSON.stringify(crash));
    process.exit(EXIT_FAILED);
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
  const { name, code, stack } =
    thrown instanceof Error ? (thrown as NodeJS.ErrnoException) : new TypeError(typeof thrown);
  const frames = (stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  return {
    time: new Date().toISOString(),
    version,
    kind: code === undefined ? name : `${name} ${code}`,
    frames: frames.slice(0, MOST_FRAMES).map((frame) => frame.trim().replace(/(file:\/\/)?\/.*\/(?=[^/]+$)/, '')),
  };
}
