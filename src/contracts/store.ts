// The index: applies sets of changes and answers queries, each as a unit.
import type { Graph } from '../base/graph.ts';
import type {
  Block,
  Encoding,
  FileKind,
  Heading,
  InlineField,
  Link,
  MarkTypes,
  Match,
  NotePath,
  Properties,
  Tag,
  Task,
} from '../base/note.ts';
import type { AttachmentText, ChangeSet, FileState, QuarantineEntry } from './change-set.ts';
import type { SharedStore } from './lease.ts';
import type { NoteFilter, Page } from './note-filter.ts';
import type { Compound, TermPlace, TextHits, TextQuery, TextTerm } from './text-query.ts';
import type { Generation, VectorChanges, VectorStore } from './vectors.ts';

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

export type NoteSort = 'name' | 'path' | 'date' | 'modified' | 'created' | 'links' | 'random';

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

/** What a link says, and the file that it leads to. */
export type LinkText = Pick<ResolvedLink, 'kind' | 'link' | 'display' | 'target'>;

/** A part of a file, as links write it. */
export interface LinkedPart {
  readonly target: NotePath;
  /** With its `#`. */
  readonly subpath: string;
  readonly count: number;
}

export interface PropertyUse {
  /** The number of notes that have it. */
  readonly count: number;
  /** The number of notes that have it as an inline field. */
  readonly inline: number;
  readonly types: readonly ('text' | 'number' | 'boolean' | 'list' | 'map' | 'null')[];
  /** In a text without its case, with the first note by path. */
  readonly values: readonly { readonly value: string | number; readonly count: number; readonly path: NotePath }[];
}

export interface NoteRecord extends NoteSummary {
  /** Milliseconds since 1970; absent if the file system does not record it. */
  readonly createdMs?: number;
  readonly hash: string | null;
  readonly encoding: Encoding;
  readonly conflictCopy: boolean;
  readonly evicted: boolean;
  /** Set if Obsidian's settings exclude it. */
  readonly excluded?: boolean;
  readonly aliases: readonly string[];
  readonly properties: Properties;
  /** Only if there are any. */
  readonly fields?: readonly InlineField[];
  readonly notices: readonly string[];
  readonly headings: readonly Heading[];
  readonly blocks: readonly Block[];
  /** Every occurrence of a tag in its own spelling: those in properties first. */
  readonly tagPlaces: readonly Tag[];
  readonly bodyOffset: number;
}

/** What a file and its properties say. */
export type FileProperties = Pick<
  NoteRecord,
  'path' | 'kind' | 'sizeBytes' | 'modifiedMs' | 'createdMs' | 'hash' | 'tags' | 'properties'
>;

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
  /** By which links lead to it; only of another system than Obsidian. */
  readonly addresses?: readonly string[];
}

/** A point in the history of the names, of one opened index. */
export interface NamesMark {
  readonly index: symbol;
  readonly change: number;
}

interface ChangedNames {
  readonly mark: NamesMark;
  /** True if these are the names of all notes. */
  readonly isWhole: boolean;
  readonly notes: readonly NoteNames[];
  readonly removed: readonly NotePath[];
}

export interface LinkingNote {
  readonly path: NotePath;
  readonly links: number;
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
  /** ISO time at which the last whole scan that ended began; null before the first. */
  readonly scannedAt: string | null;
}

export interface StoreCounts extends StoreProgress {
  readonly files: number;
  /** Markdown notes, canvases and bases: what `list_notes` lists. */
  readonly notes: number;
  readonly links: number;
  readonly unresolved: number;
  readonly embeds: number;
  readonly tags: number;
  readonly aliases: number;
}

/**
 * The index of a vault, which is made from its files.
 * @example
 * const terms = [{ text: 'harbour', kind: 'word', negated: false }] as const;
 * const { hits, total } = await store.searchText({ terms, match: 'any' }, {}, { limit: 10, offset: 0 }, signal);
 */
export interface Store extends VectorStore, SharedStore, AnswerCache {
  /** Applies all changes or none; the next query sees them. @returns the new revision of the index */
  apply(changes: ChangeSet, signal: AbortSignal): Promise<{ readonly revision: number }>;
  /** Records that a whole scan ended. @param at ISO time at which it began */
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
  /**
   * The properties that notes have, in their spelling; those inside a map as `name.sub`; inline fields by the name of `fieldProperty`.
   * By their folded names; of several spellings, that of the first note by path first.
   */
  propertyNames(signal: AbortSignal): Promise<readonly string[]>;
  /** How notes use a property, whatever its case; `values`: the most frequent ones, each with a note that has it. */
  propertyUse(name: string, limit: number, signal: AbortSignal): Promise<PropertyUse>;
  /** Tasks by due date, those without one last, then by path and line. */
  listTasks(filter: TaskFilter, page: Page, signal: AbortSignal): Promise<FoundTasks>;
  /** One record per known path, in the given order; unknown paths are left out. */
  notes(paths: readonly NotePath[], signal: AbortSignal): Promise<readonly NoteRecord[]>;
  /** Does what `notes` does, in a third of the time. */
  fileProperties(paths: readonly NotePath[], signal: AbortSignal): Promise<readonly FileProperties[]>;
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
  /**
   * Words of nine letters or more whose last part is the given word, folded, of five letters or more, or it with another ending:
   * `lighthouses` of `house`. The shortest first, at most `limit`. Latin letters only.
   */
  compoundsOf(word: string, limit: number, signal: AbortSignal): Promise<readonly Compound[]>;

  /** Links of one note in document order; for `in` by source first. Links of a note to itself are in both directions. */
  links(path: NotePath, direction: 'in' | 'out', page: Page, signal: AbortSignal): Promise<readonly ResolvedLink[]>;
  /** The target of each link of a note in document order, null where it leads nowhere: far less than `links` of a note with many. */
  linkTargets(path: NotePath, page: Page, signal: AbortSignal): Promise<readonly (NotePath | null)[]>;
  /** The links of every note that has some, in document order. */
  allLinks(signal: AbortSignal): Promise<ReadonlyMap<NotePath, readonly LinkText[]>>;
  /** The notes with links to a file and the number of these links, ascending by path; a note that links to itself is one of them. */
  linkingNotes(path: NotePath, signal: AbortSignal): Promise<readonly LinkingNote[]>;
  /** Links from source to target of each pair, in the order of the pairs; of each pair at most the first `perPair`. */
  linksBetween(
    pairs: readonly { readonly source: NotePath; readonly target: NotePath }[],
    perPair: number,
    signal: AbortSignal,
  ): Promise<readonly ResolvedLink[]>;
  /** Unresolved names, most links first, then ascending; of each group at most `linksPerGroup` links. */
  unresolved(
    filter: NoteFilter & { readonly source?: NotePath },
    linksPerGroup: number,
    page: Page,
    signal: AbortSignal,
  ): Promise<{ readonly groups: readonly UnresolvedGroup[]; readonly total: number }>;
  /** The number of links that lead nowhere and have this name, without regard to case. */
  unresolvedNamed(name: string, signal: AbortSignal): Promise<number>;
  /** The parts of files that links name, whether the files have them or not, with the number of such links. */
  linkedParts(filter: NoteFilter & { readonly source?: NotePath }, signal: AbortSignal): Promise<readonly LinkedPart[]>;
  /** The links to a part, ascending by the path of their note and their place in it. */
  linksToPart(
    part: Pick<LinkedPart, 'target' | 'subpath'>,
    filter: NoteFilter & { readonly source?: NotePath },
    page: Page,
    signal: AbortSignal,
  ): Promise<readonly ResolvedLink[]>;
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
/** Days such as `2026-11-20`; `before` is exclusive. */
export interface DaySpan {
  readonly from?: string;
  readonly before?: string;
}

export interface TaskFilter extends NoteFilter {
  /** `done` includes cancelled tasks. */
  readonly status: 'open' | 'done' | 'any';
  /** What marks mean in this vault, beside those that mean the same in all. */
  readonly marks?: MarkTypes;
  /** A task without the date does not match. */
  readonly days?: Partial<Record<'due' | 'scheduled' | 'start', DaySpan>>;
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

/** An empty path stands for the whole vault, whose sign changes with each change that the feed has. */
export interface NoteSigns {
  /**
   * A number that changes whenever the index does, in any process; very cheap.
   * @param paths the notes that are looked at; those of other vaults than theirs are left alone
   */
  mark(signal: AbortSignal, paths?: readonly string[]): Promise<number>;
  /**
   * A text for each of the notes that exists, or that may exist while the index is built, which changes when its new content is indexed.
   * Reads no file. @throws the store's errors
   */
  signs(paths: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
}

// An index that a store has left on this machine, as another store takes it over without reading the notes again.

export interface StoredGeneration extends Pick<Generation, 'role' | 'state' | 'fingerprint'> {
  /** All its vectors and notes, in parts. */
  changes(): Iterable<VectorChanges>;
}

/** All answers are of one moment. */
export interface StoredIndex {
  readonly counts: StoreCounts;
  /** What an empty index has to apply, in this order. */
  changes(): Iterable<ChangeSet>;
  /** Oldest first. */
  readonly generations: readonly StoredGeneration[];
  close(): void;
}

/** What opens files of SQLite; `auto` takes node:sqlite only if a native part of the others does not load. */
export const STORE_DRIVERS = ['auto', 'better-sqlite3', 'node'] as const;
export type StoreDriver = (typeof STORE_DRIVERS)[number];
