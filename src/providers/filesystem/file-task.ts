// The messages between the main thread and the file threads; all of them survive a structured clone.
import type { SerializedError } from '../../base/errors/serialized-error.ts';
import type {
  FileContent,
  FileEntry,
  HashedFile,
  HashedTexts,
  SettingsFile,
  SettingsName,
  VaultListing,
} from '../../contracts/vault.ts';
import type { Applied, Change, FileOperation, Inverse, Recovered, WriteRequest } from '../../contracts/writer.ts';
import type { ViewGlobs } from './view-globs.ts';
import type { LockPlace } from './writing/folder-lock.ts';

export interface FileRequest {
  readonly path: string;
  /** The path as spelled on disk, where it is known to differ. */
  readonly onDisk?: string;
  /** The stamp of its content as it was read last: if it is still that, it is not read. */
  readonly stamp?: string;
  /** Whether only parts are read, as of a large file. */
  readonly isSampled?: true;
}

export type FileTask = { readonly kind: 'probe' } | FileListTask | FileReadTask | SettingsTask | WatchTask | WriteTask;
/**
 * With `some`, ends when so many `notes` that are not in `except` are found; with `paths`, lists only these; with `maxBytes`, also reads those to be indexed, unless
 * they are larger together.
 */
export interface FileListTask {
  readonly kind: 'list';
  readonly some?: { readonly notes: number; readonly except: ReadonlySet<string> };
  readonly paths?: readonly string[];
  readonly maxBytes?: number;
}
export type SettingsTask = { readonly kind: 'settings'; readonly name: SettingsName };
export type FileReadTask = { readonly kind: 'read' | 'hash'; readonly files: readonly FileRequest[] };

/** A path on disk, and the identity of the folder last seen there. */
export interface PathQuery {
  readonly path: string;
  readonly identity?: string;
}

/** `identity` is set only for a folder that is not excluded. */
export interface PathState extends PathQuery {
  /** The stamp of a file: differs once it may be another one or have another content. */
  readonly stamp?: string;
  /** The contents of a folder whose identity changed, including the folder itself. */
  readonly below?: { readonly folders: ReadonlyMap<string, string>; readonly files: readonly string[] };
}

export interface Survey {
  /** The identity of the vault's folder: it differs for another folder at the same path. */
  readonly root: string;
  /** The vault's folders on disk, each with its identity. */
  readonly folders: ReadonlyMap<string, string>;
  /** Folders on disk that are excluded or cannot be listed. */
  readonly ignored: readonly string[];
  /** The file of settings that names excluded files, relative to the vault; absent if no file does. */
  readonly settings?: { readonly path: string; readonly stamp: string };
  /** The errno that keeps a watcher from starting. */
  readonly fault?: string;
}

/** The tasks of a watcher: `survey` before it starts, `inspect` after each event. */
export type WatchTask =
  | { readonly kind: 'survey' }
  | { readonly kind: 'inspect'; readonly paths: readonly PathQuery[] };

/** Absolute paths. */
export interface LogFolders {
  /** The change log's. */
  readonly log: string;
}

/** The tasks of the writer's thread. */
export type WriteTask = LogFolders &
  (
    | { readonly kind: 'recover'; readonly maxWaitMs?: number }
    | { readonly kind: 'apply'; readonly request: WriteRequest }
    /** At the files that changes have replaced, once more. */
    | { readonly kind: 'look' }
    | { readonly kind: 'check'; readonly request: WriteRequest }
    | { readonly kind: 'changes'; readonly limit: number }
    | { readonly kind: 'inverse'; readonly id: string | undefined }
    | { readonly kind: 'lock' }
  );

/** What another program wrote to a file after it was replaced: added to the file in its place, or kept beside it. */
export interface LateWrite {
  readonly path: string;
  readonly outcome: 'carried_over' | 'kept_beside';
}

export interface FoundFile extends FileEntry {
  /** Set only where it differs from `path`. */
  readonly onDisk?: string;
}

export interface FoundFiles extends Omit<VaultListing, 'files'> {
  readonly files: readonly FoundFile[];
  /** That of the file that names excluded files, as it was when they were looked up; absent if none does. */
  readonly settingsStamp?: string;
}

export type ReadRow<Content = FileContent> =
  | { readonly content: Content }
  | { readonly isUnchanged: true }
  | { readonly error: SerializedError };

export type FileAnswer =
  | { readonly kind: 'probe' }
  | { readonly kind: 'list'; readonly listing: FoundFiles; readonly rows?: readonly ReadRow[] }
  /** The next files of a long listing, which has more: `MORE` asks for them. The answer has the last ones. */
  | { readonly kind: 'part'; readonly files: readonly FoundFile[] }
  | { readonly kind: 'survey'; readonly survey: Survey }
  | { readonly kind: 'inspect'; readonly states: readonly PathState[] }
  | { readonly kind: 'read'; readonly rows: readonly ReadRow[] }
  /** `texts`: those of the rows without an error. */
  | { readonly kind: 'hash'; readonly rows: readonly ReadRow<HashedFile>[]; readonly texts: HashedTexts }
  | { readonly kind: 'settings'; readonly file: SettingsFile }
  | { readonly kind: 'recover'; readonly recovered: readonly Recovered[]; readonly late: readonly LateWrite[] }
  | {
      readonly kind: 'apply';
      readonly change: Applied;
      /** Whether the log says that the change is done, so that it can be listed and undone. */
      readonly isLogged: boolean;
      readonly recovered: readonly Recovered[];
      readonly late: readonly LateWrite[];
    }
  | { readonly kind: 'look'; readonly late: readonly LateWrite[]; readonly watched: number }
  | { readonly kind: 'check' }
  | { readonly kind: 'changes'; readonly changes: readonly Change[] }
  | ({ readonly kind: 'inverse' } & Inverse)
  | { readonly kind: 'lock'; readonly place: LockPlace }
  | { readonly kind: 'error'; readonly error: SerializedError };

/** Files of a listing go one part at a time, because receiving all of them at once would hold the main thread. */
export const MORE = 'more';

export type AnswerTo<Kind> = Extract<FileAnswer, { kind: Kind }>;

/** The `workerData` of every file thread. */
export interface FileThreadSetup extends ViewGlobs {
  readonly root: string;
  readonly exclude: readonly string[];
  /** In which Obsidian keeps the settings of the vault; absent if it is to be found. */
  readonly configFolder?: string;
  /** Whether Obsidian's setting "Excluded files" counts. */
  readonly hidesExcluded: boolean;
  /** Shared with the main thread; the cells are listed below. */
  readonly sharedState: Int32Array;
}

/** Incremented while the thread makes progress. */
export const HEARTBEATS = 0;
/** Finished items of the task, or files found so far by a listing. */
export const ITEMS_DONE = 1;
/** How the task is to end, which the first of both threads decides. */
const ENDING = 2;
/** 1 while the thread works on the task: not before it has started, and not while its answer waits for the main thread. */
export const IS_WORKING = 3;
export const STATE_CELLS = 4;

const OPEN = 0;
/** The caller has gone, or the main thread gave the task up. */
const STOPPED = 1;
/** A change is committed, or is being: it is finished even if the caller goes. */
const COMMITTED = 2;

export const isStopped = (state: Int32Array): boolean => Atomics.load(state, ENDING) === STOPPED;

/** @returns whether the task ends without a change: false if one is committed already */
export const stopTask = (state: Int32Array): boolean =>
  Atomics.compareExchange(state, ENDING, OPEN, STOPPED) !== COMMITTED;

/** @returns false if the task is to stop: then nothing may be written */
export const commitTask = (state: Int32Array): boolean =>
  Atomics.compareExchange(state, ENDING, OPEN, COMMITTED) !== STOPPED;

const LARGE_BYTES = 2 ** 20;

/** The new contents that move to the other thread: to copy a long note would take its memory twice, and some ten milliseconds. */
export function largeBuffersOf(operations: readonly FileOperation[]): ArrayBuffer[] {
  const buffers = operations.flatMap((operation) => {
    const { buffer, byteLength } = ('bytes' in operation && operation.bytes) || NOTHING;
    return byteLength >= LARGE_BYTES && byteLength === buffer.byteLength ? [buffer as ArrayBuffer] : [];
  });
  return [...new Set(buffers)];
}

const NOTHING = new Uint8Array();
