// Registers the contract tests of embedding providers: vendors, fakes and wrappers.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { answeringLaws } from './embedding/answering.ts';
import { identityLaws } from './embedding/identity.ts';
import { createLaw, type EmbeddingTraits, type EmbeddingUnderTest, inputs, vectorOf } from './embedding/law.ts';
import { modelLaws } from './model-law.ts';

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
    modelLaws(law, {
      capability: 'embedding',
      ask: ({ provider }, call, signal) =>
        provider.embed(inputs('confidential words', 'a private note'), 'document', call, signal),
      answers: async ({ provider }, when) => void (await vectorOf(provider, when)),
      failed: ({ details }) => assert.equal((details as { level?: unknown }).level, 'call'),
      isSynchronous: traits.isSynchronous,
    });
  });
}
