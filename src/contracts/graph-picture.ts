// The whole graph as it is drawn: notes, links, groups and unresolved names.

export interface PicturedNote {
  readonly path: string;
  readonly title: string;
  readonly kind: string;
  /** Distinct, with `#`. */
  readonly tags: readonly string[];
  /** PageRank; the ranks of all notes add up to 1. */
  readonly rank: number;
  /** Index into the groups, the largest of which is 0; -1 for a note without a group. */
  readonly group: number;
  /** A day such as `2026-11-20`: of a property, the file name or the last change. */
  readonly date: string;
}

/** A name that links use and that no note has. */
export interface UnresolvedName {
  readonly name: string;
  /** The notes that link to it, as distinct indexes into the notes. */
  readonly sources: readonly number[];
}

/** An attachment or a `.base` file that notes link to. */
export interface PicturedFile {
  readonly path: string;
  /** The notes that link to it, as distinct indexes into the notes. */
  readonly sources: readonly number[];
}

/** A community of notes. */
interface PicturedGroup {
  readonly size: number;
  /** The title of its most central note. */
  readonly label: string;
  /** Words that its titles and tags share and others do not, best first; may be empty. */
  readonly words: readonly string[];
}

export interface GraphPicture {
  readonly vault: string;
  /** The name of the vault's folder, by which Obsidian knows it. */
  readonly folder: string;
  /** Revision of the index; equal revisions give equal pictures. */
  readonly revision: number;
  /** Notes and canvases, ascending by path. */
  readonly notes: readonly PicturedNote[];
  /** Number of bases, which are not among the notes; absent without any. */
  readonly bases?: number;
  /** Three numbers per pair of notes: source and target as indexes into the notes, and the number of links. */
  readonly links: readonly number[];
  readonly unresolved: readonly UnresolvedName[];
  /** Number of all unresolved names; `unresolved` may hold fewer. */
  readonly unresolvedTotal: number;
  /** At most a thousand, most linked first. */
  readonly files: readonly PicturedFile[];
  readonly groups: readonly PicturedGroup[];
}

/** The member of a result's `_meta` that holds an `AppGraph`. */
export const APP_GRAPH_META = 'io.github.vaultgraph/graph';

/** The notes that an answer names, and the links between them. */
export interface ShownGraph {
  readonly notes: readonly { readonly path: string; readonly title: string }[];
  /** Three numbers per pair of notes: source and target as indexes into the notes, and the number of links. */
  readonly links: readonly number[];
}

/** Either the graph, or why it could not be read. */
export type AppGraph =
  | (ShownGraph & { /** Notes of the answer beyond the maximum. */ readonly left_out?: number })
  | { readonly error: { readonly code: string; readonly message: string } };
