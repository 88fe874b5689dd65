// Recognizes files whose content a cloud drive has taken away in place.
import type { Stats } from 'node:fs';
import { rulesFor } from './system-rules.ts';

/**
 * Whether a file is only in the cloud. Decided from its stat, because opening it would download it. Only macOS evicts in place;
 * elsewhere a file without blocks is merely sparse.
 */
export function isEvicted(
  stats: Pick<Stats, 'blocks' | 'size'>,
  platform: NodeJS.Platform = process.platform,
): boolean {
  return rulesFor(platform).canEvictFiles && stats.blocks === 0 && stats.size > 0;
}
