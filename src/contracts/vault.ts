// The contract of a folder of notes: list it and read from it, never beyond it.
import type { BatchResult } from '../base/batch.ts';
import type { FileKind, NotePath } from '../base/note.ts';
import type { VaultSettings } from './vault-settings.ts';

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

/** What a watch tells. Nothing in it is a fact about a file: what became of it only a look can say. */
export type VaultSign =
  /**
   * Something may have happened at `paths`, each of which was, is or never became a file; and at anything that lies or lay below
   * `folders`. As paths of a listing; what listings leave out is never hinted at.
   */
  | { readonly kind: 'hints'; readonly paths: readonly string[]; readonly folders: readonly string[] }
  /** From now on hints may be missing, until `lost` or `ended`. */
  | { readonly kind: 'deaf' }
  /** Hints were lost, so that everything has to be looked at; those to come are not. */
  | { readonly kind: 'lost'; readonly reason: string }
  /** The last sign of this watch: an errno, `watcher_missing`, or `watcher_failed` for what has no errno. */
  | { readonly kind: 'ended'; readonly reason: string };

export interface OpenWatch {
  /** No sign comes once it resolved; never rejects. */
  close(): Promise<void>;
}

export interface Vault extends VaultSettings {
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
  /**
   * Tells of what happens from the moment on at which it resolves. A watcher that cannot begin or does not go on is no failure but
   * a sign. Symbolic links are not followed.
   * @param onSign must not throw
   * @param signal ends the opening only
   * @throws VAULT_UNAVAILABLE
   */
  watch(onSign: (sign: VaultSign) => void, signal: AbortSignal): Promise<OpenWatch>;
}
