// The supported MCP clients: where each keeps its settings, and the form of a server entry.

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { isObject } from '../../base/plain-object.ts';
import { appFolder, joinOn as join } from '../../base/system/system-rules.ts';
import type { Machine, Workplace } from '../machine.ts';

/** The command a client starts. Paths are absolute, because clients have neither the user's shell nor a working directory. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

interface EntryForm {
  /** @param name of the server in the settings */
  write(server: ServerCommand, name: string): object;
  /** The command and its arguments; undefined for an entry that starts no program, such as an address. */
  read(entry: unknown): readonly string[] | undefined;
}

const plain = ({ command, args }: ServerCommand) => ({ command, args: [...args] });

/** `command` and `args`, with further members of the client. */
function withCommand(more: object = {}): EntryForm {
  return { write: (server) => ({ ...more, ...plain(server) }), read: readCommand('command') };
}

function readCommand(member: string): EntryForm['read'] {
  return (entry) => {
    if (!isObject(entry) || typeof entry[member] !== 'string') return undefined;
    return [entry[member], ...textsIn(entry.args)];
  };
}

const textsIn = (list: unknown): string[] =>
  Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : [];

const PLAIN = withCommand();
const WITH_TYPE = withCommand({ type: 'stdio' });

/** It defers the tools of a server unless the entry says to load them at once. */
const CLAUDE_CODE: EntryForm = {
  ...WITH_TYPE,
  write: (server) => ({ type: 'stdio', ...plain(server), alwaysLoad: true }),
};

/** It also needs the list of tools that may be used. */
const COPILOT: EntryForm = {
  ...WITH_TYPE,
  write: (server) => ({ type: 'stdio', ...plain(server), tools: ['*'], deferTools: 'never' }),
};

const ZED: EntryForm = { ...PLAIN, write: (server) => ({ ...plain(server), env: {} }) };

const CLINE: EntryForm = { ...PLAIN, write: (server) => ({ ...plain(server), disabled: false }) };

/** An item of a list, so that it holds its own name. */
const CONTINUE: EntryForm = {
  ...WITH_TYPE,
  write: (server, name) => ({ name, type: 'stdio', ...plain(server) }),
};

const GOOSE_SECONDS = 300;

const GOOSE: EntryForm = {
  write: ({ command, args }, name) => ({
    name,
    type: 'stdio',
    enabled: true,
    cmd: command,
    args: [...args],
    envs: {},
    timeout: GOOSE_SECONDS,
  }),
  read: readCommand('cmd'),
};

const OPENCODE: EntryForm = {
  write: ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true }),
  read: (entry) => (isObject(entry) && Array.isArray(entry.command) ? textsIn(entry.command) : undefined),
};

export interface Client {
  readonly name: string;
  /** The name shown to users. */
  readonly title: string;
  /** `jsonc` allows comments and trailing commas. */
  readonly format: 'json' | 'jsonc' | 'toml' | 'yaml';
  /** Keys that lead to the servers: the first that is in the settings, otherwise the last. */
  readonly servers: readonly (readonly string[])[];
  /** Whether the servers are a list of entries with a `name`, instead of a map. */
  readonly isList?: boolean;
  readonly entry: EntryForm;
  /** What a new file begins with. */
  readonly start?: string;
  /** Absolute. */
  settingsFile(machine: Workplace): string;
  /** How to make the client see a change. */
  readonly reload: string;
  /** The page of the client's documentation that describes the file. */
  readonly page: string;
}

/** The day the pages were looked up. */
export const LOOKED_UP = '2026-11-23';

const MCP_SERVERS = [['mcpServers']];
const TAKES_EFFECT = 'start a new session; /mcp lists it';

export const CLIENTS: readonly Client[] = Object.freeze([
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    format: 'json',
    servers: MCP_SERVERS,
    entry: PLAIN,
    settingsFile: (machine) => inAppFolder(machine, 'Claude', 'claude_desktop_config.json'),
    reload: 'quit Claude Desktop and start it again',
    page: 'modelcontextprotocol.io/quickstart/user',
  },
  {
    name: 'claude-code',
    title: 'Claude Code',
    format: 'json',
    servers: MCP_SERVERS,
    entry: CLAUDE_CODE,
    settingsFile: (machine) => inFolderOf(machine, 'CLAUDE_CONFIG_DIR', [], '.claude.json'),
    reload: TAKES_EFFECT,
    page: 'code.claude.com/docs/en/mcp',
  },
  {
    name: 'claude-project',
    title: 'Claude Code, this project',
    format: 'json',
    servers: MCP_SERVERS,
    entry: CLAUDE_CODE,
    settingsFile: (machine) => join(machine, machine.cwd, '.mcp.json'),
    reload: 'start a new session in this folder and approve the server',
    page: 'code.claude.com/docs/en/mcp#mcp-installation-scopes',
  },
  {
    name: 'cursor',
    title: 'Cursor',
    format: 'jsonc',
    servers: MCP_SERVERS,
    entry: PLAIN,
    settingsFile: (machine) => inHome(machine, '.cursor', 'mcp.json'),
    reload: 'it appears under Settings, MCP',
    page: 'cursor.com/docs/mcp',
  },
  {
    name: 'vscode',
    title: 'VS Code',
    format: 'jsonc',
    servers: [['servers']],
    entry: WITH_TYPE,
    settingsFile: (machine) => inAppFolder(machine, 'Code', 'User', 'mcp.json'),
    reload: 'run "MCP: List Servers" and start it',
    page: 'code.visualstudio.com/docs/copilot/reference/mcp-configuration',
  },
  {
    name: 'copilot-cli',
    title: 'Copilot CLI',
    format: 'json',
    servers: MCP_SERVERS,
    entry: COPILOT,
    settingsFile: (machine) => inFolderOf(machine, 'COPILOT_HOME', ['.copilot'], 'mcp-config.json'),
    reload: TAKES_EFFECT,
    page: 'docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers',
  },
  {
    name: 'codex',
    title: 'Codex',
    format: 'toml',
    servers: [['mcp_servers']],
    entry: PLAIN,
    settingsFile: (machine) => inFolderOf(machine, 'CODEX_HOME', ['.codex'], 'config.toml'),
    reload: TAKES_EFFECT,
    page: 'developers.openai.com/codex/mcp',
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    format: 'jsonc',
    servers: MCP_SERVERS,
    entry: PLAIN,
    settingsFile: (machine) => inHome(machine, '.gemini', 'settings.json'),
    reload: TAKES_EFFECT,
    page: 'geminicli.com/docs/tools/mcp-server',
  },
  {
    name: 'goose',
    title: 'Goose',
    format: 'yaml',
    servers: [['extensions']],
    entry: GOOSE,
    settingsFile: gooseSettings,
    reload: 'start a new session; `goose info -v` shows it',
    page: 'block.github.io/goose/docs/guides/config-files',
  },
  {
    name: 'lmstudio',
    title: 'LM Studio',
    format: 'json',
    servers: MCP_SERVERS,
    entry: PLAIN,
    settingsFile: (machine) => inHome(machine, '.lmstudio', 'mcp.json'),
    reload: 'switch it on under Program, Integrations',
    page: 'lmstudio.ai/docs/app/mcp',
  },
  {
    name: 'opencode',
    title: 'opencode',
    format: 'jsonc',
    servers: [['mcp', 'servers'], ['mcp']],
    entry: OPENCODE,
    settingsFile: (machine) => inFolderOf(machine, 'XDG_CONFIG_HOME', ['.config'], 'opencode', 'opencode.json'),
    reload: 'start a new session; `opencode mcp list` shows it',
    page: 'opencode.ai/docs/mcp-servers',
  },
  {
    name: 'cline',
    title: 'Cline',
    format: 'json',
    servers: MCP_SERVERS,
    entry: CLINE,
    settingsFile: (machine) => inHome(machine, '.cline', 'data', 'settings', 'cline_mcp_settings.json'),
    reload: 'it appears under MCP Servers, Configure',
    page: 'docs.cline.bot/mcp/adding-and-configuring-servers',
  },
  {
    name: 'continue',
    title: 'Continue',
    format: 'yaml',
    servers: MCP_SERVERS,
    entry: CONTINUE,
    isList: true,
    start: 'name: Local Config\nversion: 1.0.0\nschema: v1\n',
    settingsFile: (machine) => inFolderOf(machine, 'CONTINUE_GLOBAL_DIR', ['.continue'], 'config.yaml'),
    reload: 'it appears under Tools, in agent mode',
    page: 'docs.continue.dev/customize/deep-dives/mcp',
  },
  {
    name: 'junie',
    title: 'Junie (JetBrains)',
    format: 'json',
    servers: MCP_SERVERS,
    entry: PLAIN,
    settingsFile: (machine) => inHome(machine, '.junie', 'mcp', 'mcp.json'),
    reload: 'it appears under Settings, Tools, Junie, MCP Settings',
    page: 'jetbrains.com/help/junie/model-context-protocol-mcp.html',
  },
  {
    name: 'zed',
    title: 'Zed',
    format: 'jsonc',
    servers: [['context_servers']],
    entry: ZED,
    settingsFile: zedSettings,
    reload: 'it appears in the settings of the agent panel',
    page: 'zed.dev/docs/ai/mcp',
  },
  {
    name: 'windsurf',
    title: 'Windsurf',
    format: 'json',
    servers: MCP_SERVERS,
    entry: PLAIN,
    settingsFile: (machine) => inHome(machine, '.codeium', 'windsurf', 'mcp_config.json'),
    reload: 'press refresh in its list of MCP servers',
    page: 'docs.windsurf.com/windsurf/cascade/mcp',
  },
] satisfies Client[]);

/** Where desktop programs keep the settings of one user. */
function inAppFolder(machine: Machine, ...parts: readonly string[]): string {
  return join(machine, appFolder(machine), ...parts);
}

function inHome(machine: Machine, ...parts: readonly string[]): string {
  return join(machine, machine.home, ...parts);
}

/** Below the folder named by a variable, or below one in the home folder. */
function inFolderOf(machine: Machine, variable: string, below: readonly string[], ...parts: readonly string[]): string {
  return join(machine, machine.env[variable] || inHome(machine, ...below), ...parts);
}

function gooseSettings(machine: Machine): string {
  const { GOOSE_PATH_ROOT: root } = machine.env;
  if (root) return join(machine, root, 'config', 'config.yaml');
  if (machine.platform === 'win32') return inAppFolder(machine, 'Block', 'goose', 'config', 'config.yaml');
  return inFolderOf(machine, 'XDG_CONFIG_HOME', ['.config'], 'goose', 'config.yaml');
}

/** Unlike other desktop programs it uses `.config` on macOS. */
function zedSettings(machine: Machine): string {
  if (machine.platform === 'win32') return inAppFolder(machine, 'Zed', 'settings.json');
  const configFolder = machine.platform === 'linux' ? machine.env.XDG_CONFIG_HOME : undefined;
  return join(machine, configFolder || join(machine, machine.home, '.config'), 'zed', 'settings.json');
}

export function clientsHere(machine: Workplace): readonly Client[] {
  return CLIENTS.filter((client) => isHere(client, machine));
}

/** For a file directly in the home folder or the working directory, only the file itself shows that the client is used. */
export function isHere(client: Client, machine: Workplace): boolean {
  const file = client.settingsFile(machine);
  const folder = dirname(file);
  return existsSync(file) || (folder !== machine.home && folder !== machine.cwd && existsSync(folder));
}
