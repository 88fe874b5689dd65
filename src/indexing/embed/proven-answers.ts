// Holds refusals back until the provider has embedded something, because a provider that fails may refuse everything.
import type { Answers } from './embed-chunks.ts';

/** Requests without any vector after which the provider has to embed a known-good sentence. */
const MAX_UNPROVEN = 3;

/** Holds refusals back until the provider has embedded something. @param prove embeds a known-good sentence, or throws */
export function createProvenAnswers(prove: () => Promise<void>) {
  const unproven: Answers[] = [];

  /** The answers still held back at the end. @throws as `admit` */
  async function last(): Promise<readonly Answers[]> {
    if (unproven.length > 0) await prove();
    return unproven.splice(0);
  }

  /** @returns the answers that may be written now, in order. @throws the error of the known-good sentence */
  async function admit(answers: Answers): Promise<readonly Answers[]> {
    unproven.push(answers);
    if (answers.vectors.size > 0) return unproven.splice(0);
    return unproven.length >= MAX_UNPROVEN || isSuspicious(answers) ? last() : [];
  }

  return { admit, last };
}

/** All texts of a request may be too long; if all are refused for another reason, the provider is at fault. */
function isSuspicious({ refused }: Answers): boolean {
  return [...refused.values()].every(({ code }) => code !== 'PROVIDER_INPUT_TOO_LONG');
}
