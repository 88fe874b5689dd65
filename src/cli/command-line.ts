// Defines the commands and their options, and runs one.
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
const MAX_PORT = 65_535;

/** Runs one command and sets the process's exit code. @param argv `process.argv` */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  try {
    await createProgram().parseAsync(argv);
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    process.exitCode = thrown.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
}

/** Each command loads its own code when it runs, so that `serve` does not load the others. */
export function createProgram(): Command {
  const program = new Command('vaultgraph')
    .description('An MCP server that lets assistants search and follow your Markdown notes.')
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError('Run `vaultgraph COMMAND --help` for its options.')
    .hook('preAction', (_program, command) => {
      // `serve` handles its own shutdown.
      if (command.name() !== 'serve') watchEarlyEnd();
    });
  common(program, 'serve', 'serve the vault over MCP on stdio').action((options: CommonOptions) =>
    perform(options, async () => (await import('./serve-command.ts')).runServe(options)),
  );
  common(program, 'index', 'bring the index up to date and exit')
    .option('--rebuild', 'discard the index and re-read every note')
    .option('--confirm', 'allow dropping more than half of the indexed notes')
    .action((options) => perform(options, async () => (await import('./index-command.ts')).runIndex(options)));
  common(program, 'status', 'show what is configured, how fresh the index is, and what failed').action(
    (options: CommonOptions) => perform(options, async () => (await import('./status-command.ts')).runStatus(options)),
  );
  common(program, 'doctor', 'check the setup and say how to fix each problem')
    .option('--rebuild-index', 'move the index aside and build a new one')
    .action((options) => perform(options, async () => (await import('./doctor/doctor-command.ts')).runDoctor(options)));
  common(program, 'config', 'show every setting with its value and where it comes from').action(
    (options: CommonOptions) => perform(options, async () => (await import('./config-command.ts')).runConfig(options)),
  );
  common(program, 'call', 'call one tool and print its result as JSON')
    .argument('<tool>', 'name of the tool')
    .argument('[arguments]', 'arguments of the tool as a JSON object', '{}')
    .action((tool: string, json: string, options: CommonOptions) =>
      perform(options, async () => (await import('./call-command.ts')).runCall(tool, json, options)),
    );
  common(program, 'changes', 'list the changes made to the vault by assistants, newest first')
    .option('--limit <number>', 'show at most this many', '20')
    .action((options) => perform(options, async () => (await import('./changes-command.ts')).runChanges(options)));
  common(program, 'export', 'export the whole graph to stdout')
    .addOption(new Option('--format <format>', 'output format').choices(EXPORT_FORMATS).default('jsonl'))
    .action((options) => perform(options, async () => (await import('./export/export-command.ts')).runExport(options)));
  common(program, 'view', 'open the graph page in your browser')
    .addOption(new Option('--port <number>', 'port to listen on').default(0, 'any free port').argParser(portNumber))
    .option('--open', 'open the page in your browser (default in a terminal)')
    .option('--no-open', 'only print the address')
    .option('--export <file>', 'write the graph to a file instead: .html, .svg, .graphml, .json or .dot')
    .option('--force', 'replace the file if it exists')
    .option('--with-text', "include the notes' text in the .html file")
    .action((options: ViewOptions) =>
      perform(options, async () => (await import('./view/view-command.ts')).runView(options)),
    );
  common(program, 'init', 'find your vault and local models, and write a first config')
    .option('--yes', 'skip the questions and pick the safe options')
    .addOption(new Option('--access <access>', 'what assistants may do').choices(['read-only', 'read-write']))
    .option('--embedding <model>', 'model for search by meaning, or none')
    .option('--llm <model>', 'model for summaries and suggestions, or none')
    .option('--endpoint <url>', 'address of Ollama', 'http://127.0.0.1:11434')
    .action((options) => perform(options, async () => (await import('./init/init-command.ts')).runInit(options)));
  forClient(program, 'install', "add this server to a client's settings").action((options: InstallOptions) =>
    perform(options, async () => (await import('./install/install-command.ts')).runInstall(options)),
  );
  forClient(program, 'uninstall', "remove this server from a client's settings").action((options: InstallOptions) =>
    perform(options, async () => (await import('./install/install-command.ts')).runUninstall(options)),
  );
  return program;
}

function forClient(program: Command, name: string, summary: string): Command {
  const clients = CLIENTS.map((client) => client.name);
  return common(program, name, summary)
    .addOption(new Option('--client <client>', 'client to set up').choices(clients))
    .addOption(
      new Option('--name <name>', 'name of the server in its settings').default('vaultgraph').argParser(serverName),
    )
    .option('--file <file>', "settings file to change (default: the user's)")
    .option('--dry-run', 'show the change and write nothing');
}

function portNumber(value: string): number {
  const port = Number(value);
  if (Number.isInteger(port) && port >= 0 && port <= MAX_PORT) return port;
  throw new InvalidArgumentError(`Use a number from 0 to ${MAX_PORT}.`);
}

/** Names that every client accepts and that need no quotes in TOML or JSON paths. */
function serverName(value: string): string {
  if (/^[A-Za-z0-9_-]{1,40}$/.test(value)) return value;
  throw new InvalidArgumentError('Use up to 40 letters, digits, - and _.');
}

function common(program: Command, name: string, summary: string): Command {
  return program
    .command(name)
    .description(summary)
    .option('--config <file>', 'config file')
    .option('--vault <dir>', 'folder of notes')
    .option('--data-dir <dir>', 'folder for indexes')
    .option('--json', 'print JSON')
    .option('--quiet', 'hide progress');
}
