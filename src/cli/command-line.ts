// Defines the commands and their options, and runs one.
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { programName } from '../base/command-line.ts';
import type { VaultgraphError } from '../base/errors.ts';
import { VERSION } from '../base/version.ts';
import type { UndoOptions } from './changes/undo-command.ts';
import type { CommonOptions } from './common-options.ts';
import { watchEarlyEnd } from './end-process.ts';
import { EXIT } from './exit-code.ts';
import type { HttpOptions } from './http/http-config.ts';
import type { TokenAction, TokensOptions } from './http/tokens-command.ts';
import type { IndexOptions } from './index-command.ts';
import { CLIENTS } from './install/clients.ts';
import type { InstallOptions } from './install/install-command.ts';
import type { ModelsOptions } from './models/add-model.ts';
import type { ModelAction } from './models/models-command.ts';
import type { SearchOptions } from './notes/search-command.ts';
import { print } from './output.ts';
import { perform, reportFailure } from './perform.ts';
import { hitNumber, usageError } from './usage.ts';
import type { ViewOptions } from './view/view-command.ts';

const EXPORT_FORMATS = ['jsonl', 'json', 'graphml', 'csv', 'dot', 'svg', 'html'] as const;
const MODEL_ACTIONS = ['list', 'add', 'remove'] as const;
const TOKEN_ACTIONS = ['list', 'add', 'revoke'] as const;
const MAX_PORT = 65_535;

/** Runs one command and sets the process's exit code. @param argv `process.argv` */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  const program = createProgram();
  try {
    await program.parseAsync(argv);
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    const isHelp = thrown.exitCode === 0 || thrown.code === 'commander.help';
    if (!isHelp) reportFailure(await wrongUsage(thrown, program, argv), argv.includes('--json'));
    else process.exitCode = thrown.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
}

/** Lists the options of the command, or the commands. */
async function wrongUsage(
  { message }: CommanderError,
  program: Command,
  argv: readonly string[],
): Promise<VaultgraphError> {
  const command = program.commands.find((each) => each.name() === argv[2]);
  const [rule = ''] = message.replace(/^error: /, '').split('\n');
  const [, choice, choices] = /'([^']*)' is invalid.* Allowed choices are (.*)\.$/.exec(rule) ?? [];
  const [, kind, name = ''] = /^unknown (option|command) '([^']*)'/.exec(rule) ?? [];
  if (kind === 'command') return unknownCommand(name, program);
  const early = command === undefined && program.commands.some((each) => hasOption(each, name));
  const received = choice ?? (kind === undefined || early ? undefined : name);
  const accepted = early ? [`COMMAND ${name}`] : (choices?.split(', ') ?? acceptedBy(command, program));
  return usageError({
    command: command?.name() ?? '',
    rule: `${rule}${early ? ', which goes after the command' : ''}`,
    accepted,
    ...(received !== undefined && { received }),
  });
}

const optionsOf = ({ options }: Command): string[] => options.flatMap(({ long, short }) => long ?? short ?? []);

const hasOption = (command: Command, name: string): boolean => optionsOf(command).includes(name.replace(/=.*/, ''));

const namesOf = (program: Command): string[] => program.commands.map((each) => each.name());

function acceptedBy(command: Command | undefined, program: Command): readonly string[] {
  if (command !== undefined) return optionsOf(command);
  return [...namesOf(program), ...program.options.flatMap(({ long, short }) => [long ?? [], short ?? []].flat())];
}

/** Names the command, or the tool, that was meant. */
async function unknownCommand(name: string, program: Command): Promise<VaultgraphError> {
  const { meantCommand } = await import('./meant-command.ts');
  const accepted = namesOf(program);
  const meant = meantCommand(name, accepted);
  return usageError({ command: '', rule: `unknown command '${name}'`, accepted, received: name, meant });
}

/** Each command loads its own code when it runs, so that `serve` does not load the others. */
export function createProgram(): Command {
  const program = new Command(programName())
    .description('An MCP server that lets assistants search and follow your Markdown notes.')
    .version(VERSION)
    .exitOverride()
    .configureOutput({ writeOut: print, outputError: () => undefined })
    .helpCommand(false)
    .hook('preAction', (_program, command) => {
      // `serve` handles its own shutdown.
      if (command.name() !== 'serve') watchEarlyEnd();
    });
  addReadingCommands(program);
  addServerCommands(program);
  addVaultCommands(program);
  addSetupCommands(program);
  program
    .command('help')
    .description('show the options of a command')
    .argument('[command]', 'name of the command')
    .action((name?: string) => showHelp(program, name));
  return program;
}

/** @throws CommanderError, as commander does after a help */
function showHelp(program: Command, name: string | undefined): void {
  const command = program.commands.find((each) => each.name() === name);
  if (name !== undefined && command === undefined)
    throw new CommanderError(EXIT.usage, 'commander.unknownCommand', `unknown command '${name}'`);
  (command ?? program).help();
}

function addReadingCommands(program: Command): void {
  common(program, 'search', 'find notes by words, or by meaning where a model is configured')
    .argument('<words...>', 'a question, words, "a phrase" in quotes of its own, or prefix*; after -- also -word')
    .addOption(new Option('--limit <number>', 'show at most this many (default: 10)').argParser(hitNumber))
    .option('--folder <folder>', 'only notes in this folder and those below it')
    .option('--tag <tag>', 'only notes with this tag; may be repeated', listed)
    .option('--where <condition>', 'only notes with such a property: "status = open"; may be repeated', listed)
    .option('--since <time>', 'only notes dated since then, such as 2026-11-20 or "last week"')
    .option('--until <time>', 'only notes dated until then')
    .addOption(new Option('--match <words>', 'notes with any word, or only those with all').choices(['any', 'all']))
    .action((words: string[], options: SearchOptions) =>
      perform(options, async () => (await import('./notes/search-command.ts')).runSearch(words, options)),
    );
  common(program, 'read', 'print notes, or parts of them')
    .argument('<notes...>', 'path, name, alias or title, with #Heading, #^block or :10-20 for a part; or @today')
    .action((notes: string[], options: CommonOptions) =>
      perform(options, async () => (await import('./notes/read-command.ts')).runRead(notes, options)),
    );
}

const listed = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

function addServerCommands(program: Command): void {
  common(program, 'serve', 'serve the vault over MCP on stdio, or over HTTP')
    .option('--http', 'serve over Streamable HTTP')
    .option('--host <address>', 'with --http: address to listen on (default: http.host)')
    .addOption(
      new Option('--port <number>', 'with --http: port to listen on (default: http.port)').argParser(portNumber),
    )
    .option('--no-auth', 'with --http: answer every program on this machine without a token')
    .action((options: HttpOptions) => perform(options, () => serve(options)));
  common(program, 'index', 'bring the index up to date and exit')
    .option('--rebuild', 'discard the index and re-read every note')
    .option('--confirm', 'allow dropping more than half of the indexed notes')
    .addOption(
      new Option('--store <type>', 'copy the index that the other store left here to this one of the config first')
        .choices(['sqlite', 'postgresql'])
        .conflicts('rebuild'),
    )
    .option('--from <file>', 'with --store: a config with the other store, to move its feed of changes from a database')
    .action((options) => perform(options, () => index(options)));
  common(program, 'status', 'show what is configured, how fresh the index is, and what failed').action(
    (options: CommonOptions) => perform(options, async () => (await import('./status-command.ts')).runStatus(options)),
  );
  common(program, 'doctor', 'check the setup and say how to fix each problem')
    .option('--rebuild-index', 'move the index aside and build a new one')
    .option('--set-aside-changes', 'take interrupted changes whose log is damaged out of the change log')
    .option('--http', 'check what `serve --http` needs, too')
    .action((options) => perform(options, async () => (await import('./doctor/doctor-command.ts')).runDoctor(options)));
  common(program, 'config', 'show every setting with its value and where it comes from').action(
    (options: CommonOptions) => perform(options, async () => (await import('./config-command.ts')).runConfig(options)),
  );
}

function addVaultCommands(program: Command): void {
  common(program, 'call', 'call one tool and print its result as JSON')
    .argument('<tool>', 'name of the tool')
    .argument('[arguments]', 'arguments of the tool as a JSON object', '{}')
    .action((tool: string, json: string, options: CommonOptions) =>
      perform(options, async () => (await import('./call-command.ts')).runCall(tool, json, options)),
    );
  common(program, 'changes', 'list the changes made to the vault by assistants, newest first')
    .option('--limit <number>', 'show at most this many', '20')
    .option('--diff', 'show what each change did')
    .action((options) =>
      perform(options, async () => (await import('./changes/changes-command.ts')).runChanges(options)),
    );
  common(program, 'undo', 'undo the newest change, a certain one, or all since a time')
    .argument('[change]', 'id of the change, as `changes` lists it')
    .option('--since <time>', 'undo all changes since then, newest first, such as today or 2h')
    .option('--dry-run', 'show what would be undone')
    .option('--yes', 'undo the newest change without a question')
    .option('--confirm', 'also where links would lead elsewhere')
    .action((change: string | undefined, options: UndoOptions) =>
      perform(options, async () => (await import('./changes/undo-command.ts')).runUndo(change, options)),
    );
  common(program, 'export', 'export the whole graph to stdout, or a site of pages to a folder')
    .addOption(new Option('--format <format>', 'output format').choices([...EXPORT_FORMATS, 'site']).default('jsonl'))
    .option('--with-text', "include the notes' text; format html only")
    .option('--out <folder>', 'folder for the pages; format site only')
    .option('--tag <tag...>', 'publish notes with one of these tags instead of `publish: true`; format site only')
    .option('--force', 'write into a folder that is not empty; format site only')
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
}

function addSetupCommands(program: Command): void {
  common(program, 'init', 'find your vault and local models, write a first config and build the index')
    .option('--yes', 'skip the questions and pick the safe options')
    .option('--all', 'serve every vault that Obsidian lists')
    .addOption(new Option('--access <access>', 'what assistants may do').choices(['read-only', 'read-write']))
    .option('--embedding <model>', 'model for search by meaning, or none')
    .option('--llm <model>', 'model for summaries and suggestions, or none')
    .option('--endpoint <url>', 'address of Ollama', 'http://127.0.0.1:11434')
    .action((options) => perform(options, async () => (await import('./init/init-command.ts')).runInit(options)));
  common(program, 'models', 'list models for search by meaning that need no server; add or remove one')
    .addArgument(new Argument('[action]', 'what to do').choices(MODEL_ACTIONS).default('list'))
    .argument('[name]', 'name of the model')
    .option('--revision <revision>', 'commit, tag or branch to download')
    .option('--sha256 <hash>', 'expected SHA-256 of model.safetensors, or of the ONNX file')
    .option('--from <path>', 'install from this folder without a network')
    .option('--runtime <path>', 'take the library that runs an ONNX model from this folder or tarball')
    .option('--hub <url>', 'address of the hub')
    .option('--yes', 'download without questions')
    .option('--replace', 'replace another embedding provider, or other files of the model')
    .action((action: ModelAction, name: string | undefined, options: ModelsOptions) =>
      perform(options, async () => (await import('./models/models-command.ts')).runModels(action, name, options)),
    );
  common(program, 'tokens', 'list the tokens of HTTP clients; add or revoke one')
    .addArgument(new Argument('[action]', 'what to do').choices(TOKEN_ACTIONS).default('list'))
    .argument('[name]', 'name of the token')
    .option('--view <view>', 'view of the config that the token sees (default: all that the server serves)')
    .action((action: TokenAction, name: string | undefined, options: TokensOptions) =>
      perform(options, async () => (await import('./http/tokens-command.ts')).runTokens(action, name, options)),
    );
  forClient(program, 'install', "add this server to a client's settings").action((options: InstallOptions) =>
    perform(options, async () => (await import('./install/install-command.ts')).runInstall(options)),
  );
  forClient(program, 'uninstall', "remove this server from a client's settings").action((options: InstallOptions) =>
    perform(options, async () => (await import('./install/install-command.ts')).runUninstall(options)),
  );
}

async function index(options: IndexOptions): Promise<number> {
  if (options.from !== undefined && options.store === undefined)
    throw usageError({ command: 'index', rule: '--from goes with --store', accepted: ['--store sqlite --from FILE'] });
  return (await import('./index-command.ts')).runIndex(options);
}

async function serve(options: HttpOptions): Promise<number> {
  if (options.http) return (await import('./http/serve-http-command.ts')).runServeHttp(options);
  const httpOptions = [
    options.host !== undefined && '--host',
    options.port !== undefined && '--port',
    !options.auth && '--no-auth',
  ];
  const [received] = httpOptions.filter((flag) => flag !== false);
  if (received !== undefined)
    throw usageError({ command: 'serve', rule: `${received} goes with --http`, accepted: [`--http ${received}`] });
  return (await import('./serve-command.ts')).runServe(options);
}

function forClient(program: Command, name: string, summary: string): Command {
  const clients = CLIENTS.map((client) => client.name).join(', ');
  return common(program, name, summary)
    .option('--client <client>', `client to set up: ${clients}`)
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
    .option('--vault <dir>', 'folder of notes, or name of one of several vaults')
    .option('--data-dir <dir>', 'folder for indexes')
    .option('--state-dir <dir>', 'folder for what undo needs')
    .option('--json', 'print JSON')
    .option('--quiet', 'hide progress');
}
