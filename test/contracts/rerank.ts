// Registers the contract tests of rerank providers: vendors, fakes and wrappers.
import { describe } from 'node:test';
import { answeringLaws } from './rerank/answering.ts';
import { endingLaws } from './rerank/ending.ts';
import { createLaw, type RerankUnderTest } from './rerank/law.ts';

/** @param open a healthy provider per law; it may be the same one each time */
export function rerankLaws(name: string, open: () => Promise<RerankUnderTest>): void {
  describe(`${name} meets the contract of a rerank provider`, () => {
    const law = createLaw(open);
    answeringLaws(law);
    endingLaws(law);
  });
}
