// What the main thread and the file threads say to each other. Everything here survives a structured clone.
import type { ErrorCode } from '../../base/errors.ts';
import type { FileContent, FileEntry, VaultListing } from '../../contracts/vault.ts';
import type { SettingsFile, SettingsName } from '../../contracts/vault-settings.ts';
import type { Applied, Change, Inverse, Recovered, WriteRequest } from '../../contracts/writer.ts';

export interface FileRequest {
  readonly path: string;
  /** The path by its spelling on disk, where that is known to differ. */
  readonly onDisk?: string;
}

export type FileTask = { readonly kind: 'probe' } | FileListTask | FileReadTask | SettingsTask | WatchTask | WriteTask;
/** With `paths` only what lies at them is listed. */
export type FileListTask = { readonly kind: 'list'; readonly paths?: readonly string[] };
export type SettingsTask = { readonly kind: 'settings'; readonly name: SettingsName };
export type FileReadTask = { readonly kind: 'read'; readonly files: readonly FileRequest[] };

/** A path on disk, and what the folder there was last known by. */
export interface LookedFor {
  readonly path: string;
  readonly mark?: string;
}

/** Only a folder that is not left out has a mark. */
export interface Looked extends LookedFor {
  /** Of a folder that is another one than was known: what lies below it, itself among the folders. */
  readonly below?: { readonly folders: ReadonlyMap<string, string>; readonly files: readonly string[] };
}

export interface Survey {
  /** What tells the vault's folder from another one of the same path. */
  readonly root: string;
  /** The vault's folders on disk, each with such a mark. */
  readonly folders: ReadonlyMap<string, string>;
  /** Folders on disk that are left out or cannot be listed. */
  readonly ignored: readonly string[];
  /** Why a watcher could not begin. */
  readonly fault?: string;
}

/** What a watcher asks for: before it begins, and behind each of its events. */
export type WatchTask =
  | { readonly kind: 'survey' }
  | { readonly kind: 'look'; readonly paths: readonly LookedFor[] }
  | { readonly kind: 'root' };

/** What a thread of a vault that may be written does; `log` is the absolute folder of the log of changes. */
export type WriteTask = { readonly log: string } & (
  | { readonly kind: 'recover' }
  | { readonly kind: 'apply'; readonly request: WriteRequest }
  | { readonly kind: 'check'; readonly request: WriteRequest }
  | { readonly kind: 'changes'; readonly limit: number }
  | { readonly kind: 'inverse'; readonly id: string | undefined }
);

/** A `VaultgraphError` on its way between threads. */
export interface CarriedError {
  readonly code: ErrorCode;
  readonly details: object;
}

export interface FoundFile extends FileEntry {
  /** Only when it is not `path`. */
  readonly onDisk?: string;
}

export interface FoundFiles extends Omit<VaultListing, 'files'> {
  readonly files: readonly FoundFile[];
}

export type ReadRow = { readonly content: FileContent } | { readonly error: CarriedError };

export type FileAnswer =
  | { readonly kind: 'probe' }
  | { readonly kind: 'list'; readonly found: FoundFiles }
  | { readonly kind: 'survey'; readonly survey: Survey }
  | { readonly kind: 'look'; readonly looked: readonly Looked[] }
  | { readonly kind: 'root'; readonly mark: string }
  | { readonly kind: 'read'; readonly rows: readonly ReadRow[] }
  | { readonly kind: 'settings'; readonly file: SettingsFile }
  | { readonly kind: 'recover'; readonly recovered: readonly Recovered[] }
  | { readonly kind: 'apply'; readonly change: Applied; readonly recovered: readonly Recovered[] }
  | { readonly kind: 'check' }
  | { readonly kind: 'changes'; readonly changes: readonly Change[] }
  | ({ readonly kind: 'inverse' } & Inverse)
  | { readonly kind: 'error'; readonly error: CarriedError };

/** What every file thread is started with. */
export interface FileThreadSetup {
  readonly root: string;
  readonly exclude: readonly string[];
  /** Shared with the main thread; its cells are named below. */
  readonly pulse: Int32Array;
}

/** Grows with every sign of life. */
export const BEATS = 0;
/** Items of the task that are done; of a change, 1 once it is committed. */
export const ITEMS = 1;
/** 1 when nobody waits for the task any more, or it was given up on. */
export const STOP = 2;
export const PULSE_CELLS = 3;
