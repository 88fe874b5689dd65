// The commands, their options and how a run of one ends.
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { VERSION } from '../base/version.ts';
import type { CommonOptions } from './common-options.ts';
import { watchEarlyEnd } from './early-end.ts';
import { EXIT } from './exit-code.ts';
import { CLIENTS } from './install/clients.ts';
import type { InstallOptions } from './install/install-command.ts';
import { perform } from './perform.ts';
import type { ViewOptions } from './view/view-command.ts';

const EXPORT_FORMATS = ['jsonl', 'json', 'graphml', 'csv', 'dot', 'svg', 'html'] as const;
const MAX_PORTS = 65_535;

/** Runs one command to its end and sets the process's exit code. `argv` as the process has it. */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  try {
    await createProgram().parseAsync(argv);
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    process.exitCode = thrown.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
}

/** Every command loads its own code when it runs, so that `serve` starts without the others. */
export function createProgram(): Command {
  const program = new Command('vaultgraph')
    .description('A graph knowledge server for a folder of Markdown notes, spoken to over MCP.')
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError('(vaultgraph --help lists what there is)')
    .hook('preAction', (_program, command) => {
      // `serve` ends in its own order when its client goes.
      if (command.name() !== 'serve') watchEarlyEnd();
    });
  common(program, 'serve', 'serve the vault over MCP on stdio').action((options: CommonOptions) =>
    perform(options, async () => (await import('./serve-command.ts')).runServe(options)),
  );
  common(program, 'index', 'bring the index up to date and exit')
    .option('--rebuild', 'forget the index first and read every note anew')
    .option('--confirm', 'let more than half of the known notes leave the index')
    .action((options) => perform(options, async () => (await import('./index-command.ts')).runIndex(options)));
  common(program, 'status', 'what is configured, how fresh the index is, what failed').action(
    (options: CommonOptions) => perform(options, async () => (await import('./status-command.ts')).runStatus(options)),
  );
  common(program, 'doctor', 'check everything, each finding with a hint')
    .option('--rebuild-index', 'move the index aside and build a new one')
    .action((options) => perform(options, async () => (await import('./doctor/doctor-command.ts')).runDoctor(options)));
  common(program, 'config', 'every setting with its value and where it came from').action((options: CommonOptions) =>
    perform(options, async () => (await import('./config-command.ts')).runConfig(options)),
  );
  common(program, 'call', 'call one tool and print its result as JSON')
    .argument('<tool>', 'a listed tool')
    .argument('[arguments]', 'its arguments as a JSON object', '{}')
    .action((tool: string, given: string, options: CommonOptions) =>
      perform(options, async () => (await import('./call-command.ts')).runCall(tool, given, options)),
    );
  common(program, 'changes', 'what tools have changed in the vault, newest first')
    .option('--limit <number>', 'as many as this at most', '20')
    .action((options) => perform(options, async () => (await import('./changes-command.ts')).runChanges(options)));
  common(program, 'export', 'print the whole graph')
    .addOption(new Option('--format <format>', 'how it is written').choices(EXPORT_FORMATS).default('jsonl'))
    .action((options) => perform(options, async () => (await import('./export/export-command.ts')).runExport(options)));
  common(program, 'view', 'look at the graph in a local web page')
    .addOption(new Option('--port <number>', 'where it listens').default(0, 'any free one').argParser(portNumber))
    .option('--open', 'open it in the browser (without a word: where a terminal is)')
    .option('--no-open', 'only print its address')
    .option('--export <file>', 'write the graph into a file instead: .html, .svg, .graphml, .json or .dot')
    .option('--force', 'replace the file if it is there')
    .option('--with-text', "put the notes' text into the .html file too")
    .action((options: ViewOptions) =>
      perform(options, async () => (await import('./view/view-command.ts')).runView(options)),
    );
  common(program, 'init', 'find your vault and local models, and write a first config')
    .option('--yes', 'ask nothing')
    .addOption(new Option('--access <access>', 'what tools may do').choices(['read-only', 'read-write']))
    .option('--embedding <model>', 'the model for search by meaning, or none')
    .option('--llm <model>', 'the model for summaries and proposals, or none')
    .option('--endpoint <url>', 'where Ollama listens', 'http://127.0.0.1:11434')
    .action((options) => perform(options, async () => (await import('./init/init-command.ts')).runInit(options)));
  forClient(program, 'install', 'put this server into the settings of an MCP client').action(
    (options: InstallOptions) =>
      perform(options, async () => (await import('./install/install-command.ts')).runInstall(options)),
  );
  forClient(program, 'uninstall', 'take this server out of them again').action((options: InstallOptions) =>
    perform(options, async () => (await import('./install/install-command.ts')).runUninstall(options)),
  );
  return program;
}

function forClient(program: Command, name: string, summary: string): Command {
  const clients = CLIENTS.map((client) => client.name);
  return common(program, name, summary)
    .addOption(new Option('--client <client>', 'whose settings').choices(clients))
    .addOption(new Option('--name <name>', 'of the server there').default('vaultgraph').argParser(serverName))
    .option('--file <file>', "other settings than the user's, such as a project's own")
    .option('--dry-run', 'show what would change, and change nothing');
}

function portNumber(given: string): number {
  const port = Number(given);
  if (Number.isInteger(port) && port >= 0 && port <= MAX_PORTS) return port;
  throw new InvalidArgumentError(`A number from 0 to ${MAX_PORTS} is taken.`);
}

/** What every client takes as the name of a server, and what no TOML or JSON path needs quoted. */
function serverName(given: string): string {
  if (/^[A-Za-z0-9_-]{1,40}$/.test(given)) return given;
  throw new InvalidArgumentError('Up to 40 letters, digits, - and _ are taken.');
}

function common(program: Command, name: string, summary: string): Command {
  return program
    .command(name)
    .description(summary)
    .option('--config <file>', 'the config file')
    .option('--vault <dir>', 'the folder of notes')
    .option('--data-dir <dir>', 'where indexes are kept')
    .option('--json', 'print JSON')
    .option('--quiet', 'show no progress');
}
