// Takes the short way to a plain `serve`, for which a client waits, and every other way through the command line. Knows no command.
import { perform } from './perform.ts';
import { plainServeOptions } from './plain-serve.ts';

/** Runs one command to its end and sets the process's exit code. `argv` as the process has it. */
export async function runProgram(argv: readonly string[]): Promise<void> {
  const options = plainServeOptions(argv);
  if (options === undefined) return (await import('./command-line.ts')).runCommandLine(argv);
  await perform(options, async () => (await import('./serve-command.ts')).runServe(options));
}
