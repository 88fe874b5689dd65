// The supported MCP clients: where each keeps its settings, and the form of a server entry.
import { existsSync } from 'node:fs';
import { dirname, posix, win32 } from 'node:path';
import type { Machine } from '../machine.ts';

/** The command a client starts. Paths are absolute, because clients have neither the user's shell nor a working directory. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

export interface Client {
  readonly name: string;
  /** The name shown to users. */
  readonly title: string;
  /** `jsonc` allows comments and trailing commas. */
  readonly format: 'json' | 'jsonc' | 'toml';
  /** Key of the map of servers in the settings. */
  readonly servers: string;
  entry(server: ServerCommand): object;
  /** Absolute. */
  settingsFile(machine: Machine): string;
  /** How to make the client see a change. */
  readonly reload: string;
}

const plain = ({ command, args }: ServerCommand) => ({ command, args: [...args] });
const withType = (server: ServerCommand) => ({ type: 'stdio', ...plain(server) });

export const CLIENTS: readonly Client[] = Object.freeze([
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    format: 'json',
    servers: 'mcpServers',
    entry: plain,
    settingsFile: (machine) => inAppFolder(machine, 'Claude', 'claude_desktop_config.json'),
    reload: 'quit Claude Desktop and start it again',
  },
  {
    name: 'claude-code',
    title: 'Claude Code',
    format: 'json',
    servers: 'mcpServers',
    entry: withType,
    settingsFile: (machine) => inFolderOf(machine, 'CLAUDE_CONFIG_DIR', [], '.claude.json'),
    reload: 'start a new session; /mcp lists it',
  },
  {
    name: 'cursor',
    title: 'Cursor',
    format: 'jsonc',
    servers: 'mcpServers',
    entry: plain,
    settingsFile: (machine) => join(machine, machine.home, '.cursor', 'mcp.json'),
    reload: 'it appears under Settings, MCP',
  },
  {
    name: 'vscode',
    title: 'VS Code',
    format: 'jsonc',
    servers: 'servers',
    entry: withType,
    settingsFile: (machine) => inAppFolder(machine, 'Code', 'User', 'mcp.json'),
    reload: 'run "MCP: List Servers" and start it',
  },
  {
    name: 'codex',
    title: 'Codex',
    format: 'toml',
    servers: 'mcp_servers',
    entry: plain,
    settingsFile: (machine) => inFolderOf(machine, 'CODEX_HOME', ['.codex'], 'config.toml'),
    reload: 'start a new session; /mcp lists it',
  },
  {
    name: 'zed',
    title: 'Zed',
    format: 'jsonc',
    servers: 'context_servers',
    entry: (server) => ({ source: 'custom', ...plain(server), env: {} }),
    settingsFile: zedSettings,
    reload: 'it appears in the settings of the agent panel',
  },
  {
    name: 'windsurf',
    title: 'Windsurf',
    format: 'json',
    servers: 'mcpServers',
    entry: plain,
    settingsFile: (machine) => join(machine, machine.home, '.codeium', 'windsurf', 'mcp_config.json'),
    reload: 'press refresh in its list of MCP servers',
  },
] satisfies Client[]);

/** Joins paths by the rules of the given platform, so that every platform can be tested anywhere. */
function join({ platform }: Machine, ...parts: readonly string[]): string {
  return (platform === 'win32' ? win32 : posix).join(...parts);
}

/** Where desktop programs keep the settings of one user. */
function inAppFolder(machine: Machine, ...parts: readonly string[]): string {
  const { platform, env, home } = machine;
  if (platform === 'win32') return join(machine, env.APPDATA || join(machine, home, 'AppData', 'Roaming'), ...parts);
  if (platform === 'darwin') return join(machine, home, 'Library', 'Application Support', ...parts);
  return join(machine, env.XDG_CONFIG_HOME || join(machine, home, '.config'), ...parts);
}

/** The folder named by a variable, or one in the home folder. */
function inFolderOf(machine: Machine, variable: string, below: readonly string[], file: string): string {
  return join(machine, machine.env[variable] || join(machine, machine.home, ...below), file);
}

/** Unlike other desktop programs it uses `.config` on macOS. */
function zedSettings(machine: Machine): string {
  if (machine.platform === 'win32') return inAppFolder(machine, 'Zed', 'settings.json');
  const configFolder = machine.platform === 'linux' ? machine.env.XDG_CONFIG_HOME : undefined;
  return join(machine, configFolder || join(machine, machine.home, '.config'), 'zed', 'settings.json');
}

export function clientsHere(machine: Machine): readonly Client[] {
  return CLIENTS.filter((client) => isHere(client, machine));
}

/** For a file directly in the home folder, only the file itself shows that the client is installed. */
export function isHere(client: Client, machine: Machine): boolean {
  const file = client.settingsFile(machine);
  const folder = dirname(file);
  return existsSync(file) || (folder !== machine.home && existsSync(folder));
}
