// Contract tests of the identity of a reranker, of aborted and failed calls, and of the trace.
import assert from 'node:assert/strict';
import type { RerankProvider } from '../../../src/contracts/rerank.ts';
import { assertAborted, DOCUMENTS, failureOf, type Law, never, newCall, QUERY, rerank } from './law.ts';

type Method = (provider: RerankProvider, signal: AbortSignal) => Promise<unknown>;

const METHODS: Readonly<Record<string, Method>> = {
  rerank: (provider, signal) => provider.rerank(QUERY, DOCUMENTS, newCall(), signal),
  identify: (provider, signal) => provider.identify(newCall(), signal),
  loaded: (provider, signal) => provider.loaded(signal),
  warmUp: (provider, signal) => provider.warmUp(signal),
};

export function endingLaws(law: Law): void {
  law('its identity is that of its model, and its limits are usable', async ({ provider }) => {
    assert.deepEqual(await provider.identify(newCall(), never), { provider: provider.type, model: provider.model });
    assert.ok(provider.top >= 1 && provider.contextTokens >= 128);
  });

  law('its endpoint is a URL without credentials, or absent', async ({ provider }) => {
    if (provider.endpoint === null) return;
    const { username, password, protocol } = new URL(provider.endpoint);
    assert.deepEqual([username, password], ['', '']);
    assert.match(protocol, /^https?:$/);
  });

  law('after a warm-up it is loaded or of unknown state', async ({ provider }) => {
    await provider.warmUp(never);
    assert.ok([true, undefined].includes(await provider.loaded(never)));
    assert.equal((await rerank(provider)).length, DOCUMENTS.length);
  });

  law('a call with an aborted signal ends with the reason and sends no request', async ({ provider }) => {
    const reason = new Error('gone before it began');
    for (const method of Object.values(METHODS))
      await assertAborted(method(provider, AbortSignal.abort(reason)), reason);
    const call = newCall();
    await assertAborted(provider.rerank(QUERY, DOCUMENTS, call, AbortSignal.abort(reason)), reason);
    assert.equal(call.trace.attempts, 0);
  });

  law('a call that is aborted while it waits ends with the reason', async ({ provider, hang, heal }, context) => {
    if (hang === undefined) return context.skip('nothing of it can be made to wait');
    for (const [name, method] of Object.entries(METHODS)) {
      await hang();
      const stop = new AbortController();
      const reason = new Error(`gone during ${name}`);
      setTimeout(() => stop.abort(reason), 40);
      // A provider that does not know whether the model is loaded answers at once.
      await assertAborted(method(provider, stop.signal), reason, name === 'loaded' ? [undefined] : []);
      await heal?.();
      assert.equal((await rerank(provider)).length, DOCUMENTS.length, `the call after ${name}`);
    }
  });

  law('a failure is typed and reports nothing private, and the next call works', async (under, context) => {
    const { provider, fail, heal } = under;
    if (fail === undefined) return context.skip('nothing of it can be made to fail');
    await fail();
    const call = newCall();
    const thrown = await failureOf(provider.rerank('confidential words', ['a private note'], call, never));
    await heal?.();
    assert.match(thrown.code, /^PROVIDER_/);
    assert.match(thrown.message, /^(?:the rerank request failed: |cannot reach )/);
    assert.match(thrown.hint, /rerank: false/);
    const { capability, provider: type, model } = thrown.details as unknown as Record<string, unknown>;
    assert.deepEqual([capability, type, model], ['rerank', provider.type, provider.model]);
    assert.doesNotMatch(JSON.stringify([thrown.message, thrown.hint, thrown.details]), /confidential|private/);
    assert.ok(call.trace.attempts >= 1);
    assert.equal((await rerank(provider)).length, DOCUMENTS.length);
  });

  law('the trace of a successful call has its attempts and the endpoint', async ({ provider }) => {
    const call = newCall();
    await provider.rerank(QUERY, DOCUMENTS, call, never);
    assert.deepEqual(call.trace.retries, []);
    if (provider.endpoint === null) return;
    assert.ok(call.trace.attempts >= 1);
    assert.match(call.trace.servedBy ?? '', new RegExp(`^${provider.type}@.+:\\d+$`));
  });
}
