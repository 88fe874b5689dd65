// What the index knows of files, and the sets of changes that are applied to it as a whole.
import type { ErrorCode } from '../base/errors.ts';
import type { Encoding, FileKind, Link, NotePath, ParsedNote } from '../base/note.ts';
import type { FileEntry } from './vault.ts';

/**
 * What the index knows of a file. `hash` is null until its content is indexed by the rules of this version, and for attachments without
 * indexed text; empty for those whose text was indexed by other rules.
 */
export interface FileState {
  readonly path: NotePath;
  readonly kind: FileKind;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /** These times are absent unless this machine has read the content: on another one they are others. */
  readonly changedMs?: ChangedMs;
  readonly createdMs?: number;
  readonly hash: string | null;
  /** Set if Obsidian's settings exclude it. */
  readonly excluded?: boolean;
  /** Set if its content is only in the cloud. */
  readonly evicted?: boolean;
}

/**
 * `changedMs` as a list of the vault had it before the content was read: while a list has the same, the content is the same. 0 for a
 * file that was changed just before that list: its next change could leave it the same time.
 */
export type ChangedMs = number;

/** The text of an attachment. `fault` says why there is none, as in `it is encrypted`; then it is empty. */
export interface AttachmentContent {
  readonly text: string;
  readonly fault?: string;
}

export interface AttachmentText extends AttachmentContent {
  readonly path: NotePath;
  /** The hash of the bytes of the file. */
  readonly hash: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

/** A note, canvas or base whose content was read, or an attachment whose text was. */
export interface IndexedFile {
  readonly path: NotePath;
  readonly hash: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /** The time as in a listing. */
  readonly createdMs?: number;
  readonly changedMs?: ChangedMs;
  readonly encoding: Encoding;
  /** Set for an attachment only: its text is kept, because reading it again takes long. */
  readonly attachment?: AttachmentContent;
}

/** The lines of a note without their text. */
export interface NoteLines {
  /** A hash of each. */
  readonly hashes: Int32Array;
  /** The line, from 1, at which the text after the properties begins. */
  readonly bodyLine: number;
}

/** A file with what it holds; of many links, only one is in memory at a time. */
export interface IndexedNote extends IndexedFile {
  readonly parsed: Omit<ParsedNote, 'links'> & { readonly links: Iterable<Link>; readonly lines?: NoteLines };
}

/** The words of notes for full-text search, packed as the rows of a segment of the text index. */
export interface PackedWords {
  /** The number of words of each note. */
  readonly lengths: Int32Array;
  /** The first word of each row. */
  readonly directory: Uint8Array;
  /** One after the other, and where each ends. */
  readonly rows: Uint8Array;
  readonly ends: Int32Array;
  /** The terms by which each note is compared with others, one after the other, and where each ends; empty for what is not a note. */
  readonly vectors: Uint8Array;
  readonly vectorEnds: Int32Array;
}

/** Why a file, or a part of it, is not indexed. One row per path and phase, removed by a later success of that phase. */
export interface QuarantineRow {
  readonly path: string;
  readonly phase: 'list' | 'read' | 'parse';
  readonly code: ErrorCode;
  readonly reason: string;
  readonly line?: number;
  readonly column?: number;
  readonly hash?: string;
}

export interface QuarantineEntry extends QuarantineRow {
  readonly attempts: number;
  /** ISO times. */
  readonly first: string;
  readonly last: string;
}

/** What is known of an attachment whose text is not indexed. */
export interface Sampled {
  /** The hash that `sampledHash` makes; absent if it was not read. */
  readonly hash?: string;
}

/** A file whose content is as it was. */
export interface Sighting {
  readonly path: NotePath;
  readonly hash: string;
  readonly changedMs: ChangedMs;
}

/** The result of one indexing step, applied as a whole or not at all. Removals are applied first. */
export interface ChangeSet {
  /**
   * Files that are new, or whose flags changed; links can resolve to them from now on. A known file keeps the size and time of its
   * indexed content, so that a later scan still notices a change.
   */
  readonly added: readonly (FileEntry & Sampled)[];
  readonly removed: readonly NotePath[];
  /** Unchanged content with a new size or time stamp; of an attachment without indexed text also another content. */
  readonly touched: readonly (Pick<FileEntry, 'path' | 'sizeBytes' | 'modifiedMs' | 'createdMs' | 'changedMs'> &
    Sampled)[];
  /** Unchanged content with the same size and time stamp, unless it has another hash by now. The index has the same revision afterwards. */
  readonly sightings: readonly Sighting[];
  /** Known paths, or paths in `added`. All their rows, links, text and `parse` quarantine are replaced. */
  readonly indexed: readonly IndexedFile[];
  /** What each of `indexed` holds, in their order, as `packNotes` packs it; undefined without files. */
  readonly parsed: Uint8Array | undefined;
  /** The words of the notes in `indexed`, in their order; undefined without notes. */
  readonly words: PackedWords | undefined;
  readonly quarantined: readonly QuarantineRow[];
  /** Paths whose `list` and `read` quarantine rows are removed. */
  readonly released: readonly string[];
}

export const NO_CHANGES: ChangeSet = Object.freeze({
  added: [],
  removed: [],
  touched: [],
  sightings: [],
  quarantined: [],
  released: [],
  indexed: [],
  parsed: undefined,
  words: undefined,
});

/** The buffers to transfer to another thread with a set of changes, which the sender cannot use afterwards; a part of a shared buffer is copied. */
export function buffersOf({ parsed, words }: Pick<ChangeSet, 'parsed' | 'words'>): ArrayBuffer[] {
  const columns: readonly (Uint8Array | Int32Array | undefined)[] = [parsed, ...Object.values(words ?? {})];
  const whole = columns.filter((column) => column?.byteLength === column?.buffer.byteLength);
  return [...new Set(whole.flatMap((column) => (column?.buffer as ArrayBuffer | undefined) ?? []))];
}
