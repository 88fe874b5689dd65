// Doctor check for clients' MCP settings: servers that cannot start, or that differ under one name.
import { spawnSync } from 'node:child_process';
import { basename } from 'node:path';
import { commandLine } from '../../base/command-line.ts';
import { toVaultgraphError } from '../../base/errors.ts';
import { faultAt } from '../../base/system/presence.ts';
import { CLIENTS, type Client } from '../install/clients.ts';
import { readSettings } from '../install/settings-file.ts';
import { serversIn } from '../install/settings-text.ts';
import type { Workplace } from '../machine.ts';
import { type Finding, failing, ok, warning } from './finding.ts';

interface Installed {
  readonly client: Client;
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** Flags whose path must exist before a server starts. */
const PATH_FLAGS = ['--config', '--vault'];

export function clientsFinding(machine: Workplace): Finding {
  const read = CLIENTS.map((client) => installedIn(client, machine));
  const unreadable = read.flatMap(({ fault }) => (fault === undefined ? [] : [fault]));
  const installed = read.flatMap(({ servers }) => servers);
  const missing = installed.flatMap(missingPaths);
  if (missing.length > 0)
    return failing(missing.join(' · '), `run \`${commandLine('install --client NAME')}\` to update the paths`);
  const old = installed.flatMap(oldNode);
  if (old.length > 0)
    return failing(
      old.join(' · '),
      `run \`${commandLine('install --client NAME')}\` with a newer Node: it writes the path of the Node that runs it`,
    );
  if (unreadable.length > 0)
    return warning(unreadable.join(' · '), 'fix this file; until then the client cannot read its MCP settings');
  const differing = namesThatDiffer(installed);
  if (differing.length > 0)
    return warning(
      `${differing.join(', ')}: clients start it with different arguments`,
      'install it again in each client, or use different names with --name',
    );
  const titles = [...new Set(installed.map(({ client }) => client.title))];
  return ok(
    titles.length === 0
      ? `no client starts it yet; \`${commandLine('install --client NAME')}\` sets one up`
      : `started by ${titles.join(', ')}`,
  );
}

function installedIn(client: Client, machine: Workplace) {
  const file = client.settingsFile(machine);
  try {
    const servers = Object.entries(serversIn(readSettings(file) ?? '', { file, client }));
    return { servers: servers.flatMap(([name, entry]) => ours(client, name, entry)) };
  } catch (thrown) {
    return { servers: [], fault: `${client.title}: ${toVaultgraphError(thrown).message.split('\n')[0]}` };
  }
}

/** Entries of this server, recognized by name or by command. */
function ours(client: Client, name: string, entry: unknown): Installed[] {
  const [command, ...args] = client.entry.read(entry) ?? [];
  if (command === undefined) return [];
  const isOurs = name === 'vaultgraph' || args.some((word) => /[\\/]vaultgraph[\\/]/.test(word));
  return isOurs ? [{ client, name, command, args }] : [];
}

/** Absolute paths that do not exist, or that the system does not let us look at; a bare command name is resolved by the client. */
function missingPaths({ client, name, command, args }: Installed): string[] {
  const flagged = args.filter((_, at) => PATH_FLAGS.includes(args[at - 1] ?? ''));
  const script = args.filter((word) => /[\\/]main\.js$/.test(word));
  const paths = [command, ...script, ...flagged].filter((path) => /[\\/]/.test(path));
  return paths.flatMap((path) => {
    const errno = faultAt(path);
    if (errno === undefined) return [];
    const what = errno === 'ENOENT' ? 'does not exist' : `cannot be looked at (${errno})`;
    return [`${client.title}, ${name}: ${path} ${what}`];
  });
}

const OLDEST_NODE = 22;
const MAX_MS = 3_000;

/** Runs the Node that the client starts to read its version; a bare `node` is resolved by the client and skipped. */
function oldNode({ client, name, command }: Installed): string[] {
  if (!/^node(?:\.exe)?$/i.test(basename(command)) || basename(command) === command) return [];
  const { stdout } = spawnSync(command, ['--version'], { encoding: 'utf8', timeout: MAX_MS });
  const major = Number(/^v(\d+)\./.exec(stdout ?? '')?.[1]);
  const isOld = major < OLDEST_NODE;
  return isOld ? [`${client.title}, ${name}: starts Node ${stdout.trim()}, ${OLDEST_NODE} or newer is needed`] : [];
}

function namesThatDiffer(installed: readonly Installed[]): string[] {
  const byName = Map.groupBy(installed, ({ name }) => name);
  const isOne = (all: readonly Installed[]): boolean =>
    new Set(all.map(({ args }) => JSON.stringify(args.slice(1)))).size === 1;
  return [...byName].filter(([, all]) => !isOne(all)).map(([name]) => name);
}
