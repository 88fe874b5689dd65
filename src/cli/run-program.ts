// Starts a plain `serve` directly, because a client waits for it, and everything else through the command line.
import { VERSION } from '../base/version.ts';
import { recordCrashes } from '../lifecycle/crash-file.ts';
import { EXIT } from './exit-code.ts';
import { exitProcess } from './hard-exit.ts';
import { perform } from './perform.ts';
import { plainServeOptions } from './plain-serve.ts';

/** Time for a running write to end before the process exits after a crash. */
const MAX_WAIT_MS = 1_500;

/** Runs one command and sets the process's exit code. @param argv `process.argv` */
export async function runProgram(argv: readonly string[]): Promise<void> {
  recordCrashes(VERSION, () => void exitProcess(EXIT.failed, MAX_WAIT_MS));
  const options = plainServeOptions(argv);
  if (options === undefined) return (await import('./command-line.ts')).runCommandLine(argv);
  await perform(options, async () => (await import('./serve-command.ts')).runServe(options));
}
