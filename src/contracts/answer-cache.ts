// The part of the store that caches the answers of language models.

/** In UTF-16 units; a longer text is not an answer of a model. */
export const MAX_KEPT_ANSWER_LENGTH = 256 * 1024;
/** Limits of the cache; the oldest answers are removed first. Bytes are of the answers alone. */
export const MAX_KEPT_ANSWERS = 5_000;
export const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/** Derived data: any process may write it without the lease, and a reset discards it. */
export interface AnswerCache {
  /** The last answer that was kept under the key; undefined if there is none (any more). */
  keptAnswer(key: string, signal: AbortSignal): Promise<string | undefined>;
  /**
   * Replaces the answer under the key and makes it the newest of all.
   * @throws INTERNAL for an answer longer than `MAX_KEPT_ANSWER_LENGTH`
   */
  keepAnswer(key: string, answer: string, signal: AbortSignal): Promise<void>;
}
