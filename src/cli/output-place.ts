// Decides whether a command may write a file at a path that the user gave: a vault gets nothing that was not asked for.
import { dirname, isAbsolute, resolve } from 'node:path';
import { liesInside } from '../base/local-path.ts';
import type { Config } from '../config/config.ts';
import { type CommonOptions, configsFor } from './common-options.ts';
import { usageError } from './usage.ts';

export interface Output {
  readonly command: string;
  /** The file or folder, as the user wrote it. */
  readonly path: string;
  /** A folder may be a link to another place; a file replaces such a link. */
  readonly isFolder?: boolean;
  /** The options of the command. */
  readonly accepted: readonly string[];
}

export interface Place {
  /** The folder of the vault, links resolved. */
  readonly root: string;
  readonly access: Config['vault']['access'];
}

/**
 * @param vaults all that are known
 * @returns the absolute path. @throws INVALID_INPUT if it leads into a vault, unless it is absolute and the vault may be written to
 */
export async function outputPath(output: Output, vaults: readonly Place[]): Promise<string> {
  const { path, isFolder = false } = output;
  const absolute = resolve(path);
  for (const { root, access } of vaults) {
    if (!(await liesInside(root, isFolder ? absolute : dirname(absolute)))) continue;
    if (access !== 'read-write')
      throw refused(output, `That would write ${path} into a vault that is read-only. Name a place outside of it.`);
    if (!isAbsolute(path))
      throw refused(output, `That would write ${path} into the vault. Give an absolute path if you want that.`);
  }
  return absolute;
}

function refused({ command, accepted }: Output, rule: string) {
  return usageError({ command, rule, accepted });
}

/** The vault of a command, and the others of its config. @throws CONFIG_INVALID */
export async function knownVaults(options: CommonOptions, config: Config): Promise<readonly Place[]> {
  const { vault: _vault, ...others } = options;
  const all = config.name === undefined ? { one: config } : await configsFor(others);
  const configs = 'one' in all ? [all.one] : all.several.map((entry) => entry.config);
  return [config, ...configs].map(({ vaultRoot, vault }) => ({ root: vaultRoot, access: vault.access }));
}
