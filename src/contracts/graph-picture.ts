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
}

/** A name that links use and that no note has. */
export interface UnresolvedName {
  readonly name: string;
  /** The notes that link to it, as distinct indexes into the notes. */
  readonly sources: readonly number[];
}

export interface GraphPicture {
  readonly vault: string;
  /** Revision of the index; equal revisions give equal pictures. */
  readonly revision: number;
  /** Ascending by path. */
  readonly notes: readonly PicturedNote[];
  /** Three numbers per pair of notes: source and target as indexes into the notes, and the number of links. */
  readonly links: readonly number[];
  readonly unresolved: readonly UnresolvedName[];
  /** Number of all unresolved names; `unresolved` may hold fewer. */
  readonly unresolvedTotal: number;
  /** Each is labelled with its most central note. */
  readonly groups: readonly { readonly size: number; readonly label: string }[];
}
