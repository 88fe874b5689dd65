// Reads the notes that one change affects, a few at a time.
import { contentHash } from '../../base/content-hash.ts';
import type { VaultgraphError } from '../../base/errors.ts';
import type { NotePath } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { decodeText, encoderLike } from '../../markdown/parse/lines.ts';
import type { EditableNote } from './write-plan.ts';

const FILES_AT_ONCE = 64;

export interface ReadNote extends EditableNote {
  /** False if it cannot be written without loss. */
  readonly isText: boolean;
}

/**
 * Reads each file and lets other calls run after each.
 * @returns the files that could not be read
 * @throws VAULT_UNAVAILABLE, and what `work` throws
 */
export async function forEachNote(
  paths: readonly NotePath[],
  vault: Vault,
  call: CallContext,
  work: (note: ReadNote) => Promise<void>,
): Promise<readonly { readonly id: string; readonly error: VaultgraphError }[]> {
  const unread: { readonly id: string; readonly error: VaultgraphError }[] = [];
  for (let at = 0; at < paths.length; at += FILES_AT_ONCE) {
    call.progress(at, paths.length, 'reading notes');
    const { succeeded, failed } = await vault.read(paths.slice(at, at + FILES_AT_ONCE), call.signal);
    for (const { result } of succeeded) {
      const { text, encoding } = decodeText(result.bytes);
      const etag = contentHash(result.bytes);
      const encode = encoderLike(result.bytes);
      await work({ path: result.path, text, etag, encode, isText: encoding === 'utf-8' });
      call.signal.throwIfAborted();
      await letOthersRun();
    }
    unread.push(...failed);
  }
  return unread;
}
