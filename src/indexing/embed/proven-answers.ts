// Holds back refusals until it is proven that the provider embeds anything at all: a broken one must not put every chunk into the ledger.
import type { Answers } from './embed-chunks.ts';

/** Requests without one vector after which a known-good sentence is tried. */
const MOST_UNPROVEN = 3;

export interface ProvenAnswers {
  /** @returns what may be written now, in the order given. @throws what the known-good sentence fails with */
  admit(answers: Answers): Promise<readonly Answers[]>;
  /** What is still held back at the end. @throws as `admit` */
  last(): Promise<readonly Answers[]>;
}

/** @param prove embeds a known-good sentence, or throws why it cannot */
export function createProvenAnswers(prove: () => Promise<void>): ProvenAnswers {
  const unproven: Answers[] = [];

  async function last(): Promise<readonly Answers[]> {
    if (unproven.length > 0) await prove();
    return unproven.splice(0);
  }

  async function admit(answers: Answers): Promise<readonly Answers[]> {
    unproven.push(answers);
    if (answers.vectors.size > 0) return unproven.splice(0);
    return unproven.length >= MOST_UNPROVEN || isSuspicious(answers) ? last() : [];
  }

  return { admit, last };
}

/** Texts may well all be too long; that all of them are bad in another way says more of the provider than of them. */
function isSuspicious({ refused }: Answers): boolean {
  return [...refused.values()].every(({ code }) => code !== 'PROVIDER_INPUT_TOO_LONG');
}
