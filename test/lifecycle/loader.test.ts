import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { VaultgraphError } from '../../src/base/errors.ts';
import type { EmbeddingProvider } from '../../src/contracts/embedding.ts';
import type { LLMProvider } from '../../src/contracts/llm.ts';
import type { AnyProvider, Opened, Provider } from '../../src/contracts/provider.ts';
import { LOAD_LIMITS, type LoadContext, load } from '../../src/lifecycle/loader.ts';
import type { Section } from '../../src/lifecycle/provider-sections.ts';
import { openedEmbedding, placeFor } from './sample-providers.ts';

type OpenEmbedding = Provider<'embedding'>['open'];
type OpenLlm = Provider<'llm'>['open'];

const EMBEDDING: EmbeddingProvider = { model: 'e', embed: async (texts) => texts.map(() => Float32Array.of(1)) };
const LLM: LLMProvider = { model: 'l', generate: async (prompt) => `re: ${prompt}` };

const embedding = (open: OpenEmbedding): AnyProvider => ({
  capability: 'embedding',
  type: 'sample',
  config: z.unknown(),
  limits: () => ({ embed: 50 }),
  open,
});

const llm = (open: OpenLlm): AnyProvider => ({
  capability: 'llm',
  type: 'sample',
  config: z.unknown(),
  limits: () => ({ generate: 50 }),
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

test('opens every section and gives a frozen, guarded capability for each', async (context) => {
  const late: string[] = [];
  const use: LoadContext = { ...placeFor(context).context, onLate: (...given) => late.push(given.join('.')) };
  const slow = { ...EMBEDDING, embed: async () => pause(80, []) };
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
  assert.equal(await capabilities.llm?.generate('x', signal), 're: x');
  await assert.rejects(async () => capabilities.embedding?.embed([], signal), { code: 'PROVIDER_TIMEOUT' });
  await pause(60);
  assert.deepEqual(late, ['embedding.embed']);
});

test('sections open side by side and close in reverse order', async (context) => {
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
    { ...placeFor(context).context, onLate: () => undefined },
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
  await assert.rejects(load(given, { ...placeFor(context).context, onLate: () => undefined }, LIMITS), own);
  assert.deepEqual(closed, ['embedding']);
});

test('when several fail, all of them are told with the place that asks for them', async (context) => {
  const fail = (reason: string) => async () => {
    throw broken(reason);
  };
  const given = [section(embedding(fail('one')), 4), section(llm(fail('two')), 7)];
  const thrown = await load(given, { ...placeFor(context).context, onLate: () => undefined }, LIMITS).then(
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
  const use = { ...placeFor(context).context, onLate: () => undefined };
  await assert.rejects(load([section(llm(open), 1)], use, LIMITS), { code: 'PROVIDER_TIMEOUT' });
  assert.equal(await closed.promise, 'closed');
});

test('closing goes on past a failure and a hang, and reports both', async (context) => {
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
  const loaded = await load(given, { ...placeFor(context).context, onLate: () => undefined }, LIMITS);
  const failures = await loaded.close();
  assert.deepEqual(
    failures.map(({ capability, error }) => [capability, error.code]),
    [
      ['llm', 'STORE_UNAVAILABLE'],
      ['embedding', 'PROVIDER_TIMEOUT'],
    ],
  );
});

test('a probe that fails or hangs is a row, and the caller’s cancel is not', async (context) => {
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
  const { providers } = await load(given, { ...placeFor(context).context, onLate: () => undefined }, LIMITS);
  const [first, second] = await Promise.all(providers.map(({ probe }) => probe(signal)));
  assert.equal(first?.ok, false);
  assert.match(first?.detail ?? '', /did not answer within 50 ms/);
  assert.deepEqual(second, { ok: false, detail: 'StoreProvider failed: open: gone' });
  const reason = new VaultgraphError('CANCELLED', { committed: 'none' });
  await assert.rejects(async () => providers[0]?.probe(AbortSignal.abort(reason)), reason);
});

test('two providers of one capability are a fault of ours', async (context) => {
  const twice = [1, 2].map((line) =>
    section(
      llm(async () => openedLlm()),
      line,
    ),
  );
  await assert.rejects(load(twice, { ...placeFor(context).context, onLate: () => undefined }), { code: 'INTERNAL' });
});
