// The index: applies sets of changes and answers queries, each as a unit.
import type { ErrorCode } from '../base/errors.ts';
import type { Graph } from '../base/graph.ts';
import type {
  Block,
  Encoding,
  FileKind,
  Heading,
  Link,
  Match,
  NotePath,
  ParsedNote,
  Properties,
  Tag,
  Task,
} from '../base/note.ts';
import type { SharedStore } from './lease.ts';
import type { NoteFilter, Page } from './note-filter.ts';
import type { FileEntry } from './vault.ts';
import type { VectorStore } from './vectors.ts';

/**
 * What the index knows of a file. `hash` is null until its content is indexed by the rules of this version, and for attachments without
 * indexed text; empty for those whose text was indexed by other rules.
 */
export interface FileState {
  readonly path: NotePath;
  readonly kind: FileKind;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  readonly hash: string | null;
}

/** The text of an attachment. `fault` says why there is none, as in `it is encrypted`; then it is empty. */
export interface AttachmentContent {
  readonly text: string;
  readonly fault?: string;
}

export interface AttachmentText extends AttachmentContent {
  readonly path: NotePath;
  /** Of the bytes of the file. */
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
  /** As in a listing. */
  readonly createdMs?: number;
  readonly encoding: Encoding;
  readonly parsed: ParsedNote;
  /** Of an attachment only: its text is kept, because reading it again takes long. */
  readonly attachment?: AttachmentContent;
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

/** The result of one indexing step, applied as a whole or not at all. Removals are applied first. */
export interface ChangeSet {
  /**
   * Files that are new, or whose flags changed; links can resolve to them from now on. A known file keeps the size and time of its
   * indexed content, so that a later scan still notices a change.
   */
  readonly found: readonly FileEntry[];
  readonly removed: readonly NotePath[];
  /** Unchanged content with a new size or time stamp. */
  readonly touched: readonly Pick<FileEntry, 'path' | 'sizeBytes' | 'modifiedMs' | 'createdMs'>[];
  /** Known paths, or paths in `found`. All their rows, links, text and `parse` quarantine are replaced. */
  readonly indexed: readonly IndexedFile[];
  /** Of the notes in `indexed`, in their order; undefined without notes. */
  readonly words: PackedWords | undefined;
  readonly quarantined: readonly QuarantineRow[];
  /** Paths whose `list` and `read` quarantine rows are removed. */
  readonly released: readonly string[];
}

/** A parsed full-text query. Texts are literal, without operators. At least one term is not negated. */
export interface TextQuery {
  readonly terms: readonly TextTerm[];
  /** `any`: notes with more, and rarer, terms first; `all`: only notes with every term. */
  readonly match: 'any' | 'all';
  /**
   * Among the results, notes with exactly this name, alias or title (case-insensitive) come first: file names before aliases and
   * titles, and the same case before another. With `any` and several terms, the best notes whose name is in it rank higher, and so do
   * those that one of the first notes names.
   */
  readonly called?: string;
}

export interface TextTerm {
  readonly text: string;
  readonly kind: 'word' | 'phrase' | 'prefix';
  readonly negated: boolean;
  /** Inflected forms of a word. With `any` they are found too, and count less than the word itself. */
  readonly forms?: readonly string[];
}

export interface TextHit {
  readonly path: NotePath;
  readonly title: string;
  /** Of the words of the query; higher is better. */
  readonly bm25: number;
  /** By which hits are sorted: BM25 and the shares of names. */
  readonly score: number;
  /** The share because the query contains a name of the note. */
  readonly nameInQuery?: number;
  /** The share because a better hit contains a name of the note. */
  readonly namedBy?: { readonly path: NotePath; readonly share: number };
  readonly modifiedMs: number;
  /** Only if it comes first because of `called`, whatever its score. */
  readonly named?: true;
}

export interface TextHits {
  readonly hits: readonly TextHit[];
  readonly total: number;
  /** Terms of an `any` query that were ignored because most notes contain them. */
  readonly dropped: readonly string[];
  /** Number of notes in the whole index that contain each term, in the order of the query; inexact above half of all notes. */
  readonly docFrequencies: readonly number[];
}

/** The fields of full-text search. */
export type TextField = 'title' | 'aliases' | 'headings' | 'tags' | 'properties' | 'body';

/** The fields of one note that contain a term, and the number of all notes that do. */
export interface TermPlace {
  readonly fields: readonly TextField[];
  readonly notes: number;
}

export interface NoteSummary {
  readonly path: NotePath;
  readonly title: string;
  readonly kind: FileKind;
  readonly modifiedMs: number;
  readonly sizeBytes: number;
  /** Distinct, with `#`, in the spelling of the first occurrence. */
  readonly tags: readonly string[];
  /** Local time from a property or the file name (`2026-11-20`, `2026-11-20T09:30`); otherwise the ISO time of the last change. */
  readonly date: string;
  readonly datedBy: 'property' | 'name' | 'modified';
}

export type NoteSort = 'name' | 'path' | 'modified' | 'created' | 'links' | 'random';

export interface NoteList {
  readonly notes: readonly NoteSummary[];
  readonly total: number;
}

/** A link with its target; `target` is null while it is unresolved. */
export interface ResolvedLink extends Link {
  readonly source: NotePath;
  /** The parts of the link before `#` and from `#` on. */
  readonly targetPath: string;
  readonly subpath: string;
  readonly target: NotePath | null;
  readonly match?: Match;
  /** Other files that match equally well; only if `match` is `ambiguous`. */
  readonly others?: readonly NotePath[];
}

export interface NoteRecord extends NoteSummary {
  /** Milliseconds since 1970; absent if the file system does not record it. */
  readonly createdMs?: number;
  readonly hash: string | null;
  readonly encoding: Encoding;
  readonly conflictCopy: boolean;
  readonly evicted: boolean;
  readonly aliases: readonly string[];
  readonly properties: Properties;
  readonly notices: readonly string[];
  readonly headings: readonly Heading[];
  readonly blocks: readonly Block[];
  /** Every occurrence of a tag in its own spelling: those in properties first. */
  readonly tagPlaces: readonly Tag[];
  readonly bodyOffset: number;
}

/** A note that matches a name: by which of its names, and whether exactly (not case-folded). */
export interface NameCandidate {
  readonly path: NotePath;
  readonly by: 'path' | 'name' | 'alias' | 'title';
  readonly exact: boolean;
}

/** The names by which a note is suggested. */
export interface NoteNames {
  readonly path: NotePath;
  readonly title: string;
  readonly aliases: readonly string[];
}

/** A point in the history of the names, of one opened index. */
export interface NamesMark {
  readonly index: symbol;
  readonly change: number;
}

export interface ChangedNames {
  readonly mark: NamesMark;
  /** True if these are the names of all notes. */
  readonly isWhole: boolean;
  readonly notes: readonly NoteNames[];
  readonly removed: readonly NotePath[];
}

export interface UnresolvedGroup {
  /** The link's path as written. */
  readonly name: string;
  readonly count: number;
  readonly links: readonly ResolvedLink[];
}

/** The progress of the index. */
export interface StoreProgress {
  readonly revision: number;
  /**
   * Numbers of notes, canvases and bases that are indexed, and that are still to be; unreadable files are in neither. Attachments with
   * indexed text count as indexed.
   */
  readonly indexed: number;
  readonly pending: number;
  readonly quarantined: number;
  /** ISO time at which the last whole scan ended; null before the first. */
  readonly scannedAt: string | null;
}

export interface StoreCounts extends StoreProgress {
  readonly files: number;
  readonly notes: number;
  readonly links: number;
  readonly unresolved: number;
  readonly embeds: number;
  readonly tags: number;
  readonly aliases: number;
}

export interface Store extends VectorStore, SharedStore, AnswerCache {
  /** Applies all changes or none; the next query sees them. @returns the new revision of the index */
  apply(changes: ChangeSet, signal: AbortSignal): Promise<{ readonly revision: number }>;
  /** Records that a whole scan ended. @param at ISO time */
  completeScan(at: string, signal: AbortSignal): Promise<void>;
  /** Discards all derived data, vectors and cached answers included; the next scan reads every note. */
  reset(signal: AbortSignal): Promise<void>;

  /** Its cost depends on the number of pending files only. */
  progress(signal: AbortSignal): Promise<StoreProgress>;
  /** Reads the whole index if it has changed since the last call. */
  counts(signal: AbortSignal): Promise<StoreCounts>;
  /** All known files, ascending by path. */
  fileStates(signal: AbortSignal): Promise<readonly FileState[]>;
  quarantine(page: Page, signal: AbortSignal): Promise<readonly QuarantineEntry[]>;

  searchText(query: TextQuery, filter: NoteFilter, page: Page, signal: AbortSignal): Promise<TextHits>;
  /** Notes, canvases and bases, or attachments if the filter asks for them. `random` gives a new order each time; all other sorts are stable, with ties by path. */
  listNotes(
    filter: NoteFilter,
    sort: NoteSort,
    order: 'asc' | 'desc',
    page: Page,
    signal: AbortSignal,
  ): Promise<NoteList>;
  /** One entry per term, in their order, as `searchText` finds them; negation is ignored. */
  termPlaces(path: NotePath, terms: readonly TextTerm[], signal: AbortSignal): Promise<readonly TermPlace[]>;
  /**
   * Tags with the number of notes that have them or a tag nested below, ascending; includes parents that no note uses by themselves.
   * @param prefix with `#`; may end inside a nested tag
   */
  listTags(
    prefix: string | undefined,
    filter: NoteFilter,
    signal: AbortSignal,
  ): Promise<readonly { readonly tag: string; readonly count: number }[]>;
  /** Tasks by due date, those without one last, then by path and line. */
  listTasks(filter: TaskFilter, page: Page, signal: AbortSignal): Promise<FoundTasks>;
  /** One record per known path, in the given order; unknown paths are left out. */
  notes(paths: readonly NotePath[], signal: AbortSignal): Promise<readonly NoteRecord[]>;
  /** The texts of those of the paths that are attachments with indexed text, in the given order. */
  attachmentTexts(paths: readonly NotePath[], signal: AbortSignal): Promise<readonly AttachmentText[]>;
  /** The title of each known path, which costs a fraction of its record. */
  titles(paths: readonly NotePath[], signal: AbortSignal): Promise<ReadonlyMap<NotePath, string>>;
  /** Every note with this path, name, alias or title; in this order, exact before case-folded matches, then by path. */
  candidates(name: string, signal: AbortSignal): Promise<readonly NameCandidate[]>;
  /** All names of notes, for suggestions and unlinked mentions; ascending by path. */
  names(signal: AbortSignal): Promise<readonly NoteNames[]>;
  /**
   * The names that may have changed since an earlier answer; all of them if that is unknown. A note that changes meanwhile can be
   * as it was before or after: then it is in the next answer too.
   */
  changedNames(since: NamesMark | undefined, signal: AbortSignal): Promise<ChangedNames>;
  /** Notes whose text contains the phrase, ascending by path. */
  mentions(phrase: string, limit: number, signal: AbortSignal): Promise<readonly NotePath[]>;
  /** Number of notes, canvases and bases with each word or run of characters, in their order, and of all indexed ones. */
  wordCounts(
    words: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly indexed: number; readonly docFrequencies: readonly number[] }>;
  /** The packed terms of each of the notes as it was indexed. Of very long notes only the beginning is compared. */
  termVectors(paths: readonly NotePath[], signal: AbortSignal): Promise<ReadonlyMap<NotePath, Uint8Array>>;
  /** Words of the index that begin with `start`, without case and accents; ascending, at most `limit`. */
  wordsFrom(
    start: string,
    limit: number,
    signal: AbortSignal,
  ): Promise<readonly { readonly word: string; readonly docFrequency: number }[]>;

  /** Links of one note in document order; for `in` by source first. Links of a note to itself are in both directions. */
  links(path: NotePath, direction: 'in' | 'out', page: Page, signal: AbortSignal): Promise<readonly ResolvedLink[]>;
  /** Links from source to target of each pair, in the order of the pairs. */
  linksBetween(
    pairs: readonly { readonly source: NotePath; readonly target: NotePath }[],
    signal: AbortSignal,
  ): Promise<readonly ResolvedLink[]>;
  /** Unresolved names, most links first, then ascending; of each group at most `linksPerGroup` links. */
  unresolved(
    filter: NoteFilter & { readonly source?: NotePath },
    linksPerGroup: number,
    page: Page,
    signal: AbortSignal,
  ): Promise<{ readonly groups: readonly UnresolvedGroup[]; readonly total: number }>;
  /** The whole graph; the same object until a node or an edge changes. */
  graph(signal: AbortSignal): Promise<Graph>;

  /** The problems that an integrity check finds; empty if there are none. @throws STORE_CORRUPT if it cannot be checked at all */
  integrity(signal: AbortSignal): Promise<readonly string[]>;
}

/** In UTF-16 units; a longer text is not an answer of a model. */
export const MAX_KEPT_ANSWER_LENGTH = 256 * 1024;
/** Limits of the cache; the oldest answers are removed first. Bytes are of the answers alone. */
export const MAX_KEPT_ANSWERS = 5_000;
export const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/** Derived data: any process may write it without the lease, and a reset discards it. */
export interface AnswerCache {
  /** The last answer that was kept under the key; undefined if there is none (any more). */
  cachedAnswer(key: string, signal: AbortSignal): Promise<string | undefined>;
  /**
   * Replaces the answer under the key and makes it the newest of all.
   * @throws INTERNAL for an answer longer than `MAX_KEPT_ANSWER_LENGTH`
   */
  cacheAnswer(key: string, answer: string, signal: AbortSignal): Promise<void>;
}

/** A task must match all given parts. `tags` match those on the task's line, and those of the note outside any task line. */
export interface TaskFilter extends NoteFilter {
  /** `done` includes cancelled tasks. */
  readonly status: 'open' | 'done' | 'any';
  /** Days such as `2026-11-20`, both exclusive; a task without a due date matches neither. */
  readonly dueBefore?: string;
  readonly dueAfter?: string;
  /** Heading of a section around the task, at any depth; compared as in links to headings. */
  readonly heading?: string;
}

/** The text of the task is read from the note. */
export interface FoundTask extends Omit<Task, 'text'> {
  readonly path: NotePath;
  /** The nearest heading above it. */
  readonly heading?: string;
}

export interface FoundTasks {
  readonly tasks: readonly FoundTask[];
  readonly total: number;
}

export interface NoteSigns {
  /**
   * A number that changes whenever the index does, in any process; very cheap.
   * @param paths the notes that are looked at; those of other vaults than theirs are left alone
   */
  mark(signal: AbortSignal, paths?: readonly string[]): Promise<number>;
  /**
   * A text for each of the notes that exists, which changes when its new content is indexed. Reads no file. @throws the store's errors
   */
  signs(paths: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
}
