// The laws that every provider of answers keeps, whatever writes them: vendors, fakes, and what stands in front of one.
import { describe } from 'node:test';
import { answeringLaws } from './llm/answering.ts';
import { endingLaws } from './llm/ending.ts';
import { createLaw, type LLMUnderTest } from './llm/law.ts';

/** @param open a healthy provider per law; it may be the same one each time */
export function llmLaws(name: string, open: () => Promise<LLMUnderTest>): void {
  describe(`${name} keeps the laws of a provider of answers`, () => {
    const law = createLaw(open);
    answeringLaws(law);
    endingLaws(law);
  });
}
