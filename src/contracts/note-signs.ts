// Detects changes of notes, for clients that subscribe to them.

export interface NoteSigns {
  /** A number that changes whenever the index does, in any process; very cheap. */
  mark(signal: AbortSignal): Promise<number>;
  /**
   * A text for each of the notes that exists, which changes when its new content is indexed. Reads no file. @throws the store's errors
   */
  signs(paths: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
}
