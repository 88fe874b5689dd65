// Tests what the layers do only for language models: late answers, item failures and identity checks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LLMProvider } from '../../../src/contracts/llm.ts';
import { type LLMParts, resilientLLM } from '../../../src/lifecycle/resilience/model-client.ts';
import { HARBOUR, request } from '../../contracts/llm/law.ts';
import { type FakeLLM, fakeLLM, llmFailure } from '../../fakes/llm.ts';
import { providerFailure } from '../../fakes/provider-failure.ts';
import { settle } from './hand-clock.ts';
import { callOf, never, OFF, thrownBy } from './under-test.ts';

const LIMITS = { identify: 300, generate: 300, loaded: 100, warmUp: 500 };

function behindLayers(endpoints: readonly [LLMProvider, ...LLMProvider[]], limits: Partial<LLMParts['limits']> = {}) {
  const counted: string[] = [];
  const resilient = resilientLLM({
    endpoints,
    limits: { ...LIMITS, ...limits },
    settings: { retry: { attempts: 2, jobAttempts: 5 }, breaker: OFF },
    hooks: {
      log: () => undefined,
      count: (name) => void counted.push(name),
      onAnswered: () => undefined,
      storedIdentity: async () => undefined,
    },
  });
  const generate = async (call = callOf(), signal = never) =>
    (await resilient.provider.generate(request(), call, signal)).value;
  return { ...resilient, counted, generate };
}

const writing = (settings: Parameters<typeof fakeLLM>[1] = {}): FakeLLM => fakeLLM(() => HARBOUR, settings);

test('P27 an answer after the limit or after a cancel is dropped and counted', async () => {
  const { provider } = writing();
  let { promise: released, resolve: release } = Promise.withResolvers<void>();
  // It does not listen to the signal, as no provider should.
  const deaf: LLMProvider = {
    ...provider,
    generate: async (requested, call) => {
      await released;
      return provider.generate(requested, call, never);
    },
  };
  const { generate, counted } = behindLayers([deaf], { generate: 40 });
  assert.equal((await thrownBy(generate())).code, 'PROVIDER_TIMEOUT');
  assert.deepEqual(counted, []);
  release();
  await settle();
  assert.deepEqual(counted, ['late_results_dropped']);
  ({ promise: released, resolve: release } = Promise.withResolvers<void>());
  const stop = new AbortController();
  const reason = new Error('cancelled');
  const cancelled = thrownBy(generate(callOf(), stop.signal));
  stop.abort(reason);
  assert.equal(await cancelled, reason);
  release();
  await settle();
  assert.deepEqual(counted, ['late_results_dropped', 'late_results_dropped']);
});

test('a fault of one request is neither retried nor diverted; a fault of the server is', async () => {
  const [first, other] = [writing({ endpoint: 'http://127.0.0.1:1' }), writing({ endpoint: 'http://127.0.0.1:2' })];
  const { generate, provider } = behindLayers([first.provider, other.provider]);
  await provider.identify(callOf(), never);
  first.says(() => 'no JSON');
  assert.equal((await thrownBy(generate())).code, 'PROVIDER_BAD_RESPONSE');
  assert.deepEqual([first.requested.generate, other.requested.generate], [1, 0]);
  first.says(() => HARBOUR);
  first.failNext(llmFailure('PROVIDER_ERROR', { status: 500, said: 'crash' }));
  assert.deepEqual(await generate(), HARBOUR);
  first.become({ down: true });
  const call = callOf();
  assert.deepEqual(await generate(call), HARBOUR);
  assert.deepEqual([call.trace.failedOver, other.requested.generate > 0], [true, true]);
});

test('P18 two endpoints without a digest never count as the same model', async () => {
  const settings = { digest: null };
  const [first, other] = [
    writing({ ...settings, endpoint: 'http://127.0.0.1:1' }),
    writing({ ...settings, endpoint: 'http://127.0.0.1:2' }),
  ];
  const { generate, provider, notes } = behindLayers([first.provider, other.provider]);
  await provider.identify(callOf(), never);
  first.become({ down: true });
  assert.equal((await thrownBy(generate())).code, 'PROVIDER_UNAVAILABLE');
  assert.equal(other.requested.generate, 0);
  assert.deepEqual(notes(), ['failover http://127.0.0.1:2: refused: serves another model: digest']);
});

test('a wait that the server asks for is passed on, and one of more than a day is cut to the limit of the provider', async () => {
  const asked: readonly (readonly [askedMs: number, reportedMs: number])[] = [
    [3_600_000, 3_600_000],
    [86_400_000, 86_400_000],
    [86_400_001, LIMITS.generate],
    [3_155_760_000_000, LIMITS.generate],
  ];
  for (const [askedMs, reportedMs] of asked) {
    const llm = writing();
    llm.failNext(providerFailure('PROVIDER_RATE_LIMITED', { source: '429' }, { capability: 'llm' }, askedMs));
    const { generate } = behindLayers([llm.provider]);
    assert.equal((await thrownBy(generate())).retryAfterMs, reportedMs, String(askedMs));
  }
});
