// The contract of what changes files of the vault: a set of operations, all of it or nothing, each to be undone.
import type { NotePath } from '../base/note.ts';

/**
 * What is to become of one file. `before` is the content hash the file must still have: another one is WRITE_CONFLICT, and
 * nothing of the whole set is written. `create` and `move` refuse a place where anything lies, whatever the index knows.
 */
export type FileOperation =
  | { readonly kind: 'create'; readonly path: NotePath; readonly bytes: Uint8Array }
  | { readonly kind: 'replace'; readonly path: NotePath; readonly before: string; readonly bytes: Uint8Array }
  /** `bytes` where the content changes on the way. */
  | {
      readonly kind: 'move';
      readonly path: NotePath;
      readonly to: NotePath;
      /** Whatever is there where it is not given. */
      readonly before?: string;
      readonly bytes?: Uint8Array;
    }
  /** Into the vault's trash, under a free name. */
  | { readonly kind: 'trash'; readonly path: NotePath; readonly before: string }
  /** Takes a file away for good whose content the change log keeps; only to undo a `create`. */
  | { readonly kind: 'remove'; readonly path: NotePath; readonly before: string }
  /** A trashed file as it was, back in its place; its copy in the trash goes, unless somebody changed it. */
  | { readonly kind: 'restore'; readonly path: NotePath; readonly bytes: Uint8Array; readonly trashed: string };

export interface WriteRequest {
  /** No path stands in two of them, neither as `path` nor as `to`. */
  readonly operations: readonly FileOperation[];
  readonly tool: string;
  /** The name the client gave itself; empty where it gave none. */
  readonly client: string;
  /** The change that these operations undo. */
  readonly undoes?: string;
  /** Folders that go if they are empty then, the inner ones first. */
  readonly emptied?: readonly string[];
}

/** One file of a change. Hashes are of the content; null where there was, or is, no file at that path. */
export interface ChangedFile {
  readonly kind: FileOperation['kind'];
  readonly path: NotePath;
  /** Of a move; of what was trashed, where in the trash it lies. */
  readonly to?: string;
  readonly before: string | null;
  readonly after: string | null;
}

export interface Change {
  readonly id: string;
  /** ISO. */
  readonly time: string;
  readonly tool: string;
  readonly client: string;
  readonly files: readonly ChangedFile[];
  /** `taken_back`: a kill cut it off, and the next start could not finish it, for somebody had changed a file meanwhile. */
  readonly state: 'done' | 'taken_back';
  readonly undoes?: string;
  /** The change that undid this one. */
  readonly undoneBy?: string;
}

/** A change as it was just made. */
export interface Applied extends Change {
  /** Folders of `emptied` that stay, because they still hold something: files that are hidden or excluded, for one. */
  readonly kept: readonly string[];
}

/** What takes a change back, to be applied with `undoes`. */
export interface Inverse {
  readonly change: Change;
  readonly operations: readonly FileOperation[];
  /** The folders that were made for the change, to go if they are empty then. */
  readonly emptied: readonly string[];
}

/** How a start ended a change that a kill had cut off; `forgotten` had touched nothing yet. */
export interface Recovered {
  readonly id: string;
  readonly outcome: 'finished' | 'taken_back' | 'forgotten';
}

export interface Writer {
  /** Ends every change that a kill cut off, once a start; each other method waits for it. @throws as `apply` */
  recover(signal: AbortSignal): Promise<readonly Recovered[]>;
  /**
   * Writes all of it or nothing: a failure in the middle takes back what was written, and a kill is finished or taken back by the
   * next start. Every byte that is replaced or taken away is kept outside the vault first. Once it has begun to write, an abort
   * no longer ends it: the answer tells what became of it.
   *
   * A file that only moves is the same file afterwards, its times and permissions too. One whose content changes is a new file in
   * its place, with the old one's permissions, its owner as far as the system lets files be given away, and the time of the write;
   * whatever other name the old file had keeps the old content. What is marked read-only is not written.
   * @throws WRITE_CONFLICT, NOTE_EXISTS, PATH_NOT_ALLOWED, FILE_WRITE_FAILED, FILE_UNREADABLE, LIMIT_EXCEEDED, VAULT_UNAVAILABLE;
   * CHANGE_NOT_FOUND for the undo of what nobody knows, or is undone; the signal's reason while nothing was written
   */
  apply(request: WriteRequest, signal: AbortSignal): Promise<Applied>;
  /** Whether `apply` would do it as the vault is now, for a dry run. Changes nothing. @throws as `apply`, but for what the disk refuses */
  check(request: WriteRequest, signal: AbortSignal): Promise<void>;
  /** Newest first. */
  changes(limit: number, signal: AbortSignal): Promise<readonly Change[]>;
  /**
   * The operations that take a change back, in its files' present place; the last one that is not undone and is no undo, where no
   * id is given.
   * @throws CHANGE_NOT_FOUND for an id nobody knows, an undone change, and one whose kept bytes are gone
   */
  inverse(id: string | undefined, signal: AbortSignal): Promise<Inverse>;
}
