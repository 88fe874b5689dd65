// The contract of a provider that turns texts into vectors. Knows nothing of notes, chunks or the store.

export interface EmbeddingProvider {
  readonly model: string;
  /**
   * One vector per text, in the same order, each of the same length and of unit length.
   * @throws PROVIDER_TIMEOUT
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
}
