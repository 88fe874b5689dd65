// The config for one command: its flags, this process's environment and the file they lead to.
import { homedir } from 'node:os';
import { readConfigFrom } from '../graph-core.ts';
import type { Config } from '../lifecycle/config/config.ts';
import type { CommonOptions } from './common-options.ts';

/** @throws CONFIG_INVALID with every fault at once, CONFIG_MISSING when nothing names a vault */
export function configFor({ config, vault, dataDir }: CommonOptions): Promise<Config> {
  const given = Object.entries({ config, vault, dataDir }).filter(([, value]) => value !== undefined);
  const flags = Object.fromEntries(given);
  const { env, platform } = process;
  return readConfigFrom({ flags, env, platform, home: homedir(), cwd: process.cwd() });
}
