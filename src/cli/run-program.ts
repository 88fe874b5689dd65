// Starts a plain `serve` directly, because a client waits for it, and everything else through the command line.
import { parseArgs } from 'node:util';
import { recordCrashes } from '../app/crash-file.ts';
import { VERSION } from '../base/version.ts';
import type { CommonOptions } from './common-options.ts';
import { exitProcess } from './end-process.ts';
import { EXIT } from './exit-code.ts';
import { report } from './output.ts';
import { perform } from './perform.ts';

/** Time for a running write to end before the process exits after a crash. */
const MAX_WAIT_MS = 1_500;

/** Runs one command and sets the process's exit code. @param argv `process.argv` */
export async function runProgram(argv: readonly string[]): Promise<void> {
  const fault = systemFault(process);
  if (fault !== undefined) return refuse(fault);
  recordCrashes(VERSION, () => void exitProcess(EXIT.failed, MAX_WAIT_MS));
  const options = plainServeOptions(argv);
  if (options === undefined) return (await import('./command-line.ts')).runCommandLine(argv);
  await perform(options, async () => (await import('./serve-command.ts')).runServe(options));
}

function refuse(fault: string): void {
  report(`${fault}\n`);
  process.exitCode = EXIT.failed;
}

const FLAGS = {
  config: { type: 'string' },
  vault: { type: 'string' },
  'data-dir': { type: 'string' },
  'state-dir': { type: 'string' },
  json: { type: 'boolean' },
} as const;

const OPTION_NAMES: Readonly<Record<string, string>> = { 'data-dir': 'dataDir', 'state-dir': 'stateDir' };

/** Undefined for anything but a plain `serve`; the command line parses or rejects it. */
export function plainServeOptions(argv: readonly string[]): CommonOptions | undefined {
  const [command, ...args] = argv.slice(2);
  if (command !== 'serve') return undefined;
  const { values, tokens } = parseArgs({ args, options: FLAGS, strict: false, tokens: true });
  const isPlain = tokens.every(
    (token) => token.kind === 'option' && isFlag(token.name, token.value) && token.rawName === `--${token.name}`,
  );
  if (!isPlain) return undefined;
  const named = Object.entries(values).map(([name, value]) => [OPTION_NAMES[name] ?? name, value]);
  return Object.fromEntries(named) as CommonOptions;
}

/** A value that begins with a dash may be the next flag, so it is left to the command line. */
function isFlag(name: string, value: string | undefined): boolean {
  if (name === 'json') return value === undefined;
  return Object.hasOwn(FLAGS, name) && value !== undefined && !value.startsWith('-');
}

const SYSTEMS = ['darwin arm64', 'darwin x64', 'linux arm64', 'linux x64', 'win32 x64'];

/** One sentence for a system where the program cannot start; undefined for any other. */
export function systemFault({ platform, arch }: Pick<NodeJS.Process, 'platform' | 'arch'>): string | undefined {
  if (SYSTEMS.includes(`${platform} ${arch}`)) return undefined;
  return `vaultgraph does not run on ${platform} ${arch}: its native parts exist for Linux with glibc and macOS on x64 and ARM, and for Windows on x64`;
}
