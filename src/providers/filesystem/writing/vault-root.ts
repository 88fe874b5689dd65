// The vault's folder as a change finds it: where it is, what is left out of it, and whether it is still there.
import type { BigIntStats } from 'node:fs';
import { VaultgraphError } from '../../../base/errors.ts';
import { errnoOf } from '../errno.ts';
import type { Exclusion } from '../exclusion.ts';
import type { Disk } from './disk.ts';

export interface Ground {
  readonly disk: Disk;
  /** The vault's real path. */
  readonly root: string;
  readonly exclusion: Exclusion;
  /** That the vault is the one that it was at first, not the place where its drive was mounted. @throws VAULT_UNAVAILABLE */
  readonly checkRoot: () => void;
  /** A sign of life; never throws. */
  readonly alive: () => void;
}

/** @throws VAULT_UNAVAILABLE */
export function openGround(disk: Disk, root: string, exclusion: Exclusion, alive: () => void): Ground {
  const first = rootStats(disk, root);
  const checkRoot = (): void => {
    const now = rootStats(disk, root);
    if (now.ino !== first.ino || now.dev !== first.dev)
      throw new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'ESTALE' });
  };
  return Object.freeze({ disk, root, exclusion, checkRoot, alive });
}

function rootStats(disk: Disk, root: string): BigIntStats {
  try {
    const stats = disk.lstatSync(root, { bigint: true });
    if (stats.isDirectory()) return stats;
  } catch (thrown) {
    throw new VaultgraphError('VAULT_UNAVAILABLE', { errno: errnoOf(thrown) }, { cause: thrown });
  }
  throw new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'ENOTDIR' });
}
