// The config for one command: its flags, this process's environment and the file they lead to. Knows no command.
import { homedir } from 'node:os';
import { readConfigFrom } from '../graph-core.ts';
import type { Config } from '../lifecycle/config.ts';
import type { CommonOptions } from './command-line.ts';

/** @throws CONFIG_INVALID with every fault at once, CONFIG_MISSING when nothing names a vault */
export function configFor({ config, vault, dataDir }: CommonOptions): Promise<Config> {
  const flags = { ...(config && { config }), ...(vault && { vault }), ...(dataDir && { dataDir }) };
  const { env, platform } = process;
  return readConfigFrom({ flags, env, platform, home: homedir(), cwd: process.cwd() });
}
