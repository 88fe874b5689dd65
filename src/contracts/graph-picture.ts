// The whole graph as it is drawn: notes, links, groups and what links name in vain.

export interface PicturedNote {
  readonly path: string;
  readonly title: string;
  readonly kind: string;
  /** With `#`, each once. */
  readonly tags: readonly string[];
  /** PageRank; all of them add up to 1. */
  readonly rank: number;
  /** Counts from 0, the largest group first; -1 for a note that stands in none. */
  readonly group: number;
}

/** A name that links use and no note has. */
export interface UnresolvedName {
  readonly name: string;
  /** Notes that link to it, as indexes into the notes, each once. */
  readonly sources: readonly number[];
}

export interface GraphPicture {
  readonly vault: string;
  /** Of the index; equal revisions mean equal pictures. */
  readonly revision: number;
  /** Ascending by path. */
  readonly notes: readonly PicturedNote[];
  /** Three numbers each: source and target as indexes into the notes, and how many links there are. */
  readonly links: readonly number[];
  readonly unresolved: readonly UnresolvedName[];
  /** How many such names there are; more than `unresolved` holds where there are very many. */
  readonly unresolvedTotal: number;
  /** Labelled by their most central note. */
  readonly groups: readonly { readonly size: number; readonly label: string }[];
}
