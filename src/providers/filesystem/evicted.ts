// Whether a file is in the cloud and not on this machine, by its stat alone: opening it to see would download it.
import type { Stats } from 'node:fs';

/** Only macOS evicts in place; elsewhere a file without blocks is merely sparse. */
export function isEvicted(stats: Pick<Stats, 'blocks' | 'size'>, platform: string = process.platform): boolean {
  return platform === 'darwin' && stats.blocks === 0 && stats.size > 0;
}
