// The contract that every kind of model provider keeps: its endpoint, warm-up, aborts, failures and the trace of a call.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { VaultgraphError } from '../../src/base/errors.ts';
import { type ModelProvider, newTrace, type ProviderCall } from '../../src/contracts/provider-call.ts';

export interface ModelUnderTest<P extends ModelProvider<unknown>> {
  readonly provider: P;
  /** From now on no request is answered; absent where nothing can be made to hang. */
  hang?(): void | Promise<void>;
  /** From now on every request fails; absent where nothing can be made to fail. */
  fail?(): void | Promise<void>;
  /** Ends whatever was made to go wrong. */
  heal?(): void | Promise<void>;
  close(): Promise<void>;
}

export type LawOn<U> = (title: string, check: (under: U, context: TestContext) => Promise<void>) => void;

export function createLaw<U extends { close(): Promise<void> }>(open: () => Promise<U>): LawOn<U> {
  return (title, check) => {
    it(title, async (context) => {
      const under = await open();
      try {
        await check(under, context);
      } finally {
        await under.close();
      }
    });
  };
}

/** What is particular to one kind of model. */
interface Kind<U> {
  readonly capability: 'embedding' | 'llm' | 'rerank';
  /** A request with the words `confidential` and `private`, which no failure may repeat. */
  ask(under: U, call: ProviderCall, signal: AbortSignal): Promise<unknown>;
  /** Fails unless a request is answered. */
  answers(under: U, when: string): Promise<void>;
  /** Checks a failure further. */
  failed?(failure: VaultgraphError): void;
  /** Where an abort can only be seen between two texts, as in a provider that computes in this process. */
  readonly isSynchronous?: boolean | undefined;
}

export function modelLaws<U extends ModelUnderTest<ModelProvider<unknown>>>(law: LawOn<U>, kind: Kind<U>): void {
  const { ask, answers } = kind;
  const methods: Readonly<Record<string, (under: U, signal: AbortSignal) => Promise<unknown>>> = {
    ask: (under, signal) => ask(under, newCall(), signal),
    identify: ({ provider }, signal) => provider.identify(newCall(), signal),
    loaded: ({ provider }, signal) => provider.loaded(signal),
    warmUp: ({ provider }, signal) => provider.warmUp(signal),
  };

  law('its endpoint is a URL without credentials, or absent', async ({ provider }) => {
    if (provider.endpoint === null) return;
    const { username, password, protocol } = new URL(provider.endpoint);
    assert.deepEqual([username, password], ['', '']);
    assert.match(protocol, /^https?:$/);
  });

  law('after a warm-up it is loaded or of unknown state, and a second warm-up works', async (under) => {
    await under.provider.warmUp(never);
    assert.ok([true, undefined].includes(await under.provider.loaded(never)));
    await under.provider.warmUp(never);
    await answers(under, 'after the warm-up');
  });

  law('a call with an aborted signal ends with the reason and sends no request', async (under) => {
    const reason = new Error('gone before it began');
    for (const method of Object.values(methods)) await assertAborted(method(under, AbortSignal.abort(reason)), reason);
    const call = newCall();
    await assertAborted(ask(under, call, AbortSignal.abort(reason)), reason);
    assert.equal(call.trace.attempts, 0);
    await answers(under, 'the next call');
  });

  law('a call that is aborted while it waits ends with the reason', async (under, context) => {
    if (kind.isSynchronous || under.hang === undefined) return context.skip('nothing of it can be made to wait');
    for (const [name, method] of Object.entries(methods)) {
      await under.hang();
      const stop = new AbortController();
      const reason = new Error(`gone during ${name}`);
      setTimeout(() => stop.abort(reason), 40);
      // A provider that does not know whether the model is loaded answers at once.
      await assertAborted(method(under, stop.signal), reason, name === 'loaded' ? [undefined] : []);
      await under.heal?.();
      await answers(under, `the call after ${name}`);
    }
  });

  law('a failure is typed and reports nothing private, and the next call works', async (under, context) => {
    const { provider, fail, heal } = under;
    if (fail === undefined) return context.skip('nothing of it can be made to fail');
    await fail();
    const call = newCall();
    const failure = await failureOf(ask(under, call, never));
    await heal?.();
    assert.match(failure.code, /^PROVIDER_/);
    const { capability, provider: type, model } = failure.details as unknown as Record<string, unknown>;
    assert.deepEqual([capability, type, model], [kind.capability, provider.type, provider.model]);
    assert.doesNotMatch(JSON.stringify([failure.message, failure.hint, failure.details]), /confidential|private/);
    kind.failed?.(failure);
    assert.ok(call.trace.attempts >= 1);
    await answers(under, 'the next call');
  });

  law('the trace of a successful call has its attempts and the endpoint', async (under) => {
    const { provider } = under;
    await answers(under, 'before');
    for (const work of [ask, ({ provider }: U, call: ProviderCall) => provider.identify(call, never)]) {
      const call = newCall();
      await work(under, call, never);
      assert.deepEqual(call.trace.retries, []);
      if (provider.endpoint === null) continue;
      assert.ok(call.trace.attempts >= 1);
      assert.match(call.trace.servedBy ?? '', new RegExp(`^${provider.type}@.+:\\d+$`));
    }
  });
}

export const never = new AbortController().signal;

export function newCall(some: Partial<ProviderCall> = {}): ProviderCall {
  return {
    priority: 'background',
    msLeft: () => Number.POSITIVE_INFINITY,
    onWait: () => undefined,
    trace: newTrace(),
    ...some,
  };
}

/** Fails unless the work does, with a failure of ours. */
export async function failureOf(work: Promise<unknown>): Promise<VaultgraphError> {
  const thrown = await work.then(
    () => assert.fail('it should have failed'),
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof VaultgraphError, `${thrown}`);
  return thrown;
}

/**
 * That it ends with the reason itself, or an error caused by it, and soon.
 * @param mayAnswer answers that need no waiting
 */
export async function assertAborted(
  work: Promise<unknown>,
  reason: unknown,
  mayAnswer: readonly unknown[] = [],
): Promise<void> {
  const began = performance.now();
  const [ended] = await Promise.allSettled([work]);
  assert.ok(performance.now() - began < 20_000, 'it took its time');
  if (ended.status === 'fulfilled') return assert.ok(mayAnswer.includes(ended.value), 'it was answered all the same');
  const cause = ended.reason instanceof Error ? ended.reason.cause : undefined;
  assert.ok(ended.reason === reason || cause === reason, `it failed with ${ended.reason}`);
}
