// Registers the contract tests of embedding providers: vendors, fakes and wrappers.
import { describe } from 'node:test';
import { answeringLaws } from './embedding/answering.ts';
import { endingLaws } from './embedding/ending.ts';
import { identityLaws } from './embedding/identity.ts';
import { createLaw, type EmbeddingTraits, type EmbeddingUnderTest } from './embedding/law.ts';

/** @param open a healthy provider per law; it may be the same one each time */
export function embeddingLaws(
  name: string,
  open: () => Promise<EmbeddingUnderTest>,
  traits: EmbeddingTraits = { findsRelated: true },
): void {
  describe(`${name} meets the contract of an embedding provider`, () => {
    const law = createLaw(open);
    answeringLaws(law, traits);
    identityLaws(law);
    endingLaws(law, traits);
  });
}
