// `vaultgraph install` and `uninstall`: adds this server to a client's settings or removes it.
import { existsSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, resolve, sep } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { commandLine, shellWord } from '../../base/command-line.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { shownPath } from '../../base/local-path.ts';
import type { Config } from '../../config/config.ts';
import { type CommonOptions, configsFor } from '../common-options.ts';
import { EXIT } from '../exit-code.ts';
import { thisMachine } from '../machine.ts';
import { print, printJson, styled } from '../output.ts';
import { usageError } from '../usage.ts';
import { CLIENTS, type Client, clientsHere, isHere, type ServerCommand } from './clients.ts';
import {
  backupTexts,
  type Change,
  type Edit,
  type Edited,
  editSettings,
  previewSettings,
  removeMadeFolders,
} from './settings-file.ts';
import { isSame, type SettingsPlace, serverIn, withServer } from './settings-text.ts';

export interface InstallOptions extends CommonOptions {
  /** One of `CLIENTS`. */
  readonly client?: string;
  /** Another settings file than the user's, for example a project's own. */
  readonly file?: string;
  /** Name of the server in the settings. */
  readonly name: string;
  readonly dryRun?: boolean;
}

/** @throws CONFIG_INVALID if the server would not start with the config, or the settings do not parse */
export async function runInstall(options: InstallOptions): Promise<number> {
  const { client, file, place } = targetOf('install', options);
  const isNew = options.file === undefined && !isHere(client, thisMachine());
  const server = await serverCommand(options);
  const entry = client.entry.write(server, options.name);
  const edited = await edit(file, (text) => ({ text: withServer(text, entry, place) }), options);
  const before = serverIn(edited.before ?? '', place);
  const action = isSame(before, entry) ? 'unchanged' : before === undefined ? 'added' : 'replaced';
  return printResult({ ...edited, action, client, file, name: options.name, server, isNew }, options);
}

/** If nothing else changed since `install`, the file is restored byte for byte. */
export async function runUninstall(options: InstallOptions): Promise<number> {
  const { client, file, place } = targetOf('uninstall', options);
  const edited = await edit(file, (text) => withoutServer(text, file, place), options);
  const entry = serverIn(edited.before ?? '', place);
  const isGone = edited.before !== undefined && edited.after === undefined && options.dryRun !== true;
  if (isGone) removeMadeFolders(dirname(file));
  return printResult(
    { ...edited, action: entry === undefined ? 'absent' : 'removed', client, file, name: options.name },
    options,
  );
}

/** The text from before `install`, if nothing else changed since; otherwise the text without the server. */
function withoutServer(text: string, file: string, place: SettingsPlace): Change {
  if (serverIn(text, place) === undefined) return { text };
  const original = backupTexts(file).find((earlier) => isMadeFrom(earlier, text, place));
  if (original === undefined && !isMadeFrom('', text, place)) return { text: withServer(text, undefined, place) };
  const isSpent = (backup: string): boolean => backup === original || isMadeFrom(original ?? '', backup, place);
  return { text: original, isSpent };
}

/** Whether `install` made the text from the earlier one; false if one of them does not parse. */
function isMadeFrom(earlier: string, text: string, place: SettingsPlace): boolean {
  try {
    const entry = serverIn(text, place);
    if (entry === undefined || serverIn(earlier, place) !== undefined) return false;
    return withServer(earlier, entry as object, place) === text;
  } catch (thrown) {
    if (thrown instanceof VaultgraphError && thrown.code === 'CONFIG_INVALID') return false;
    throw thrown;
  }
}

function targetOf(command: string, { client: name, file: filePath, name: serverName }: InstallOptions) {
  if (name === undefined) throw whichClient(command);
  const client = CLIENTS.find((one) => one.name === name);
  if (client === undefined) throw unknownClient(command, name);
  const file = filePath === undefined ? client.settingsFile(thisMachine()) : resolve(filePath);
  return { client, file, place: { file, client, name: serverName } };
}

/** Reads the config as the client's server will, so that a server that cannot start is not installed. */
async function serverCommand(options: InstallOptions): Promise<ServerCommand> {
  const configs = await configsFor(options);
  const { file, vaultRoot, name = vaultRoot } = 'one' in configs ? configs.one : (configs.several[0]?.config as Config);
  const config = file === null ? [] : ['--config', resolve(file)];
  const vault = file === null || options.vault !== undefined ? ['--vault', name] : [];
  const data = options.dataDir === undefined ? [] : ['--data-dir', resolve(options.dataDir)];
  const state = options.stateDir === undefined ? [] : ['--state-dir', resolve(options.stateDir)];
  return { command: lastingNode(), args: [program(), 'serve', ...config, ...vault, ...data, ...state] };
}

/** Without `--client` no settings change. */
function whichClient(command: string): VaultgraphError {
  const here = clientsHere(thisMachine()).map(({ name }) => name);
  const hint = here.length === 0 ? '' : ` (found here: ${here.join(', ')})`;
  const rule = `which client? Name one with \`${commandLine(`${command} --client NAME`)}\`${hint}`;
  return usageError({ command, rule, accepted: CLIENTS.map(({ name }) => `--client ${name}`) });
}

function unknownClient(command: string, received: string): VaultgraphError {
  const accepted = CLIENTS.map(({ name }) => name);
  return usageError({ command, rule: `there is no client ${JSON.stringify(received)}`, accepted, received });
}

/** Resolves the symbolic link that a package manager puts on the `PATH`. */
function program(): string {
  return realpathSync(process.argv[1] ?? '');
}

async function edit(file: string, change: Edit, { dryRun }: InstallOptions) {
  return dryRun ? previewSettings(file, change) : editSettings(file, change);
}

function printResult(done: Done, { json, dryRun = false }: InstallOptions): number {
  if (json) printJson(asJson(done, dryRun));
  else print(asText(done, dryRun));
  return EXIT.done;
}

/** Homebrew deletes the folder of a version with the version, but keeps a link to the newest beside it. */
const IN_CELLAR = /^(.*)\/Cellar\/([^/]+)\/[^/]+\/bin\/node$/;

/** The lasting link if it resolves to the running program; otherwise the program itself. @param running absolute path */
export function lastingNode(running = process.execPath): string {
  const [, prefix, formula] = IN_CELLAR.exec(running) ?? [];
  const link = `${prefix}/opt/${formula}/bin/node`;
  return prefix !== undefined && existsSync(link) && realpathSync(link) === realpathSync(running) ? link : running;
}

interface Done extends Edited {
  readonly action: 'added' | 'replaced' | 'unchanged' | 'removed' | 'absent';
  readonly client: Client;
  readonly file: string;
  readonly name: string;
  readonly server?: ServerCommand;
  /** Whether the client does not seem to be installed. */
  readonly isNew?: boolean;
}

const SAID: Readonly<Record<Done['action'], string>> = {
  added: 'added to',
  replaced: 'replaced in',
  unchanged: 'is already set up in',
  removed: 'removed from',
  absent: 'is not set up in',
};

function asJson({ action, client, file, name, server, backup, ...texts }: Done, dryRun: boolean): object {
  const plan = dryRun ? { dry_run: true, diff: diffOf(file, texts) } : {};
  const warnings = server === undefined ? [] : passingPaths(server);
  const more = { ...(server && { server }), ...(backup && { backup }), ...(warnings.length > 0 && { warnings }) };
  return { client: client.name, file, name, action, ...more, ...plan };
}

function asText(done: Done, dryRun: boolean): string {
  const { action, client, file, name, server, backup } = done;
  const head = `${client.title}: ${name} ${dryRun ? 'would be ' : ''}${SAID[action]} ${shownPath(file)}`;
  const isChange = action !== 'unchanged' && action !== 'absent';
  const lines = [
    dryRun && !isChange ? head.replace('would be ', '') : head,
    ...(server === undefined ? [] : [`  starts: ${[server.command, ...server.args].map(shellWord).join(' ')}`]),
    ...(backup === undefined ? [] : [`  backup: ${shownPath(backup)}`]),
    ...(done.isNew
      ? [`  ${client.title} does not seem to be installed; the settings were written for when it is.`]
      : []),
    ...(server === undefined ? [] : passingPaths(server).map((what) => `  ${warningMark()} ${what}`)),
    ...(isChange && dryRun ? ['', diffOf(file, done).trimEnd()] : []),
    ...(isChange && !dryRun && action !== 'removed' ? [`Next: ${client.reload}.`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

const warningMark = (): string => styled('yellow', 'warning:', 'stdout');

/** Empty if nothing changes. */
function diffOf(file: string, { before, after }: Pick<Edited, 'before' | 'after'>): string {
  if (before === after) return '';
  const [from, to] = [
    before === undefined ? '/dev/null' : shownPath(file),
    after === undefined ? '/dev/null' : shownPath(file),
  ];
  const patch = createTwoFilesPatch(from, to, before ?? '', after ?? '', undefined, undefined, { context: 3 });
  return patch.slice(patch.indexOf('---'));
}

const CACHE = /[\\/](?:_npx|dlx-[^\\/]*|\.npm|\.cache|Caches|fnm_multishells)[\\/]/;
const TEMPORARY = /^(?:\/private)?\/(?:tmp|var\/tmp|var\/folders)\/|[\\/]AppData[\\/]Local[\\/]Temp[\\/]/i;

/** One warning for each path, with what to do. */
export function passingPaths({ command, args: [program = ''] }: ServerCommand): string[] {
  return [
    ...(isPassing(command)
      ? [`${placeOf(command, 'Node')}; install Node from nodejs.org, then run this command with it`]
      : []),
    ...(isPassing(program)
      ? [`${placeOf(program, 'this program')}; run \`npm install -g vaultgraph\`, then install again`]
      : []),
  ];
}

const isPassing = (path: string): boolean => CACHE.test(path) || isTemporary(path);

function isTemporary(path: string): boolean {
  return TEMPORARY.test(path) || path.startsWith(realpathSync(tmpdir()) + sep);
}

function placeOf(path: string, what: string): string {
  const where = isTemporary(path) ? 'a temporary folder' : 'a cache';
  return `${what} is in ${where}, which may be emptied at any time (${shownPath(path)})`;
}
