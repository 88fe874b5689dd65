// Finds the folder in which Obsidian keeps the settings of a vault: `.obsidian`, or another one that the user has chosen.
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isErrno } from '../../base/errno.ts';

const USUAL = '.obsidian';
/** Obsidian writes some of them into every such folder. */
const MARKS = ['app.json', 'appearance.json', 'core-plugins.json', 'workspace.json', 'daily-notes.json'];

/** The folder, relative to the vault, or the folders of which any could be meant. */
export type ConfigFolder = { readonly folder: string } | { readonly several: readonly string[] };

/**
 * `.obsidian` decides if it is there. Obsidian takes only folders whose name begins with a dot.
 * @param root the vault's real path
 * @throws system errors
 */
export function findConfigFolder(root: string): ConfigFolder {
  if (exists(join(root, USUAL))) return { folder: USUAL };
  const hidden = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const names = hidden.map(({ name }) => name).filter((name) => name.startsWith('.'));
  const found = names.filter((name) => MARKS.some((mark) => exists(join(root, name, mark)))).sort();
  const named = found.filter((name) => name.startsWith(USUAL));
  const several = named.length > 0 ? named : found;
  return several.length > 1 ? { several } : { folder: several[0] ?? USUAL };
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
