// Takes the short way to a plain `serve`, for which a client waits, and every other way through the command line.
import { VERSION } from '../base/version.ts';
import { recordCrashes } from '../lifecycle/crash-file.ts';
import { EXIT } from './exit-code.ts';
import { leave } from './hard-exit.ts';
import { perform } from './perform.ts';
import { plainServeOptions } from './plain-serve.ts';

/** The exit code tells of the crash, so a write that is under way may end before it. */
const MAX_WAIT_MS = 1_500;

/** Runs one command to its end and sets the process's exit code. `argv` as the process has it. */
export async function runProgram(argv: readonly string[]): Promise<void> {
  recordCrashes(VERSION, () => void leave(EXIT.failed, MAX_WAIT_MS));
  const options = plainServeOptions(argv);
  if (options === undefined) return (await import('./command-line.ts')).runCommandLine(argv);
  await perform(options, async () => (await import('./serve-command.ts')).runServe(options));
}
