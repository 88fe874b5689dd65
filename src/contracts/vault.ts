// A folder of notes: lists it and reads from it, never outside it.
import type { BatchResult } from '../base/batch.ts';
import { VaultgraphError } from '../base/errors.ts';
import type { Dialect, FileKind, NotePath } from '../base/note.ts';

/** The globs of all files: the default of what clients may see and write. */
export const EVERYTHING: readonly string[] = ['**'];

/** The section of the config that names a vault; keys as in the YAML. */
export interface VaultConfig {
  /** Absolute; a leading `~` is expanded. */
  path: string;
  access: 'read-only' | 'read-write';
  /** Who confirms a change that has to be confirmed: the caller by its arguments, or the user, whom the server asks. */
  consent: 'argument' | 'ask';
  /** Globs, vault-relative. */
  exclude: string[];
  /** Globs of the files that clients may see, and of those that they may change. */
  read: string[];
  write: string[];
  /** In which Obsidian keeps the settings of the vault; looked for if it is absent. */
  config_folder?: string | undefined;
  /** Whether files that Obsidian's setting "Excluded files" names are in lists and searches. */
  excluded_files: 'hide' | 'show';
  /** The system whose rules the notes are read by; `auto`: what the folder shows. */
  dialect: 'auto' | Dialect;
  /** The note for assistants; AGENTS.md or CLAUDE.md at the root by default. */
  guide?: string | undefined;
  /** The language of new daily notes, as Moment.js names it. */
  language?: string | undefined;
}

export interface FileEntry {
  readonly path: NotePath;
  readonly kind: FileKind;
  readonly sizeBytes: number;
  /** Milliseconds since 1970, with a fraction. */
  readonly modifiedMs: number;
  /** In the unit of `modifiedMs`; absent if the file system does not record it. */
  readonly createdMs?: number;
  /** When anything of the file changed last, which no program can set; absent if the file system does not record it. */
  readonly changedMs?: number;
  /** Whether its content is only in the cloud, with or without a placeholder under another name: it is listed, but never read. */
  readonly evicted: boolean;
  /** Whether it is named like the copies that sync clients make of conflicting changes. */
  readonly conflictCopy: boolean;
  /** Set if Obsidian's settings exclude it from lists and searches; it can be named, read and linked. */
  readonly excluded?: boolean;
}

/** An entry of the folder that is not a file of the vault. */
export interface SkippedEntry {
  readonly path: string;
  readonly reason: 'symlink' | 'not_a_file' | 'unlistable_name';
}

export interface VaultListing {
  /**
   * Ascending by the code points of the path, without excluded files. Paths are NFC, except for the second of two files whose paths
   * differ only in Unicode normalization: it keeps its spelling on disk.
   */
  readonly files: readonly FileEntry[];
  readonly skipped: readonly SkippedEntry[];
  /** Folders that could not be listed, and files of the root that could not be examined, with the errno: their files may still exist. */
  readonly unreadableFolders: readonly { readonly path: string; readonly errno: string }[];
  /** What of Obsidian's setting "Excluded files" is not applied, and in which file; absent if nothing. */
  readonly settingsFault?: {
    readonly path: string;
    readonly reasons: readonly string[];
    /** Set if it is unknown which files are excluded: no file has the flag then. */
    readonly isUnread?: true;
  };
  /** Hidden files that a change makes while it is written, by path; only in a list of the whole vault, absent if there are none. */
  readonly scratch?: readonly string[];
}

export interface FileContent {
  readonly path: NotePath;
  readonly bytes: Uint8Array;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /** Absent if the file system does not record it. */
  readonly createdMs?: number;
  /**
   * Differs once the file may have another content. Absent for a file that was changed just now: its next change could leave it the same
   * times.
   */
  readonly stamp?: string;
  /** The index, kept by another machine, is of another content: its lines and offsets do not fit these bytes. */
  readonly differsHere?: boolean;
}

/** The hashes of several texts after their front matter, one text after the other: lists for each text take longer to pass between threads. */
export interface HashedTexts {
  /** The hash of each word. */
  readonly words: Uint32Array;
  /** Two numbers for each line: its hash, and how many words of the text there are up to its end. */
  readonly lines: Uint32Array;
  /** The first lines of each text, each once. */
  readonly first: Uint32Array;
  /** Four numbers for each text: where its words, lines and first lines end, and the hash of its drawing. */
  readonly ends: Uint32Array;
}

export interface HashedFiles extends BatchResult<HashedFile> {
  /** The hashes of the files that could be read, in their order. */
  readonly texts: HashedTexts;
}

export interface HashedFile extends Pick<FileContent, 'differsHere'> {
  /** That of its content. */
  readonly hash: string;
}

/** An event of a watch. It says only that something may have changed: what happened to a file shows when it is read. */
export type VaultEvent =
  /**
   * Something may have changed at `paths`, which need not exist, and anywhere below `folders`. Paths are as in a listing; excluded
   * paths never occur. Two hints of a path with the same stamp are of the same state of it.
   */
  | {
      readonly kind: 'hints';
      readonly paths: readonly string[];
      readonly folders: readonly string[];
      readonly stamps: ReadonlyMap<string, string>;
    }
  /** From now on hints may be missing, until `lost` or `ended`: only below `folders`, if they are given. */
  | { readonly kind: 'stalled'; readonly folders?: readonly string[] }
  /** Hints were lost, so the whole vault has to be scanned; later hints are complete again. `folders` as in `stalled`. */
  | { readonly kind: 'lost'; readonly reason: string; readonly folders?: readonly string[] }
  /** The watch has ended. The reason is an errno, or `watcher_failed` for an error without errno. */
  | { readonly kind: 'ended'; readonly reason: string };

/**
 * A point in the history of a file: the last moment before a time in milliseconds since 1970, there only a text with the given hash; or a
 * revision as `EarlierText` has it.
 */
export type Moment = { readonly beforeMs: number; readonly hash?: string } | { readonly revision: string };

export interface EarlierText {
  /** Its path then. */
  readonly path: NotePath;
  readonly bytes: Uint8Array;
  /** The commit, the change of a tool, or the etag of the text. */
  readonly revision: string;
  /** When it was committed, changed, or noticed. */
  readonly writtenMs: number;
  readonly keptBy: 'git' | 'changes' | 'history';
}

export interface OpenWatch {
  /** No event follows once it has resolved; never rejects. */
  close(): Promise<void>;
}

/**
 * The part of the vault that clients may see, or change. All other members of the vault are about this part only: what is outside does
 * not exist for them.
 */
export interface VaultView {
  /** Whether a client sees the file; its path is NFC. */
  shows(path: string): boolean;
  /** Whether a client that may write may change it. */
  mayWrite(path: string): boolean;
  /** The globs of the config, by its keys. */
  readonly globs: Readonly<Record<'vault.read' | 'vault.write', readonly string[]>>;
  /**
   * The vault with what is outside; for checks of which a client learns at most whether they succeeded. Absent if clients may see the
   * whole vault.
   */
  readonly whole?: Pick<Vault, 'list' | 'read'>;
  /** The globs that match no file, for the user. @throws as `list` */
  unmatched(signal: AbortSignal): Promise<readonly UnmatchedGlob[]>;
}

export interface UnmatchedGlob {
  readonly key: string;
  readonly glob: string;
  /** A glob for an existing folder that may be meant. */
  readonly did_you_mean?: string;
}

/** The error of a write where clients may not write: the same for a file that they may read, a hidden one and none. */
export function notWritable(path: string): VaultgraphError<'PATH_NOT_ALLOWED'> {
  const instead =
    'The config (`vault.read`, `vault.write`) does not let this server write it; only the user can change that.';
  return new VaultgraphError('PATH_NOT_ALLOWED', { path, rule: 'this server may not write it', instead });
}

/**
 * Reads the files of a vault.
 * @example
 * const { succeeded, failed } = await vault.read(['Daily/2026-11-29.md' as NotePath], signal);
 */
export interface Vault extends VaultSettings {
  /** The name of the folder, for people. */
  readonly name: string;
  /** Whether write tools are available. */
  readonly access: 'read-only' | 'read-write';
  /** Absent if clients may see the whole vault, and change all of it that they see. */
  readonly view?: VaultView;
  /** Files that the listing in progress has found so far; 0 if there is none. */
  readonly progress: { readonly listed: number };
  /** @throws VAULT_UNAVAILABLE if the root cannot be listed or disappears meanwhile; other folders become `unreadableFolders` */
  list(signal: AbortSignal): Promise<VaultListing>;
  /**
   * Paths of some `notes` of the vault that are not known, or of all if there are fewer: those that are found first.
   * @throws as `list`
   */
  listSome(notes: number, except: ReadonlySet<string>, signal: AbortSignal): Promise<readonly NotePath[]>;
  /**
   * The part of the listing at the given paths, with the unreadable folders above them. Its cost depends on the folders of the paths,
   * not on the size of the vault.
   * @throws as `list`
   */
  listAt(paths: readonly NotePath[], signal: AbortSignal): Promise<VaultListing>;
  /**
   * Does what `listAt` does, and `read` of the notes, canvases and bases that it lists, in one step.
   * @param maxBytes nothing is read if the files are larger than this together: `contents` is absent then
   * @throws as `list`
   */
  listAndRead(
    paths: readonly NotePath[],
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<{ readonly listing: VaultListing; readonly contents?: BatchResult<FileContent> }>;
  /**
   * The bytes of each file, each in a buffer of its own; the id is the given path. Never opens evicted files, folders, pipes and files
   * outside the vault.
   * Item failures: FILE_UNREADABLE, PATH_NOT_ALLOWED, LIMIT_EXCEEDED (a file above 32 MiB).
   * @throws VAULT_UNAVAILABLE
   */
  read(paths: readonly NotePath[], signal: AbortSignal): Promise<BatchResult<FileContent>>;
  /** Does what `read` does, with bytes that are kept for other calls: they must not be changed or moved. A file that is still as it was is not read again. */
  readKept(paths: readonly NotePath[], signal: AbortSignal): Promise<BatchResult<FileContent>>;
  /** Does what `read` does, of files of any size; `bytes` are only parts of a large file, always the same ones for its size. */
  readSamples(paths: readonly NotePath[], signal: AbortSignal): Promise<BatchResult<FileContent>>;
  /** Does what `read` does, of some hundred different notes and canvases at most; instead of their bytes, the hashes of their texts leave the thread. */
  readHashes(paths: readonly NotePath[], signal: AbortSignal): Promise<HashedFiles>;
  /**
   * A file as it was, whether it exists today or not.
   * @throws EARLIER_TEXT_MISSING, PATH_NOT_ALLOWED, LIMIT_EXCEEDED
   */
  earlier(path: NotePath, at: Moment, signal: AbortSignal): Promise<EarlierText>;
  /**
   * Reports changes from the moment on at which it resolves. A watcher that cannot start or stops is an `ended` event, not an error.
   * Symbolic links are not followed.
   * @param onSign must not throw
   * @param signal ends the opening only
   * @throws VAULT_UNAVAILABLE
   */
  watch(onEvent: (sign: VaultEvent) => void, signal: AbortSignal): Promise<OpenWatch>;
}

/** Paths in the folder of Obsidian's settings; these files are never listed, and cannot be read by path. */
export const SETTINGS_FILES = Object.freeze({
  app: 'app.json',
  'daily-notes': 'daily-notes.json',
  'periodic-notes': 'plugins/periodic-notes/data.json',
  calendar: 'plugins/calendar/data.json',
  templates: 'templates.json',
  templater: 'plugins/templater-obsidian/data.json',
  quickadd: 'plugins/quickadd/data.json',
  types: 'types.json',
  'community-plugins': 'community-plugins.json',
  'obsidian-tasks-plugin': 'plugins/obsidian-tasks-plugin/data.json',
});

export type SettingsName = keyof typeof SETTINGS_FILES;

/** A larger file is not read. */
export const MAX_SETTINGS_BYTES = 64 * 1024;

/** `path`: relative to the vault. */
export type SettingsFile = { readonly path: string } & (
  | { readonly result: 'nothing' }
  | { readonly result: 'text'; readonly text: string }
  /** The file exists but cannot be read; the reason is a short phrase or an errno. */
  | { readonly result: 'fault'; readonly reason: string }
);

interface VaultSettings {
  /** The language of new daily notes, as Moment.js names it, if the config sets it. */
  readonly language?: string;
  /**
   * The content of the file.
   * @param maxAgeMs how long ago it may have been read; 0 by default
   * @throws VAULT_UNAVAILABLE
   */
  settings(name: SettingsName, signal: AbortSignal, maxAgeMs?: number): Promise<SettingsFile>;
}

/** The vault with both of its ways to read contents made into others. */
export function withReads(vault: Vault, wrap: (read: Vault['read']) => Vault['read']): Vault {
  return Object.freeze({ ...vault, read: wrap(vault.read), readKept: wrap(vault.readKept) });
}
