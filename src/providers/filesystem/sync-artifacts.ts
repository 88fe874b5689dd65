// Recognizes what sync clients leave in a vault: placeholder stubs, evicted files and conflict copies.
import type { Stats } from 'node:fs';
import { rulesFor } from '../../base/system/system-rules.ts';

const CLOUD_STUB = /^\.(.+)\.icloud$/;
const CONFLICT_COPY = /\((?:[^()]* )?conflicted copy(?: [^()]*)?\)|\.sync-conflict-/i;

/** The name of the file that an iCloud stub is a placeholder for; undefined for any other name. */
export function nameBehindStub(name: string): string | undefined {
  return CLOUD_STUB.exec(name)?.[1];
}

/** The name of the iCloud stub that stands for a file; this path or name is taken while it exists. */
export function stubOf(path: string): string {
  const at = path.lastIndexOf('/') + 1;
  return `${path.slice(0, at)}.${path.slice(at)}.icloud`;
}

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

export function isConflictCopy(path: string): boolean {
  return CONFLICT_COPY.test(path.slice(path.lastIndexOf('/') + 1));
}
