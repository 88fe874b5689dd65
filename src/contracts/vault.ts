// The contract of a folder of notes: list it and read from it, never beyond it. Knows nothing of Markdown or the index.
import type { BatchResult } from '../base/batch.ts';
import type { FileKind, NotePath } from '../base/note.ts';

export interface FileEntry {
  readonly path: NotePath;
  readonly kind: FileKind;
  readonly sizeBytes: number;
  /** Milliseconds since 1970, with fractions. */
  readonly modifiedMs: number;
  /** The same of its birth, where the file system keeps it. */
  readonly createdMs?: number;
  /** In the cloud and not on this machine: listed, never read. */
  readonly evicted: boolean;
  /** Named like the copy a sync client makes of a file changed on two sides. */
  readonly conflictCopy: boolean;
}

/** Something in the folder that is no file of the vault, and why. A stub is named by the path of the file it stands for. */
export interface SkippedEntry {
  readonly path: string;
  readonly reason: 'symlink' | 'not_a_file' | 'unlistable_name' | 'evicted_stub';
}

export interface VaultListing {
  /**
   * In ascending order of the path's code points. Excluded files are not in it. Of two files whose paths differ only in Unicode
   * normalization one has the NFC path; the other keeps the spelling on disk, the only paths that are not NFC.
   */
  readonly files: readonly FileEntry[];
  readonly skipped: readonly SkippedEntry[];
  /** Folders that could not be listed, with their errno: what they hold is unknown, not gone. */
  readonly unreadableFolders: readonly { readonly path: string; readonly errno: string }[];
}

export interface FileContent {
  readonly path: NotePath;
  readonly bytes: Uint8Array;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

export interface Vault {
  /** The folder's own name, for people. */
  readonly name: string;
  /** Whether write tools may exist. */
  readonly access: 'read-only' | 'read-write';
  /** @throws VAULT_UNAVAILABLE when the root itself cannot be listed or goes away meanwhile; a folder below it is only reported */
  list(signal: AbortSignal): Promise<VaultListing>;
  /**
   * The part of the listing that lies at the given paths, with the unreadable folders above them. Costs as much as the folders
   * that the paths lie in, whatever the vault's size.
   * @throws as `list`
   */
  listAt(paths: readonly NotePath[], signal: AbortSignal): Promise<VaultListing>;
  /**
   * The bytes of each file, each in a buffer of its own, id = path as given. Evicted files, folders, pipes and what lies outside
   * the vault are never opened.
   * Item failures: FILE_UNREADABLE, PATH_NOT_ALLOWED, LIMIT_EXCEEDED (a file above 32 MiB).
   * @throws VAULT_UNAVAILABLE
   */
  read(paths: readonly NotePath[], signal: AbortSignal): Promise<BatchResult<FileContent>>;
}
