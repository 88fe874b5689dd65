// The feed of changes: what was created, edited, moved and deleted in the vault, kept beside the index and outliving it; and the history of texts.
import type { FileKind, NotePath } from '../base/note.ts';
import type { StoreDriver } from './store.ts';
import type { EarlierText, Moment } from './vault.ts';
import type { PastChange } from './writer.ts';

export interface SectionChange {
  /** The headings from the outermost on; `(properties)` and `(beginning)` for what is above the first one. */
  readonly heading: string;
  readonly added: number;
  readonly removed: number;
}

export interface LineChange {
  readonly added: number;
  readonly removed: number;
  /** In the order of the note; of many the first ones. */
  readonly sections: readonly SectionChange[];
  /** The number of all. */
  readonly sectionCount: number;
}

export interface FeedRecord {
  readonly seq: number;
  /** When a server noticed it, in milliseconds since 1970. */
  readonly at: number;
  readonly kind: 'created' | 'edited' | 'moved' | 'deleted';
  readonly path: NotePath;
  /** The path before a move. */
  readonly from?: NotePath;
  readonly fileKind: FileKind;
  readonly title: string;
  /** With `#`. */
  readonly tags: readonly string[];
  /** Set if Obsidian's settings excluded it then, which earlier versions recorded: a file that is excluded now is recorded as deleted, and is none. */
  readonly excluded?: boolean;
  /** The time of the file, in milliseconds since 1970; absent for a deleted one. */
  readonly modifiedMs?: number;
  /** The hashes of the content; null if there is none, or it is unknown. */
  readonly before: string | null;
  readonly after: string | null;
  /** Absent if the lines of either side are unknown. */
  readonly lines?: LineChange;
  /** The notes that linked to a deleted file; absent if they are unknown. `paths` are some of them. */
  readonly linkedFrom?: { readonly paths: readonly NotePath[]; readonly count: number };
  /** An earlier record that this one replaces: both are of one move. */
  readonly replaces?: number;
}

export interface FeedState {
  /** Names the feed: another one begins where it is lost. */
  readonly id: string;
  /** Names that its positions had before, each with the last number under it; absent for a feed that keeps its name. */
  readonly earlier?: ReadonlyMap<string, number>;
  /** The number of its last record; 0 without any. */
  readonly last: number;
  /** Records up to this number are no longer kept. */
  readonly forgotten: number;
  /** The time from which on changes are known, in milliseconds since 1970; null before the first scan has ended. */
  readonly knownSince: number | null;
  /** The revision of the index up to which it is written. */
  readonly revision: number;
  readonly bytes: number;
  /** When it was last moved from another store, in milliseconds since 1970: by which tools the changes before were made is known in part only. */
  readonly movedAt?: number | undefined;
}

export interface Checkpoint {
  readonly name: string;
  readonly seq: number;
  readonly at: number;
}

/** Later than a record, or noticed at or after a time; `upTo` is the last record. */
export interface FeedSpan {
  readonly after: number;
  readonly sinceMs?: number;
  readonly upTo: number;
}

export interface FeedPart {
  /** In their order. */
  readonly records: readonly FeedRecord[];
  /** The files that Obsidian's settings exclude now. */
  readonly excluded: ReadonlySet<string>;
  /** The old paths of moves at which there is a file now that is not excluded. */
  readonly taken: ReadonlySet<string>;
}

export const oldPathsIn = (records: readonly FeedRecord[]): NotePath[] => records.flatMap(({ from }) => from ?? []);

export type FeedTable = 'files' | 'gone' | 'changes';

/** A whole feed as of one moment, for another store that goes on with it. */
export interface FeedToMove {
  readonly state: FeedState;
  /** When it was last written, in milliseconds since 1970. */
  readonly seenAt: number;
  readonly names: readonly Checkpoint[];
  /** In parts, in the form of the tables on SQLite; can be read again. */
  rows(table: FeedTable): AsyncIterable<readonly object[]>;
}

/** `taken`, `had` all of it before, or `kept` what the other one does not have. */
export type Takeover = 'taken' | 'had' | 'kept';

/** The feed as the store keeps it. */
export interface StoredFeed {
  /** Where it is, for a person. */
  readonly file: string;
  /** What helps if it is damaged. */
  readonly remedy: string;
  /** Whether a damaged one is kept beside it. */
  hadDamage(): boolean;
  /** The problems that a check of the whole file finds. @throws STORE_* if it cannot be checked at all */
  faults(signal: AbortSignal): Promise<readonly string[]>;
  /** Undefined while there is none. @throws STORE_*; a damaged one is set aside first */
  state(signal: AbortSignal): Promise<FeedState | undefined>;
  read(span: FeedSpan, signal: AbortSignal): Promise<FeedPart>;
  /** Attachments that are known without a hash of their content. @throws STORE_* */
  unread(signal: AbortSignal): Promise<readonly NotePath[]>;
  checkpoints(signal: AbortSignal): Promise<readonly Checkpoint[]>;
  /** The changes of tools since a time on all machines that write it; absent if the change log of this one has all. */
  sharedChanges?(sinceMs: number, signal: AbortSignal): Promise<OwnChanges>;
  /** Replaces the checkpoint with that name. @throws STORE_READONLY and others */
  remember(name: string, seq: number, signal: AbortSignal): Promise<void>;
  /** Gives the whole feed away. @returns undefined if there is none that another store can go on with @throws STORE_*; what `take` throws */
  give<T>(take: (feed: FeedToMove) => Promise<T>, signal: AbortSignal): Promise<T | undefined>;
  /** Becomes the other feed, as a whole or not at all, unless it has changes of its own. The next scan compares it with the index. @throws STORE_* */
  takeOver(feed: FeedToMove, signal: AbortSignal): Promise<Takeover>;
}

export interface OwnChanges {
  readonly changes: readonly PastChange[];
  /** The time from which on none is missing, in milliseconds since 1970. */
  readonly completeSince: number;
}

/**
 * The changes of the files of a vault, whichever program has made them.
 * @example
 * const { changes, completeSince } = await feed.ownChanges(Date.now() - DAY_MS, signal);
 */
export interface ChangeFeed extends StoredFeed {
  /** The changes of tools since a time that are known, newest first. Damaged ones have no files. */
  ownChanges(sinceMs: number, signal: AbortSignal): Promise<OwnChanges>;
}

// The kept history: earlier texts of notes, whichever program has changed them, on this machine and outside the vault.

export interface HistorySettings {
  /** Absolute path of its file. */
  readonly file: string;
  /** How long a text is kept after another one has replaced it. */
  readonly days: number;
  readonly bytes: number;
  readonly driver?: StoreDriver | undefined;
}

/** A text as it was read. */
export interface ReadText {
  readonly path: NotePath;
  /** In a buffer of its own, which moves to another thread. */
  readonly bytes: Uint8Array;
  /** The time of the file, in milliseconds since 1970. */
  readonly modifiedMs: number;
  /** Found missing by a comparison: it is not kept if the note has a newer text by now. */
  readonly isLate?: boolean;
}

export interface NewestText {
  readonly path: NotePath;
  readonly hash: string;
  readonly sizeBytes: number;
}

export interface HistoryState {
  readonly bytes: number;
  readonly texts: number;
  /** Milliseconds since 1970; no text of an earlier time is kept. */
  readonly since: number;
  /** Notes without a kept text, because the bound is too small; null before all have been compared. */
  readonly unkept: number | null;
}

/**
 * No failure of the history fails what it is kept for: it is logged, and what is missing is made good by the next comparison.
 * @example
 * const { bytes, revision } = await history.earlier(path, { beforeMs: Date.parse('2026-11-20') }, hash, signal);
 */
export interface TextHistory {
  /** The path of its file, for a person. */
  readonly file: string;
  /** Whether a damaged one is kept beside it. */
  hadDamage(): boolean;
  /** Keeps texts that are about to be indexed. Never rejects. */
  keep(texts: readonly ReadText[]): Promise<void>;
  /** Their notes are gone, or no longer to be kept. Never rejects. */
  leave(paths: readonly NotePath[]): Promise<void>;
  /** Whether the whole vault has to be compared with it: at the first scan of a process, after a failure, and after `doubt`. */
  readonly isDoubtful: boolean;
  /** It may lack texts that were not read since they are to be kept. */
  doubt(): void;
  /**
   * What is kept or left meanwhile is not compared, nor kept late, until `filled`.
   * @param newest of all notes that are to be kept
   * @returns those that are missing, as far as they fit
   * @throws STORE_*; what `newest` throws
   */
  compare(newest: () => Promise<readonly NewestText[]>, signal: AbortSignal): Promise<readonly NotePath[]>;
  /** Nothing more is kept late. */
  filled(): void;
  /** Removes what is too old or too much. @throws STORE_* */
  prune(signal: AbortSignal): Promise<void>;
  /**
   * @param newest the hash of the note as the index knows it; undefined if it has no such note
   * @throws EARLIER_TEXT_MISSING, STORE_*; a damaged text is never returned
   */
  earlier(path: NotePath, at: Moment, newest: string | undefined, signal: AbortSignal): Promise<EarlierText>;
  /** Undefined while there is none. @throws STORE_* */
  state(signal: AbortSignal): Promise<HistoryState | undefined>;
  /** The problems that a check of the whole file finds. @throws STORE_* */
  faults(signal: AbortSignal): Promise<readonly string[]>;
  close(): Promise<void>;
}
