import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { VaultgraphError } from '../../src/base/errors.ts';
import type { Section } from '../../src/config/provider-sections.ts';
import type { EmbeddingProvider } from '../../src/contracts/embedding.ts';
import type { LLMProvider } from '../../src/contracts/llm.ts';
import type { AnyProvider, Opened, Provider } from '../../src/contracts/provider.ts';
import { LOAD_LIMITS, type LoadContext, load } from '../../src/lifecycle/loader.ts';
import { presentCapabilities, verifyProviders } from '../../src/lifecycle/provider-health.ts';
import { type FakeEmbedding, fakeEmbedding } from '../fakes/embedding.ts';
import { providerFailure } from '../fakes/provider-failure.ts';
import { callOf, jobCall, thrownBy } from './resilience/under-test.ts';
import { limitsOf, openedEmbedding, placeFor } from './sample-providers.ts';

type OpenEmbedding = Provider<'embedding'>['open'];
type OpenLlm = Provider<'llm'>['open'];

const EMBEDDING: EmbeddingProvider = fakeEmbedding({ type: 'sample', model: 'e' }).provider;
const LLM: LLMProvider = {
  ...{ type: 'sample', model: 'l', endpoint: null, contextTokens: 4_096 },
  identify: async () => ({ provider: 'sample', model: 'l', digest: null }),
  generate: async ({ prompt, schema }) => ({ value: schema.parse(`re: ${prompt}`) }),
  loaded: async () => undefined,
  warmUp: async () => undefined,
};
const REQUEST = { instructions: 'Repeat it.', prompt: 'x', schema: z.string(), maxAnswerTokens: 8 };
const INPUTS = [{ id: 'a', text: 'the harbour' }];

const embedding = (open: OpenEmbedding, rest: Partial<Provider<'embedding'>> = {}): AnyProvider => ({
  capability: 'embedding',
  type: 'sample',
  config: z.unknown(),
  limits: () => limitsOf(50),
  open,
  ...rest,
});

const llm = (open: OpenLlm): AnyProvider => ({
  capability: 'llm',
  type: 'sample',
  config: z.unknown(),
  limits: () => ({ identify: 50, generate: 50, loaded: 50, warmUp: 50 }),
  open,
});

function openedLlm(rest: Partial<Opened<LLMProvider>> = {}): Opened<LLMProvider> {
  return {
    capability: LLM,
    probe: async () => ({ ok: true, detail: 'writes' }),
    close: async () => undefined,
    ...rest,
  };
}

const section = (provider: AnyProvider, line: number): Section => ({
  provider,
  config: undefined,
  path: ['providers', provider.capability],
  place: { file: 'config.yaml', line, column: 3 },
});

const LIMITS = { openLimitMs: 50, closeLimitMs: 50, probeLimitMs: 50 };
const signal = new AbortController().signal;
const broken = (reason: string) => new VaultgraphError('STORE_UNAVAILABLE', { op: 'open', reason });

test('opens every section and returns a frozen, guarded capability for each', async (context) => {
  const counted: string[] = [];
  const use = withHooks(placeFor(context).context, { count: (name) => counted.push(name) });
  const slow: EmbeddingProvider = { ...EMBEDDING, embed: async () => pause(80, { succeeded: [], failed: [] }) };
  const loaded = await load(
    [
      section(
        embedding(async () => openedEmbedding(slow)),
        1,
      ),
      section(
        llm(async () => openedLlm()),
        2,
      ),
    ],
    use,
    LIMITS,
  );
  const { capabilities } = loaded;
  assert.deepEqual(Object.keys(capabilities), ['embedding', 'llm']);
  assert.ok(Object.isFrozen(capabilities) && Object.isFrozen(capabilities.llm));
  assert.ok(Object.isFrozen(capabilities.embedding));
  assert.deepEqual(await capabilities.llm?.generate(REQUEST, callOf(), signal), { value: 're: x' });
  const late = capabilities.embedding?.embed(INPUTS, 'query', callOf(), signal) ?? Promise.resolve();
  assert.equal((await thrownBy(late)).code, 'PROVIDER_TIMEOUT');
  await pause(80);
  assert.deepEqual(counted, ['late_results_dropped']);
});

function withHooks(context: LoadContext, hooks: Partial<LoadContext['hooks']>): LoadContext {
  return { ...context, hooks: { ...context.hooks, ...hooks } };
}

test('sections open concurrently and close in reverse order', async (context) => {
  const order: string[] = [];
  const meet = Promise.withResolvers<void>();
  const note = (word: string) => async () => void order.push(word);
  const loaded = await load(
    [
      section(
        embedding(async () => meet.promise.then(() => openedEmbedding(EMBEDDING, { close: note('embedding') }))),
        1,
      ),
      section(
        llm(async () => {
          meet.resolve();
          return openedLlm({ close: note('llm') });
        }),
        2,
      ),
    ],
    placeFor(context).context,
    LOAD_LIMITS,
  );
  assert.deepEqual(await loaded.close(), []);
  assert.deepEqual(order, ['llm', 'embedding']);
});

test('when one section fails, its own error is thrown and what was open is closed', async (context) => {
  const closed: string[] = [];
  const close = async () => void closed.push('embedding');
  const own = broken('no space');
  const given = [
    section(
      embedding(async () => openedEmbedding(EMBEDDING, { close })),
      1,
    ),
    section(
      llm(async () => {
        throw own;
      }),
      2,
    ),
  ];
  await assert.rejects(load(given, placeFor(context).context, LIMITS), own);
  assert.deepEqual(closed, ['embedding']);
});

test('when several fail, each is reported with its place in the config', async (context) => {
  const fail = (reason: string) => async () => {
    throw broken(reason);
  };
  const given = [section(embedding(fail('one')), 4), section(llm(fail('two')), 7)];
  const thrown = await load(given, placeFor(context).context, LIMITS).then(
    () => assert.fail('it loaded'),
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof VaultgraphError && thrown.code === 'CONFIG_INVALID');
  const lines = thrown.message.split('\n');
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? '', /^config\.yaml:4:3: providers\.embedding: .*one/);
  assert.match(lines[1] ?? '', /^config\.yaml:7:3: providers\.llm: .*two/);
});

test('a provider that hangs in open fails at the limit, and is closed if it opens after all', async (context) => {
  const closed = Promise.withResolvers<string>();
  const open = async () => {
    await pause(80);
    return openedLlm({ close: async () => closed.resolve('closed') });
  };
  const use = placeFor(context).context;
  await assert.rejects(load([section(llm(open), 1)], use, LIMITS), { code: 'PROVIDER_TIMEOUT' });
  assert.equal(await closed.promise, 'closed');
});

test('closing continues after a failure and a hang, and reports both', async (context) => {
  const hangs = openedEmbedding(EMBEDDING, { close: () => new Promise(() => undefined) });
  const fails = openedLlm({
    close: async () => {
      throw broken('cannot close');
    },
  });
  const given = [
    section(
      embedding(async () => hangs),
      1,
    ),
    section(
      llm(async () => fails),
      2,
    ),
  ];
  const loaded = await load(given, placeFor(context).context, LIMITS);
  const failures = await loaded.close();
  assert.deepEqual(
    failures.map(({ capability, error }) => [capability, error.code]),
    [
      ['llm', 'STORE_UNAVAILABLE'],
      ['embedding', 'PROVIDER_TIMEOUT'],
    ],
  );
});

test('a probe that fails or hangs is a row; a cancel by the caller is not', async (context) => {
  const hangs = openedEmbedding(EMBEDDING, { probe: () => new Promise(() => undefined) });
  const fails = openedLlm({
    probe: async () => {
      throw broken('gone');
    },
  });
  const given = [
    section(
      embedding(async () => hangs),
      1,
    ),
    section(
      llm(async () => fails),
      2,
    ),
  ];
  const { providers } = await load(given, placeFor(context).context, LIMITS);
  const [first, second] = await Promise.all(providers.map(({ probe }) => probe(signal)));
  assert.equal(first?.ok, false);
  assert.match(first?.detail ?? '', /no answer within 50 ms/);
  assert.equal(first?.failure?.code, 'PROVIDER_TIMEOUT');
  assert.deepEqual([second?.ok, second?.detail], [false, 'StoreProvider failed: open: gone']);
  assert.equal(second?.failure?.code, 'STORE_UNAVAILABLE');
  const reason = new VaultgraphError('CANCELLED', { committed: 'none' });
  await assert.rejects(async () => providers[0]?.probe(AbortSignal.abort(reason)), reason);
});

test('two providers of one capability are an internal error', async (context) => {
  const twice = [1, 2].map((line) =>
    section(
      llm(async () => openedLlm()),
      line,
    ),
  );
  await assert.rejects(load(twice, placeFor(context).context), { code: 'INTERNAL' });
});

const HERE = 'http://127.0.0.1:11434';
const THERE = 'http://127.0.0.1:11435';

/** A section with two endpoints, each a fake of its own. */
function twoEndpoints(fakes: readonly FakeEmbedding[], rest: Partial<Opened<EmbeddingProvider>> = {}): AnyProvider {
  return embedding(async (config) => openedEmbedding((fakes[Number(config)] as FakeEmbedding).provider, rest), {
    endpoints: () => [0, 1],
  });
}

test('P18 each endpoint of a section is opened, and the second replaces the first when it fails', async (context) => {
  const closed: string[] = [];
  const fakes = [HERE, THERE].map((endpoint) => fakeEmbedding({ endpoint }));
  const provider = twoEndpoints(fakes, { close: async () => void closed.push('closed') });
  const loaded = await load([section(provider, 1)], placeFor(context).context, LOAD_LIMITS);
  const { embedding: served } = loaded.capabilities;
  await served?.identify(callOf(), signal);
  fakes[0]?.become({ down: true });
  const call = callOf();
  await served?.embed(INPUTS, 'query', call, signal);
  assert.equal(call.trace.failedOver, true);
  assert.deepEqual(loaded.textGoesTo, [HERE, THERE]);
  const [row] = await presentCapabilities(loaded.providers, signal);
  assert.deepEqual(
    [row?.capability, row?.type, row?.endpoint, row?.model],
    ['embedding', 'sample', HERE, 'hashed-words'],
  );
  assert.match(row?.notes?.join() ?? '', /failover http:\/\/127\.0\.0\.1:11435: stood in/);
  assert.ok(!Number.isNaN(Date.parse(row?.checked_at ?? '')));
  await loaded.close();
  assert.deepEqual(closed, ['closed', 'closed']);
});

test('a fallback is opened with its provider, has its own limits and its own row', async (context) => {
  const main = fakeEmbedding({ endpoint: HERE, model: 'one', down: true });
  const other = fakeEmbedding({ model: 'two' });
  const nested = embedding(async () => openedEmbedding(other.provider), { type: 'other' });
  const fallback = {
    section: { ...section(nested, 2), path: ['providers', 'embedding', 'fallback'] },
    useOn: ['PROVIDER_UNAVAILABLE'] as const,
  };
  const given = {
    ...section(
      embedding(async () => openedEmbedding(main.provider)),
      1,
    ),
    fallback,
  };
  let answered = 0;
  const use = withHooks(placeFor(context).context, { onAnswered: () => (answered += 1) });
  const loaded = await load([given], use, LIMITS);
  const served = loaded.capabilities.embedding;
  assert.deepEqual([served?.model, served?.fallback?.provider.model], ['one', 'two']);
  assert.deepEqual(served?.fallback?.useOn, ['PROVIDER_UNAVAILABLE']);
  assert.equal((await served?.fallback?.provider.embed(INPUTS, 'query', callOf(), signal))?.succeeded.length, 1);
  assert.equal(answered, 0, 'its answer says nothing of the provider that it replaces');
  other.become({ hang: true });
  const hanging = served?.fallback?.provider.embed(INPUTS, 'query', jobCall(), signal) ?? Promise.resolve();
  assert.equal((await thrownBy(hanging)).code, 'PROVIDER_TIMEOUT');
  const rows = await presentCapabilities(loaded.providers, signal);
  assert.deepEqual(
    rows.map(({ capability, type, notes }) => [capability, type, notes]),
    [
      ['embedding', 'sample', undefined],
      ['embedding.fallback', 'other', ['used on PROVIDER_UNAVAILABLE']],
    ],
  );
  assert.deepEqual(loaded.textGoesTo, [HERE]);
  await loaded.close();
});

test('a warm-up in the background loads every model once and ends with the server', async (context) => {
  const fake = fakeEmbedding({ loaded: false });
  const loaded = await load(
    [
      section(
        embedding(async () => openedEmbedding(fake.provider)),
        1,
      ),
    ],
    placeFor(context).context,
  );
  loaded.warmUp();
  await pause(20);
  assert.deepEqual([fake.requested.warmUp, await loaded.capabilities.embedding?.loaded(signal)], [1, true]);
  await loaded.close();
  loaded.warmUp();
  assert.equal(fake.requested.warmUp, 1);
});

test('M13 startup.verify reports the key and the code of each failing provider only', async (context) => {
  const missing = providerFailure('PROVIDER_MODEL_MISSING', { installed: [], auto_pull: 'never' });
  const fails = async () => ({ ok: false, detail: missing.message, failure: missing });
  const given = (probe: Opened<EmbeddingProvider>['probe']) => [
    section(
      embedding(async () => openedEmbedding(EMBEDDING, { probe })),
      4,
    ),
    section(
      llm(async () => openedLlm()),
      7,
    ),
  ];
  const { context: use } = placeFor(context);
  const broken = await load(given(fails), use, LIMITS);
  const error = await thrownBy(verifyProviders(broken.providers, signal));
  assert.equal(error.code, 'CONFIG_INVALID');
  assert.match(error.message, /^config\.yaml:4:3: startup\.verify: providers\.embedding: \[PROVIDER_MODEL_MISSING\] /);
  assert.ok(!error.message.includes('llm'));
  const fine = await load(
    given(async () => ({ ok: true, detail: 'fine' })),
    use,
    LIMITS,
  );
  await verifyProviders(fine.providers, signal);
  assert.deepEqual(Object.keys(fine.capabilities), Object.keys(broken.capabilities));
});
