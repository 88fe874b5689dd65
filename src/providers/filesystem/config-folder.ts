// Finds the folder in which Obsidian keeps the settings of a vault: `.obsidian`, or another one that the user has chosen.
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isErrno } from '../../base/errno.ts';

const USUAL = '.obsidian';
/** Obsidian writes some of them into every such folder. */
const MARKS = ['app.json', 'appearance.json', 'core-plugins.json', 'workspace.json', 'daily-notes.json'];

/** The folder, relative to the vault, or why it is not known. */
type ConfigFolder = { readonly folder: string } | { readonly fault: string };

/**
 * `.obsidian` decides if it is there. Obsidian takes only folders whose name begins with a dot.
 * @param root the vault's real path
 * @param chosen by the config
 * @throws system errors
 */
export function findConfigFolder(root: string, chosen: string | undefined): ConfigFolder {
  if (chosen !== undefined) {
    const isThere = exists(join(root, chosen));
    return isThere ? { folder: chosen } : { fault: `the vault has no folder ${chosen}; correct vault.config_folder` };
  }
  if (exists(join(root, USUAL))) return { folder: USUAL };
  const hidden = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const names = hidden.map(({ name }) => name).filter((name) => name.startsWith('.'));
  const found = names.filter((name) => MARKS.some((mark) => exists(join(root, name, mark)))).sort();
  const named = found.filter((name) => name.startsWith(USUAL));
  const several = named.length > 0 ? named : found;
  if (several.length <= 1) return { folder: several[0] ?? USUAL };
  const fault = `any of ${several.join(', ')} can be the folder of Obsidian's settings; set vault.config_folder`;
  return { fault };
}

function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT', 'ENOTDIR')) return false;
    throw thrown;
  }
}
