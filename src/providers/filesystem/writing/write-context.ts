// What every part of writing a change works with, and how it tells of what the system refused.
import { VaultgraphError } from '../../../base/errors.ts';
import { errnoOf } from '../errno.ts';
import type { ChangeLog } from './change-log.ts';
import { type Intent, LOG_OF_CHANGES } from './logged-change.ts';
import { type Settling, scratchNames } from './slot.ts';
import type { Ground } from './vault-root.ts';

/** Where a test may stop, kill or fail a change. */
export type Failpoint = 'planned' | 'begun' | 'folders' | 'prepared' | 'committed' | 'settled' | 'emptied' | 'done';

export interface Workshop extends Ground {
  readonly log: ChangeLog;
  /** A sign of life; throws when the caller has gone, and is no longer asked once the change is committed. */
  readonly beat: () => void;
  readonly at: (point: Failpoint) => void;
}

export function settlingOf(shop: Workshop, { id }: Intent, number: number, isNeeded = false): Settling {
  return { ground: shop, ...scratchNames(id, number), bytesOf: (hash) => shop.log.image(id, hash), isNeeded };
}

/**
 * Whatever the system refuses is told by its word and by the call it refused.
 * @param path in the vault; of the log where it is not given
 * @throws what `work` throws, foreign errors as FILE_WRITE_FAILED, NOTE_EXISTS or PATH_NOT_ALLOWED
 */
export function typed<T>(path: string | undefined, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof VaultgraphError) throw thrown;
    const errno = errnoOf(thrown);
    const cause = { cause: thrown };
    if (path !== undefined && errno === 'EEXIST') throw new VaultgraphError('NOTE_EXISTS', { path }, cause);
    if (path !== undefined && errno === 'ELOOP')
      throw new VaultgraphError('PATH_NOT_ALLOWED', { path, rule: 'a symbolic link is not followed' }, cause);
    const details = { path: path ?? LOG_OF_CHANGES, errno, step: syscallOf(thrown), original_intact: true };
    throw new VaultgraphError('FILE_WRITE_FAILED', details, cause);
  }
}

function syscallOf(thrown: unknown): string {
  return thrown instanceof Error && 'syscall' in thrown && typeof thrown.syscall === 'string' ? thrown.syscall : 'call';
}

/**
 * A vault that is away is the better word for whatever fails because of it, but not for a change that is half made.
 * @throws what `work` throws, or VAULT_UNAVAILABLE
 */
export function unlessAway<T>(shop: Workshop, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof VaultgraphError)) throw thrown;
    const { original_intact: isIntact = true } = thrown.details as { readonly original_intact?: boolean };
    if (isIntact) shop.checkRoot();
    throw thrown;
  }
}
