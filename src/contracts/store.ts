// The contract of the index: take a set of changes, answer a question, each as one whole unit. No engine's word appears here.
import type { ErrorCode } from '../base/errors.ts';
import type { Graph } from '../base/graph.ts';
import type {
  Block,
  FileKind,
  Heading,
  Link,
  Match,
  NotePath,
  ParsedNote,
  Properties,
  PropertyValue,
  Tag,
} from '../base/note.ts';
import type { AnswerCache } from './answer-cache.ts';
import type { SharedStore } from './lease.ts';
import type { NoteFilter, Page } from './note-filter.ts';
import type { FoundTasks, TaskFilter } from './tasks.ts';
import type { FileEntry } from './vault.ts';
import type { VectorStore } from './vectors.ts';

/** What the index knows of a file on disk. `hash` is null while its content is not indexed by the rules of this version; for attachments always. */
export interface FileState {
  readonly path: NotePath;
  readonly kind: FileKind;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  readonly hash: string | null;
}

/** A note, canvas or base whose content was read. */
export interface IndexedFile {
  readonly path: NotePath;
  readonly hash: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  readonly encoding: 'utf-8' | 'invalid';
  /** The decoded text from `parsed.bodyOffset` on: what full-text search finds. */
  readonly body: string;
  readonly parsed: ParsedNote;
}

/** Why a file, or a part of it, is not in the index. One row per path and phase; a later success of that phase removes it. */
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

/** Everything that one step of indexing found out. It becomes visible as a whole or not at all. What is removed goes first. */
export interface ChangeSet {
  /**
   * Files newly listed, or listed with another flag: links can point at them from now on. A known file keeps the size and
   * time of what is indexed of it, so that a change of content stays to be seen.
   */
  readonly found: readonly FileEntry[];
  readonly removed: readonly NotePath[];
  /** Same bytes under a new size or time stamp. */
  readonly touched: readonly { readonly path: NotePath; readonly sizeBytes: number; readonly modifiedMs: number }[];
  /** Paths in it must be known or be in `found`. Their rows, links, text and `parse` quarantine are replaced whole. */
  readonly indexed: readonly IndexedFile[];
  readonly quarantined: readonly QuarantineRow[];
  /** Paths whose `list` and `read` quarantine is over. */
  readonly released: readonly string[];
}

/** A parsed full-text query. Each text is literal: no operator in it has a meaning. At least one term is not negated. */
export interface TextQuery {
  readonly terms: readonly TextTerm[];
  /** `any`: notes with more and rarer terms first; `all`: only notes that hold every term. */
  readonly match: 'any' | 'all';
  /**
   * Of the notes that are found, those called exactly so by name, alias or title, whatever the case, stand before all others:
   * by the name of the file first, and of those the ones in the same case.
   */
  readonly called?: string;
}

export interface TextTerm {
  readonly text: string;
  readonly kind: 'word' | 'phrase' | 'prefix';
  readonly negated: boolean;
}

export interface TextHit {
  readonly path: NotePath;
  readonly title: string;
  /** Higher is better: the BM25 of the engine with its sign turned. */
  readonly bm25: number;
  readonly modifiedMs: number;
  /** Only where it is called as the query says: it then stands before hits of a higher score. */
  readonly named?: true;
}

export interface TextHits {
  readonly hits: readonly TextHit[];
  readonly total: number;
  /** Terms left out of an `any` query because they stand in most notes. */
  readonly dropped: readonly string[];
  /** In how many notes of the whole index each term stands, in the order of the query; beyond half of them none need be counted. */
  readonly holding: readonly number[];
}

/** What full-text search looks through, each by itself. */
export type TextField = 'title' | 'aliases' | 'headings' | 'tags' | 'body';

/** Where a term stands in one note, and in how many notes it stands at all. */
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
  /** Distinct, with `#`, in the spelling met first. */
  readonly tags: readonly string[];
  /** As a property or the file's name tells it, in local time (`2026-11-20`, `2026-11-20T09:30`); else when the file changed, ISO. */
  readonly date: string;
  readonly datedBy: 'property' | 'name' | 'modified';
}

export type NoteSort = 'name' | 'path' | 'modified' | 'created' | 'links' | 'random';

export interface NoteList {
  readonly notes: readonly NoteSummary[];
  readonly total: number;
}

/** A link with what it found. `target` is null while it is unresolved. */
export interface ResolvedLink extends Link {
  readonly source: NotePath;
  /** The link's part before `#`, and from it on. */
  readonly targetPath: string;
  readonly subpath: string;
  readonly target: NotePath | null;
  readonly match?: Match;
  /** The other files that fit equally; only when `match` is `ambiguous`. */
  readonly others?: readonly NotePath[];
}

export interface NoteRecord extends NoteSummary {
  readonly hash: string | null;
  readonly encoding: 'utf-8' | 'invalid';
  readonly conflictCopy: boolean;
  readonly evicted: boolean;
  readonly aliases: readonly string[];
  readonly properties: Properties;
  readonly notices: readonly string[];
  readonly headings: readonly Heading[];
  readonly blocks: readonly Block[];
  /** Every tag as it stands in the note: those of the properties first, repeats and spelling kept. */
  readonly tagPlaces: readonly Tag[];
  readonly bodyOffset: number;
}

/** One note that a name fits, and how: by which of its names and whether letter by letter. */
export interface NameCandidate {
  readonly path: NotePath;
  readonly by: 'path' | 'name' | 'alias' | 'title';
  readonly exact: boolean;
}

export interface UnresolvedGroup {
  /** The link's path as written, and every place it stands at. */
  readonly name: string;
  readonly count: number;
  readonly links: readonly ResolvedLink[];
}

/** How far the index is. */
export interface StoreProgress {
  readonly revision: number;
  /** Notes, canvases and bases whose content is indexed, and those that wait for it; what cannot be read waits for nothing. */
  readonly indexed: number;
  readonly pending: number;
  readonly quarantined: number;
  /** When the last whole scan of the vault ended, ISO; null before the first. */
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
  /** Applies all of it or nothing, and answers from it at once. @returns the index's new revision */
  apply(changes: ChangeSet, signal: AbortSignal): Promise<{ readonly revision: number }>;
  /** Notes that a whole scan of the vault ended now without leaving anything out. */
  completeScan(at: string, signal: AbortSignal): Promise<void>;
  /** Forgets everything that is derived, vectors and answers too; the next scan finds all notes anew. */
  reset(signal: AbortSignal): Promise<void>;

  /** Costs as much in a vault of any size, but for what is pending. */
  progress(signal: AbortSignal): Promise<StoreProgress>;
  /** Reads all of the index where it has changed since. */
  counts(signal: AbortSignal): Promise<StoreCounts>;
  /** Every known file, ascending by path. */
  fileStates(signal: AbortSignal): Promise<readonly FileState[]>;
  quarantine(page: Page, signal: AbortSignal): Promise<readonly QuarantineEntry[]>;

  searchText(query: TextQuery, filter: NoteFilter, page: Page, signal: AbortSignal): Promise<TextHits>;
  /** Notes, canvases and bases. `random` is a fresh order each time; every other sort is total, ties by path. */
  listNotes(
    filter: NoteFilter,
    sort: NoteSort,
    order: 'asc' | 'desc',
    page: Page,
    signal: AbortSignal,
  ): Promise<NoteList>;
  /** Of each term, in the order asked, as `searchText` finds it; negation does not count. */
  termPlaces(path: NotePath, terms: readonly TextTerm[], signal: AbortSignal): Promise<readonly TermPlace[]>;
  /**
   * Tags with the number of notes that hold them or a tag nested below, ascending; a parent that no note names itself is there
   * too. `prefix` with its `#`, matched at any depth of the tag's start.
   */
  listTags(
    prefix: string | undefined,
    filter: NoteFilter,
    signal: AbortSignal,
  ): Promise<readonly { readonly tag: string; readonly count: number }[]>;
  /** Tasks of notes: the earliest due first, those without a day last, then by path and line. */
  listTasks(filter: TaskFilter, page: Page, signal: AbortSignal): Promise<FoundTasks>;
  /** One record per known path in the order asked; unknown paths are left out. */
  notes(paths: readonly NotePath[], signal: AbortSignal): Promise<readonly NoteRecord[]>;
  /** Every note that the name fits as path, name, alias or title; best rank first, letter by letter before folded, then by path. */
  candidates(name: string, signal: AbortSignal): Promise<readonly NameCandidate[]>;
  /** All names by which notes can be called, for suggestions and unlinked mentions; ascending by path. */
  names(
    signal: AbortSignal,
  ): Promise<readonly { readonly path: NotePath; readonly title: string; readonly aliases: readonly string[] }[]>;
  /** Notes whose text holds the words of `phrase` next to each other, ascending by path. */
  mentions(phrase: string, limit: number, signal: AbortSignal): Promise<readonly NotePath[]>;
  /** In how many notes, canvases and bases each word or run of characters stands, in the order asked, and how many there are. */
  wordCounts(
    words: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly indexed: number; readonly holding: readonly number[] }>;
  /** Words of the index that begin with `start`, as it knows them: without case and accents; ascending, at most `limit`. */
  wordsFrom(
    start: string,
    limit: number,
    signal: AbortSignal,
  ): Promise<readonly { readonly word: string; readonly holding: number }[]>;

  /** Links of one note, in document order; for `in` ascending by source, then in document order. Self links stand in both. */
  links(path: NotePath, direction: 'in' | 'out', page: Page, signal: AbortSignal): Promise<readonly ResolvedLink[]>;
  /** Links between the given pairs of source and target, in the order of the pairs. */
  linksBetween(
    pairs: readonly { readonly source: NotePath; readonly target: NotePath }[],
    signal: AbortSignal,
  ): Promise<readonly ResolvedLink[]>;
  /** Unresolved names, most links first, then ascending; of each group at most `linksPerGroup` links. */
  unresolved(
    filter: { readonly folder?: string; readonly source?: NotePath },
    linksPerGroup: number,
    page: Page,
    signal: AbortSignal,
  ): Promise<{ readonly groups: readonly UnresolvedGroup[]; readonly total: number }>;
  /** The whole graph; the same object until a change adds, removes or moves a node or an edge of it. */
  graph(signal: AbortSignal): Promise<Graph>;

  /** What the engine's own check finds wrong, empty when the index is sound. @throws STORE_CORRUPT when it is beyond checking */
  integrity(signal: AbortSignal): Promise<readonly string[]>;
}

export type { PropertyValue };
