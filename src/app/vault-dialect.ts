// Decides by which rules the notes of a vault are read: those of the config, or those that its folder shows.
import type { Config } from '../config/config.ts';
import { type Recognized, recognizeDialect } from '../providers/filesystem/dialect-signs.ts';

export async function dialectOf({ vault, vaultKey, vaultRoot }: Config): Promise<Recognized> {
  const { dialect, config_folder: settings } = vault;
  if (dialect !== 'auto') return { dialect, because: `${vaultKey}.dialect` };
  if (settings !== undefined) return { dialect: 'obsidian', because: `${vaultKey}.config_folder` };
  return recognizeDialect(vaultRoot);
}
