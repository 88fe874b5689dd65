// The context that all steps of a change share, and the translation of system errors into ours.
import { errnoOrRethrow } from '../../../base/errno.ts';
import { type DetailsOf, VaultgraphError } from '../../../base/errors.ts';
import type { ChangeLog } from './change-log.ts';
import { VAULT_NAME } from './folder-lock.ts';
import { CHANGE_LOG_NAME, type Intent, logNameAt } from './logged-change.ts';
import { scratchNames } from './scratch-names.ts';
import type { SlotContext } from './slot.ts';
import type { VaultRoot } from './vault-root.ts';

/** Where a test may stop, kill or fail a change. */
export type Failpoint = 'planned' | 'begun' | 'folders' | 'prepared' | 'committed' | 'applied' | 'emptied' | 'done';

export interface WriteContext extends VaultRoot, Pick<SlotContext, 'onReplaced'> {
  readonly log: ChangeLog;
  /** Reports progress and throws when the caller has gone. Not called once the change is committed. */
  readonly checkStop: () => void;
  readonly at: (point: Failpoint) => void;
}

export function slotContext(context: WriteContext, { id }: Intent, number: number, mustKeep = false): SlotContext {
  const { log, onReplaced } = context;
  return { vault: context, ...scratchNames(id, number), bytesOf: (hash) => log.image(id, hash), mustKeep, onReplaced };
}

/**
 * Translates system errors, naming the errno and the call that failed.
 * @param path in the vault, `` for its root; by default the change log's
 * @throws what `work` throws; system errors as FILE_WRITE_FAILED, NOTE_EXISTS or PATH_NOT_ALLOWED
 */
export function wrapFsError<T>(path: string | undefined, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof VaultgraphError) throw thrown;
    const errno = errnoOrRethrow(thrown);
    const cause = { cause: thrown };
    if (path !== undefined && errno === 'EEXIST') throw new VaultgraphError('NOTE_EXISTS', { path }, cause);
    if (path !== undefined && errno === 'ELOOP')
      throw new VaultgraphError('PATH_NOT_ALLOWED', { path, rule: 'a symbolic link is not followed' }, cause);
    const named = path === '' ? VAULT_NAME : (path ?? CHANGE_LOG_NAME);
    const details = { path: named, errno, step: syscallOf(thrown), original_intact: true };
    throw new VaultgraphError('FILE_WRITE_FAILED', details, cause);
  }
}

/** Does what `wrapFsError` does for the change log, and names its folder. */
export function wrapLogError<T>(folder: string, work: () => T): T {
  try {
    return wrapFsError(undefined, work);
  } catch (thrown) {
    if (!(thrown instanceof VaultgraphError) || thrown.code !== 'FILE_WRITE_FAILED') throw thrown;
    const details = thrown.details as DetailsOf<'FILE_WRITE_FAILED'>;
    if (details.path !== CHANGE_LOG_NAME) throw thrown;
    const named = { ...details, path: logNameAt(folder) };
    throw new VaultgraphError('FILE_WRITE_FAILED', named, { cause: thrown.cause });
  }
}

function syscallOf(thrown: unknown): string {
  return thrown instanceof Error && 'syscall' in thrown && typeof thrown.syscall === 'string' ? thrown.syscall : 'call';
}

/**
 * Reports an unavailable vault instead of the errors that result from it, except for a change that is half made.
 * @throws what `work` throws, or VAULT_UNAVAILABLE
 */
export function preferVaultUnavailable<T>(context: WriteContext, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof VaultgraphError)) throw thrown;
    const { original_intact: isIntact = true } = thrown.details as { readonly original_intact?: boolean };
    if (isIntact) context.checkRoot();
    throw thrown;
  }
}
