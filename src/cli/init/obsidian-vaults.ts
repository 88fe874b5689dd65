// Reads the list of vaults that Obsidian keeps on this machine.
import { statSync } from 'node:fs';
import { readOwnJson } from '../../base/system/own-file.ts';
import { faultAt } from '../../base/system/presence.ts';
import { appFolder, joinOn } from '../../base/system/system-rules.ts';
import type { Machine } from '../machine.ts';

export interface KnownVault {
  /** Absolute. */
  readonly path: string;
  /** Milliseconds since 1970; 0 if the list has no time. */
  readonly openedMs: number;
}

/** Possible files of the list: the default first, then those of sandboxed packages. */
export function listFiles({ platform, env, home }: Machine): string[] {
  const below = (...folder: readonly string[]): string => joinOn({ platform }, ...folder, 'obsidian', 'obsidian.json');
  const ownFolders = below(appFolder({ platform, env, home }));
  if (platform !== 'linux') return [ownFolders];
  return [
    ownFolders,
    below(home, '.var', 'app', 'md.obsidian.Obsidian', 'config'),
    below(home, 'snap', 'obsidian', 'current', '.config'),
  ];
}

/** Existing vaults, last opened first. A list that cannot be read counts as empty, because it belongs to Obsidian. */
export function obsidianVaults(machine: Machine): KnownVault[] {
  const vaults = new Map<string, KnownVault>();
  for (const file of listFiles(machine)) for (const vault of vaultsIn(file)) vaults.set(vault.path, vault);
  return [...vaults.values()].filter(({ path }) => isFolder(path)).sort((a, b) => b.openedMs - a.openedMs);
}

function vaultsIn(file: string): KnownVault[] {
  const { vaults } = mapOf(parsed(file));
  return Object.values(mapOf(vaults)).flatMap((vault) => {
    const { path, ts } = mapOf(vault);
    return typeof path === 'string' ? [{ path, openedMs: typeof ts === 'number' ? ts : 0 }] : [];
  });
}

const mapOf = (value: unknown): Readonly<Record<string, unknown>> => Object(value);

function parsed(file: string): unknown {
  try {
    return readOwnJson(file);
  } catch {
    return undefined;
  }
}

function isFolder(path: string): boolean {
  // One on a disk that does not answer is not offered; the others are.
  return faultAt(path) === undefined && statSync(path).isDirectory();
}
