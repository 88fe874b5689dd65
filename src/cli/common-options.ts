// Defines the options that all commands share, and reads the config with them.
import { homedir } from 'node:os';
import { readConfigFrom, readServedFrom, type ServedConfigs } from '../app/read-configs.ts';
import type { Config, VaultConfigs } from '../config/config.ts';
import type { ConfigSources } from '../config/config-sources.ts';

/** The config of the one vault that a command is about. @throws as `configsFor`; CONFIG_INVALID if there are several and none is named */
export function configFor(options: CommonOptions): Promise<Config> {
  return readConfigFrom(sourcesOf(options));
}

/** @throws CONFIG_INVALID with all faults, CONFIG_MISSING if no vault is named */
export async function configsFor(options: CommonOptions): Promise<VaultConfigs> {
  return (await servedFor(options)).vaults;
}

/** The configs of the vaults, and of the views. @throws as `configsFor` */
export function servedFor(options: CommonOptions): Promise<ServedConfigs> {
  return readServedFrom(sourcesOf(options));
}

function sourcesOf({ config, vault, dataDir, stateDir }: CommonOptions): ConfigSources {
  const entries = Object.entries({ config, vault, dataDir, stateDir }).filter(([, value]) => value !== undefined);
  const flags = Object.fromEntries(entries);
  const { env, platform } = process;
  return { flags, env, platform, home: homedir(), cwd: process.cwd() };
}

export interface CommonOptions {
  readonly config?: string;
  /** A folder, or the name of one of several vaults. */
  readonly vault?: string;
  readonly dataDir?: string;
  readonly stateDir?: string;
  readonly json?: boolean;
  /** Hides the progress of long tasks. */
  readonly quiet?: boolean;
}
