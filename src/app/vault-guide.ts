// Finds the note that the user of a vault wrote for assistants, without opening the vault.
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { withLimit } from '../base/async/limits.ts';
import { VaultgraphError } from '../base/errors.ts';
import { NEVER } from '../base/until-aborted.ts';
import type { Config } from '../config/config.ts';
import { createExclusion } from '../providers/filesystem/path-rules.ts';
import { showsPath } from './closed-vault.ts';

/** A disk that does not answer must hold up neither the start nor the calls of other vaults. */
const LOOK_MS = 500;
const USUAL_GUIDES = ['AGENTS.md', 'CLAUDE.md'];

/** Whether there is a file at this path that clients see; a disk that does not answer has none. */
export async function showsFile(config: Config, path: string): Promise<boolean> {
  const isHidden = createExclusion(config.vault.exclude).hides(path);
  if (isHidden || !showsPath(config, path)) return false;
  const late = new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'ETIMEDOUT' });
  const look = async (): Promise<boolean> => (await lstat(join(config.vaultRoot, path))).isFile();
  const [outcome] = await Promise.allSettled([withLimit(LOOK_MS, () => late, NEVER, look)]);
  return outcome.status === 'fulfilled' && outcome.value;
}

/** Its path: that of the config, else the first of the usual names at the root of the vault. */
export async function guideOf(config: Config): Promise<string | undefined> {
  const { guide } = config.vault;
  const candidates = guide === undefined ? USUAL_GUIDES : [guide, `${guide}.md`];
  const shown = await Promise.all(candidates.map((path) => showsFile(config, path)));
  return candidates.find((_, at) => shown[at]);
}
