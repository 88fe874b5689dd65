// Registers the contract tests of language-model providers: vendors, fakes and wrappers.
import { describe } from 'node:test';
import { answeringLaws } from './llm/answering.ts';
import { endingLaws } from './llm/ending.ts';
import { createLaw, type LLMUnderTest } from './llm/law.ts';

/** @param open a healthy provider per law; it may be the same one each time */
export function llmLaws(name: string, open: () => Promise<LLMUnderTest>): void {
  describe(`${name} meets the contract of a language-model provider`, () => {
    const law = createLaw(open);
    answeringLaws(law);
    endingLaws(law);
  });
}
