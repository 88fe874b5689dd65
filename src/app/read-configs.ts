// Reads the configs of the vaults and views from files and the command line.
import { VaultgraphError } from '../base/errors.ts';
import { type Config, readSources, readVaultConfigs, readViewConfigs, type VaultConfigs } from '../config/config.ts';
import type { ConfigSources } from '../config/config-sources.ts';
import { providerCatalog } from '../providers/catalog.ts';
import { type Recognized, recognizeDialect } from '../providers/filesystem/dialect-signs.ts';
import { TOOL_NAMES } from './exposed-tools.ts';

export interface ServedConfigs {
  readonly vaults: VaultConfigs;
  /** By name: parts of a vault for tokens over HTTP. */
  readonly views: ReadonlyMap<string, Config>;
}

/** @throws CONFIG_INVALID with every fault at once, also of the views; CONFIG_MISSING */
export async function readServedFrom(sources: ConfigSources): Promise<ServedConfigs> {
  const reading = await readSources(sources, providerCatalog, TOOL_NAMES);
  const vaults = await readVaultConfigs(reading);
  return { vaults, views: await readViewConfigs(reading, vaults) };
}

/** The config of the only vault. @throws as `readServedFrom`; CONFIG_INVALID if there are several and `--vault` names none of them */
export async function readConfigFrom(sources: ConfigSources): Promise<Config> {
  const { vaults: configs } = await readServedFrom(sources);
  if ('one' in configs) return configs.one;
  const names = configs.several.map(({ name }) => name);
  const what = `there are several vaults, and this is about one: name it with --vault`;
  throw new VaultgraphError('CONFIG_INVALID', {
    faults: [{ file: configs.several[0]?.config.file ?? 'config', what, allowed: names }],
    advice: `Name one of them, such as --vault ${names[0]}.`,
  });
}

// Decides by which rules the notes of a vault are read: those of the config, or those that its folder shows.

export async function dialectOf({ vault, vaultKey, vaultRoot }: Config): Promise<Recognized> {
  const { dialect, config_folder: settings } = vault;
  if (dialect !== 'auto') return { dialect, because: `${vaultKey}.dialect` };
  if (settings !== undefined) return { dialect: 'obsidian', because: `${vaultKey}.config_folder` };
  return recognizeDialect(vaultRoot);
}
