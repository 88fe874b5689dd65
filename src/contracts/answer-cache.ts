// The part of the store that keeps what models answered, so that the same question is not asked twice.

/** Longer texts are no answer of a model. In UTF-16 units. */
export const MAX_KEPT_ANSWER_LENGTH = 256 * 1024;
/** What is kept at most; the oldest go first. */
export const MAX_KEPT_ANSWERS = 5_000;
export const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/** Derived data: any process writes it, whoever holds the lease, and a reset forgets it. */
export interface AnswerCache {
  /** What was kept last under the key; undefined where nothing is, or not any more. */
  keptAnswer(key: string, signal: AbortSignal): Promise<string | undefined>;
  /**
   * Keeps it in place of what was kept under the key before, as the newest of all.
   * @throws INTERNAL for an answer longer than `MAX_KEPT_ANSWER_LENGTH`
   */
  keepAnswer(key: string, answer: string, signal: AbortSignal): Promise<void>;
}
