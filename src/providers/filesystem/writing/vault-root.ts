// The vault's root folder during a change: its real path, its exclusions and a check that it is still the same folder.
import type { BigIntStats } from 'node:fs';
import { errnoOrRethrow } from '../../../base/errno.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import type { Exclusion } from '../path-rules.ts';
import type { Disk } from './disk.ts';

export interface VaultRoot {
  readonly disk: Disk;
  /** The vault's real path. */
  readonly root: string;
  readonly exclusion: Exclusion;
  /** Checks that the root is still the same folder, not the empty mount point of its drive. @throws VAULT_UNAVAILABLE */
  readonly checkRoot: () => void;
  /** Reports progress; never throws. */
  readonly heartbeat: () => void;
}

/** @throws VAULT_UNAVAILABLE */
export function openVaultRoot(disk: Disk, root: string, exclusion: Exclusion, heartbeat: () => void): VaultRoot {
  const first = rootStats(disk, root);
  const checkRoot = (): void => {
    const now = rootStats(disk, root);
    if (now.ino !== first.ino || now.dev !== first.dev)
      throw new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'ESTALE' });
  };
  return Object.freeze({ disk, root, exclusion, checkRoot, heartbeat });
}

function rootStats(disk: Disk, root: string): BigIntStats {
  try {
    const stats = disk.lstatSync(root, { bigint: true });
    if (stats.isDirectory()) return stats;
  } catch (thrown) {
    throw new VaultgraphError('VAULT_UNAVAILABLE', { errno: errnoOrRethrow(thrown) }, { cause: thrown });
  }
  throw new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'ENOTDIR' });
}
