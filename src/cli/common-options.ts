// Defines the options that all commands share, and reads the config with them.
import { homedir } from 'node:os';
import { readConfigFrom } from '../graph-core.ts';
import type { Config } from '../lifecycle/config/config.ts';

/** @throws CONFIG_INVALID with all faults, CONFIG_MISSING if no vault is named */
export function configFor({ config, vault, dataDir, stateDir }: CommonOptions): Promise<Config> {
  const entries = Object.entries({ config, vault, dataDir, stateDir }).filter(([, value]) => value !== undefined);
  const flags = Object.fromEntries(entries);
  const { env, platform } = process;
  return readConfigFrom({ flags, env, platform, home: homedir(), cwd: process.cwd() });
}

export interface CommonOptions {
  readonly config?: string;
  readonly vault?: string;
  readonly dataDir?: string;
  readonly stateDir?: string;
  readonly json?: boolean;
  /** Hides the progress of long tasks. */
  readonly quiet?: boolean;
}
