// What tells that notes changed, for whoever follows some of them.

export interface NoteSigns {
  /** Another number whenever what is indexed changed since, by whichever process; costs next to nothing. */
  mark(signal: AbortSignal): Promise<number>;
  /**
   * A text for each of the notes that there is, without reading it: the same as long as its content is, and another one once that
   * is indexed anew. @throws the store's errors
   */
  signs(paths: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
}
