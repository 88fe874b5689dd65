// Changes files of the vault: sets of operations that are applied as a whole or not at all, and can be undone.
import type { NotePath } from '../base/note.ts';

/**
 * One file operation. `before` is the content hash that the file must still have; otherwise the whole set fails with WRITE_CONFLICT and
 * nothing is written. `create` and `move` fail if anything exists at the new path, whether or not it is indexed.
 */
export type FileOperation =
  | { readonly kind: 'create'; readonly path: NotePath; readonly bytes: Uint8Array }
  | { readonly kind: 'replace'; readonly path: NotePath; readonly before: string; readonly bytes: Uint8Array }
  /** `bytes` if the content changes, too. */
  | {
      readonly kind: 'move';
      readonly path: NotePath;
      readonly to: NotePath;
      /** Any content is moved if it is absent. */
      readonly before?: string;
      readonly bytes?: Uint8Array;
    }
  /** Moves the file into the vault's trash, under a free name. */
  | { readonly kind: 'trash'; readonly path: NotePath; readonly before: string }
  /** Deletes a file whose content the change log keeps; only to undo a `create`. */
  | { readonly kind: 'remove'; readonly path: NotePath; readonly before: string }
  /** Restores a trashed file; its copy in the trash is deleted unless it was changed. */
  | { readonly kind: 'restore'; readonly path: NotePath; readonly bytes: Uint8Array; readonly trashed: string };

export interface WriteRequest {
  /** Each path occurs in at most one of them, as `path` or `to`. */
  readonly operations: readonly FileOperation[];
  readonly tool: string;
  /** The name that the client gave itself; empty if it gave none. */
  readonly client: string;
  /** Id of the change that these operations undo. */
  readonly undoes?: string;
  /** Folders to delete afterwards if they are empty, inner ones first. */
  readonly emptied?: readonly string[];
}

/** Older changes cannot be undone. */
export const MAX_CHANGE_AGE_DAYS = 90;

/** One file of a change. `before` and `after` are content hashes; null if no file was, or is, at that path. */
export interface ChangedFile {
  readonly kind: FileOperation['kind'];
  readonly path: NotePath;
  /** The new path of a move; the path in the trash of a trashed file. */
  readonly to?: string;
  readonly before: string | null;
  readonly after: string | null;
}

export interface Change {
  readonly id: string;
  /** ISO time. */
  readonly time: string;
  readonly tool: string;
  readonly client: string;
  /** The name of the machine and, where the system reports it, its current boot; absent if its record cannot be read. */
  readonly machine?: string;
  readonly files: readonly ChangedFile[];
  /**
   * `taken_back`: a crash interrupted it, and the next start reverted it because a file had been changed meanwhile · `partly_taken_back`:
   * reverted, except for files that were edited after the change had reached them · `unfinished`: it
   * is being written, or a crash interrupted it; the writer lists no such change · `damaged`: its record cannot be read, so that only
   * id and time are known.
   */
  readonly state: 'done' | 'taken_back' | 'partly_taken_back' | 'unfinished' | 'damaged';
  readonly undoes?: string;
  /** Id of the change that undid this one. */
  readonly undoneBy?: string;
}

/** The result of `apply`. */
export interface Applied extends Change {
  /** Folders of `emptied` that still contain something, such as hidden or excluded files. */
  readonly kept: readonly string[];
}

/** The operations that undo a change, to be applied with `undoes`. */
export interface Inverse {
  readonly change: Change;
  readonly operations: readonly FileOperation[];
  /** Folders that were created for the change, to delete if they are empty. */
  readonly emptied: readonly string[];
}

/** How a start handled a change that a crash had interrupted; `forgotten` had not changed any file. */
export interface Recovered {
  readonly id: string;
  readonly outcome: 'finished' | 'taken_back' | 'partly_taken_back' | 'forgotten' | 'set_aside';
  /** The notes that a `partly_taken_back` leaves with the text of the change and the edits that followed. */
  readonly kept?: readonly string[];
}

/** A change as the log keeps it. */
export interface PastChange {
  readonly change: Change;
  /** The content with that hash, before or after the change; undefined if it is not kept. */
  contentOf(hash: string): Uint8Array | undefined;
}

/**
 * Changes files of the vault, and undoes what it changed.
 * @example
 * const before = contentHash(bytes);
 * const operation = { kind: 'replace', path, before, bytes: newBytes } as const;
 * const { id } = await writer.apply({ operations: [operation], tool: 'edit_note', client: '' }, signal);
 * const { operations, emptied } = await writer.inverse(id, signal);
 * await writer.apply({ operations, emptied, undoes: id, tool: 'undo_change', client: '' }, signal);
 */
export interface Writer {
  /**
   * Completes or reverts interrupted changes; all other methods wait for the first call. Later calls do not wait for a process that is
   * writing, and fail with EBUSY.
   * @returns what this process has recovered so far, oldest first
   * @throws as `apply`
   */
  recover(signal: AbortSignal): Promise<readonly Recovered[]>;
  /**
   * Writes all operations or none: a failure half-way reverts what was written, and after a crash the next start completes or reverts
   * it. All bytes that are replaced or deleted are first copied to the change log outside the vault. Once writing has begun, an abort
   * has no effect. Large contents may move to the thread that writes: the caller does not use them again.
   *
   * A file that only moves keeps its identity, times and permissions. A file whose content changes is replaced by a new one with the
   * same permissions, the same owner where the system allows it, and the time of the write; hard links to the old file keep the old
   * content. Read-only files are not written.
   * @param onBegun called when the signal aborts after writing has begun, within the abort; otherwise when all is written
   * @throws WRITE_CONFLICT, NOTE_EXISTS, PATH_NOT_ALLOWED, FILE_WRITE_FAILED, FILE_UNREADABLE, LIMIT_EXCEEDED, VAULT_UNAVAILABLE;
   * CHANGE_NOT_FOUND for the undo of an unknown or undone change; the signal's reason if nothing was written yet
   */
  apply(request: WriteRequest, signal: AbortSignal, onBegun?: () => void): Promise<Applied>;
  /** Checks for a dry run whether `apply` would succeed now; changes nothing. @throws as `apply`, except for errors of the disk */
  check(request: WriteRequest, signal: AbortSignal): Promise<void>;
  /** Newest first. */
  changes(limit: number, signal: AbortSignal): Promise<readonly Change[]>;
  /**
   * The operations that undo a change, with the present paths of its files. Without an id, of the last change that is neither undone
   * nor an undo itself.
   * @throws CHANGE_NOT_FOUND for an unknown id, an undone change, and a change whose copied bytes are gone
   */
  inverse(id: string | undefined, signal: AbortSignal): Promise<Inverse>;
}
