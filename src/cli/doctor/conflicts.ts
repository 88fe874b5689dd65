// Doctor check for environment variables that contradict the config file.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { readConfigFrom } from '../../app/read-configs.ts';
import { commandLine } from '../../base/command-line.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { type Config, originOf } from '../../config/config.ts';
import { locateConfigFile } from '../../config/config-sources.ts';
import type { CommonOptions } from '../common-options.ts';
import { type Finding, ok, warning } from './finding.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Desktop clients are not started from a shell: if a variable decides, they use another value than the command line. */
export async function conflictsFinding(
  config: Config,
  { config: file }: CommonOptions,
  env: Environment = process.env,
): Promise<Finding> {
  if (originOf(config, 'config') === '$VAULTGRAPH_CONFIG') return twoFiles(config, env);
  if (originOf(config, 'vault.path') === '$OBSIDIAN_VAULT_PATH') return twoVaults(config, file, env);
  return ok('no environment variable overrides the config file');
}

function twoFiles({ file }: Config, env: Environment): Finding {
  const usual = locateConfigFile({ ...sources(env, 'VAULTGRAPH_CONFIG'), flags: {} }).path;
  if (!existsSync(usual)) return ok('$VAULTGRAPH_CONFIG names the one config file there is');
  return warning(
    `$VAULTGRAPH_CONFIG names ${file}, and ${usual} is there too: a client that does not have the variable takes that one`,
    `\`${commandLine('install --client NAME')}\` writes the file that is meant into the settings; or remove the other`,
  );
}

async function twoVaults(config: Config, file: string | undefined, env: Environment): Promise<Finding> {
  const flags = file === undefined ? {} : { config: file };
  const [without] = await Promise.allSettled([readConfigFrom({ ...sources(env, 'OBSIDIAN_VAULT_PATH'), flags })]);
  if (without.status === 'fulfilled' && without.value.vaultRoot !== config.vaultRoot)
    return warning(
      `$OBSIDIAN_VAULT_PATH leads to ${config.vaultRoot}, the config file to ${without.value.vaultRoot}: a client that does not have the variable takes that one`,
      'unset the variable, or name the same folder in both',
    );
  const isSilent = without.status === 'fulfilled' || isMissing(without.reason);
  return isSilent ? ok('$OBSIDIAN_VAULT_PATH names the vault') : unreadable(without.reason);
}

const isMissing = (reason: unknown): boolean => reason instanceof VaultgraphError && reason.code === 'CONFIG_MISSING';

function unreadable(reason: unknown): Finding {
  const said = reason instanceof VaultgraphError ? reason.message : 'it cannot be read';
  return warning(
    `without $OBSIDIAN_VAULT_PATH the config would not do: ${said}`,
    'correct vault.path in the config file',
  );
}

/** The sources of a process without that variable. */
function sources(env: Environment, without: string) {
  const { [without]: _gone, ...rest } = env;
  return { env: rest, platform: process.platform, home: homedir(), cwd: process.cwd() };
}
