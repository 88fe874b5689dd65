// Contract tests of aborted and failed embedding calls, and of the trace of a call.
import assert from 'node:assert/strict';
import { VaultgraphError } from '../../../src/base/errors.ts';
import type { EmbeddingProvider } from '../../../src/contracts/embedding.ts';
import { assertAborted, type EmbeddingTraits, inputs, type Law, never, newCall, vectorOf } from './law.ts';

type Method = (provider: EmbeddingProvider, signal: AbortSignal) => Promise<unknown>;

const METHODS: Readonly<Record<string, Method>> = {
  embed: (provider, signal) => provider.embed(inputs('a text', 'another'), 'document', newCall(), signal),
  identify: (provider, signal) => provider.identify(newCall(), signal),
  loaded: (provider, signal) => provider.loaded(signal),
  warmUp: (provider, signal) => provider.warmUp(signal),
};

export function endingLaws(law: Law, traits: EmbeddingTraits): void {
  law('a call with an aborted signal ends with the reason and sends no request', async ({ provider }) => {
    const reason = new Error('gone before it began');
    for (const method of Object.values(METHODS))
      await assertAborted(method(provider, AbortSignal.abort(reason)), reason);
    const call = newCall();
    await assertAborted(provider.embed(inputs('a'), 'query', call, AbortSignal.abort(reason)), reason);
    assert.equal(call.trace.attempts, 0);
    await vectorOf(provider, 'the next call');
  });

  law('a call that is aborted while it waits ends with the reason', async ({ provider, hang, heal }, context) => {
    if (traits.isSynchronous || hang === undefined) return context.skip('nothing of it can be made to wait');
    for (const [name, method] of Object.entries(METHODS)) {
      await hang();
      const stop = new AbortController();
      const reason = new Error(`gone during ${name}`);
      setTimeout(() => stop.abort(reason), 40);
      const running = method(provider, stop.signal);
      // Who never tells whether it is loaded need not ask.
      const mayAnswer = name === 'loaded' ? [undefined] : [];
      await assertAborted(running, reason, mayAnswer);
      await heal?.();
      await vectorOf(provider, `the call after ${name}`);
    }
  });

  law('a failure is typed, reports the phase and nothing private, and the next call works', async (under, context) => {
    const { provider, fail, heal } = under;
    if (fail === undefined) return context.skip('nothing of it can be made to fail');
    await fail();
    const call = newCall();
    const thrown = await provider.embed(inputs('confidential words'), 'query', call, never).then(
      () => assert.fail('it should have failed'),
      (error: unknown) => error,
    );
    await heal?.();
    assert.ok(thrown instanceof VaultgraphError);
    assert.match(thrown.code, /^PROVIDER_/);
    const { capability, provider: type, model, level } = thrown.details as Record<string, unknown>;
    assert.deepEqual([capability, type, model, level], ['embedding', provider.type, provider.model, 'call']);
    assert.doesNotMatch(JSON.stringify([thrown.message, thrown.hint, thrown.details]), /confidential/);
    assert.ok(call.trace.attempts >= 1);
    await vectorOf(provider, 'the next call');
  });

  law('the trace of a successful call has its attempts and the endpoint', async ({ provider }) => {
    for (const work of [
      (call = newCall()) => provider.embed(inputs('traced'), 'document', call, never).then(() => call),
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
