// Contract tests of the identity of a reranker, and of its calls as a model.
import assert from 'node:assert/strict';
import { modelLaws } from '../model-law.ts';
import { DOCUMENTS, type Law, never, newCall, rerank } from './law.ts';

export function endingLaws(law: Law): void {
  law('its identity is that of its model, and its limits are usable', async ({ provider }) => {
    assert.deepEqual(await provider.identify(newCall(), never), { provider: provider.type, model: provider.model });
    assert.ok(provider.top >= 1 && provider.contextTokens >= 128);
  });

  modelLaws(law, {
    capability: 'rerank',
    ask: ({ provider }, call, signal) => provider.rerank('confidential words', ['a private note'], call, signal),
    answers: async ({ provider }, when) => assert.equal((await rerank(provider)).length, DOCUMENTS.length, when),
    failed: ({ message, hint }) => {
      assert.match(message, /^(?:the rerank request failed: |cannot reach )/);
      assert.match(hint, /rerank: false/);
    },
  });
}
