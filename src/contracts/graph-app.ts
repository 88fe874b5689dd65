// What the server hands to the graph page that applications show beside an answer (MCP Apps).

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
