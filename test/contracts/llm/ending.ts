// Contract tests of the identity of a language model, and of its calls as a model.
import assert from 'node:assert/strict';
import { modelLaws } from '../model-law.ts';
import { HARBOUR, type Law, type LLMUnderTest, never, newCall, request } from './law.ts';

async function answers({ provider, writes }: LLMUnderTest, when: string): Promise<void> {
  writes(() => JSON.stringify(HARBOUR));
  assert.deepEqual((await provider.generate(request(), newCall(), never)).value, HARBOUR, when);
}

export function endingLaws(law: Law): void {
  law('its identity is that of its model, before and after a call', async (under) => {
    const { provider } = under;
    const before = await provider.identify(newCall(), never);
    assert.deepEqual([before.provider, before.model], [provider.type, provider.model]);
    assert.ok(before.digest === null || before.digest.length > 0);
    assert.ok(provider.contextTokens >= 1_024);
    await answers(under, 'in between');
    assert.deepEqual(await provider.identify(newCall(), never), before);
  });

  modelLaws(law, {
    capability: 'llm',
    ask: ({ provider }, call, signal) =>
      provider.generate(request({ prompt: 'confidential words of a private note' }), call, signal),
    answers,
    failed: ({ message, details }) => {
      assert.match(message, /^(?:the language-model request failed: |cannot reach )/);
      assert.equal((details as { level?: unknown }).level, 'call');
    },
  });
}
