// Contract tests of the identity of a language model, of aborted and failed calls, and of the trace.
import assert from 'node:assert/strict';
import type { LLMProvider } from '../../../src/contracts/llm.ts';
import { assertAborted, failureOf, HARBOUR, type Law, type LLMUnderTest, never, newCall, request } from './law.ts';

type Method = (provider: LLMProvider, signal: AbortSignal) => Promise<unknown>;

const METHODS: Readonly<Record<string, Method>> = {
  generate: (provider, signal) => provider.generate(request(), newCall(), signal),
  identify: (provider, signal) => provider.identify(newCall(), signal),
  loaded: (provider, signal) => provider.loaded(signal),
  warmUp: (provider, signal) => provider.warmUp(signal),
};

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

  law('its endpoint is a URL without credentials, or absent', async ({ provider }) => {
    if (provider.endpoint === null) return;
    const { username, password, protocol } = new URL(provider.endpoint);
    assert.deepEqual([username, password], ['', '']);
    assert.match(protocol, /^https?:$/);
  });

  law('after a warm-up it is loaded or of unknown state, and a second warm-up works', async (under) => {
    const { provider } = under;
    await provider.warmUp(never);
    assert.ok([true, undefined].includes(await provider.loaded(never)));
    await provider.warmUp(never);
    await answers(under, 'after the warm-up');
  });

  law('a call with an aborted signal ends with the reason and sends no request', async (under) => {
    const { provider } = under;
    const reason = new Error('gone before it began');
    for (const method of Object.values(METHODS))
      await assertAborted(method(provider, AbortSignal.abort(reason)), reason);
    const call = newCall();
    await assertAborted(provider.generate(request(), call, AbortSignal.abort(reason)), reason);
    assert.equal(call.trace.attempts, 0);
    await answers(under, 'the next call');
  });

  law('a call that is aborted while it waits ends with the reason', async (under, context) => {
    const { provider, hang, heal } = under;
    if (hang === undefined) return context.skip('nothing of it can be made to wait');
    for (const [name, method] of Object.entries(METHODS)) {
      await hang();
      const stop = new AbortController();
      const reason = new Error(`gone during ${name}`);
      setTimeout(() => stop.abort(reason), 40);
      // Who never tells whether it is loaded need not ask.
      await assertAborted(method(provider, stop.signal), reason, name === 'loaded' ? [undefined] : []);
      await heal?.();
      await answers(under, `the call after ${name}`);
    }
  });

  law('a failure is typed, reports the phase and nothing private, and the next call works', async (under, context) => {
    const { provider, fail, heal } = under;
    if (fail === undefined) return context.skip('nothing of it can be made to fail');
    await fail();
    const call = newCall();
    const thrown = await failureOf(provider.generate(request({ prompt: 'confidential words' }), call, never));
    await heal?.();
    assert.match(thrown.code, /^PROVIDER_/);
    assert.match(thrown.message, /^(?:the language-model request failed: |cannot reach )/);
    const { capability, provider: type, model, level } = thrown.details as unknown as Record<string, unknown>;
    assert.deepEqual([capability, type, model, level], ['llm', provider.type, provider.model, 'call']);
    assert.doesNotMatch(JSON.stringify([thrown.message, thrown.hint, thrown.details]), /confidential/);
    assert.ok(call.trace.attempts >= 1);
    await answers(under, 'the next call');
  });

  law('the trace of a successful call has its attempts and the endpoint', async ({ provider, writes }) => {
    writes(() => JSON.stringify(HARBOUR));
    for (const work of [
      (call = newCall()) => provider.generate(request(), call, never).then(() => call),
      (call = newCall()) => provider.identify(call, never).then(() => call),
    ]) {
      const { trace } = await work();
      assert.deepEqual(trace.retries, []);
      if (provider.endpoint === null) continue;
      assert.ok(trace.attempts >= 1);
      assert.match(trace.servedBy ?? '', new RegExp(`^${provider.type}@.+:\\d+$`));
    }
  });
}
