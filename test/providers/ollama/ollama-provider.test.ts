// The Ollama embedding provider over real HTTP: the contract, and what is special to Ollama.
import assert from 'node:assert/strict';
import { lookup } from 'node:dns/promises';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { dotProduct } from '../../../src/contracts/fingerprint.ts';
import { ollamaEmbeddingProvider } from '../../../src/providers/ollama/ollama-providers.ts';
import { inputs, never, newCall, vectorOf, vectorsOf } from '../../contracts/embedding/law.ts';
import { embeddingLaws } from '../../contracts/embedding.ts';
import { changed, faultsOf } from '../../fakes/http/faults.ts';
import { loadFailed } from '../../fakes/ollama/faults.ts';
import { DIGEST_1, DIGEST_2 } from '../../fakes/ollama/model.ts';
import { startOllama } from '../../fakes/ollama-server.ts';
import { until } from '../../until.ts';
import { failsWith, openOllama, sentTexts, startAndOpen } from './ollama-under-test.ts';

for (const model of ['embeddinggemma', 'hashed-words'])
  embeddingLaws(`the ollama provider with ${model}`, async () => {
    const server = await startOllama({ models: [{ name: model }] });
    const { capability: provider, close } = await openOllama(server.origin, { model });
    return {
      provider,
      ...faultsOf(server, loadFailed(), close),
    };
  });

describe('the Ollama section for embeddings', () => {
  const { config } = ollamaEmbeddingProvider;
  const pathsOf = (some: object): string[] =>
    config.safeParse({ model: 'embeddinggemma', ...some }).error?.issues.map(({ path }) => path.join('.')) ?? [];

  it('needs only a model', () => {
    assert.deepEqual(config.parse({ model: 'embeddinggemma' }), {
      model: 'embeddinggemma',
      endpoint: 'http://127.0.0.1:11434',
      timeout: 30_000,
      load_timeout: 120_000,
      allow_remote: false,
      headers: {},
      failover: [],
      auto_pull: 'never',
    });
    assert.deepEqual(pathsOf({ auto_pull: 'always' }), ['auto_pull']);
    assert.deepEqual(pathsOf({ api_key: 'x' }), ['']);
  });

  it('P12 rejects cloud models and endpoints off this machine unless that is allowed', () => {
    for (const model of ['gpt-oss:cloud', 'gpt-oss:120b-cloud', 'GPT-OSS:Cloud', 'someone/x:cloud']) {
      assert.deepEqual(pathsOf({ model }), ['model'], model);
      assert.deepEqual(pathsOf({ model, allow_remote: true }), []);
    }
    for (const model of ['cloud', 'cloud:latest', 'my-cloud', 'x:cloudy', 'cloud/x:1b'])
      assert.deepEqual(pathsOf({ model }), []);
    assert.deepEqual(pathsOf({ endpoint: 'http://10.0.0.5:11434', model: 'x:cloud' }), ['endpoint', 'model']);
  });

  it('sets the limits, and is repeated for each endpoint', () => {
    const given = config.parse({ model: 'x', timeout: 5, load_timeout: 7, failover: ['http://[::1]:1'] });
    assert.deepEqual(ollamaEmbeddingProvider.limits(given), { identify: 5, embed: 5, loaded: 1_500, warmUp: 7 });
    assert.deepEqual(
      ollamaEmbeddingProvider.endpoints?.(given).map(({ endpoint, model }) => [endpoint, model]),
      [
        ['http://127.0.0.1:11434', 'x'],
        ['http://[::1]:1', 'x'],
      ],
    );
  });
});

describe('opening', () => {
  it('uses no network, and a server that starts later works without reopening', async (test) => {
    const server = await startOllama();
    test.after(() => server.close());
    await server.refuse();
    const { capability, probe } = await openOllama(server.origin);
    await failsWith(capability.identify(newCall(), never), 'PROVIDER_UNAVAILABLE', { cause_code: 'ECONNREFUSED' });
    assert.equal((await probe(never)).ok, false);
    await server.reopen();
    await capability.identify(newCall(), never);
    await vectorOf(capability, 'a text');
  });

  it('P2 localhost is found where only ::1 listens', async (test) => {
    const addresses = await lookup('localhost', { all: true });
    if (!addresses.some(({ address }) => address === '::1')) return test.skip('this machine has no ::1 for localhost');
    const server = await startOllama({ host: '::1' });
    test.after(() => server.close());
    const { capability } = await openOllama(`http://localhost:${server.port}`);
    const call = newCall();
    await capability.identify(call, never);
    assert.equal(call.trace.servedBy, `ollama@localhost:${server.port}`);
  });
});

describe('its identity', () => {
  it("is the model's current digest, its vector length and its prefixes", async (test) => {
    const { server, provider } = await startAndOpen(test);
    const identity = {
      provider: 'ollama',
      model: 'embeddinggemma',
      digest: DIGEST_1,
      samples: [],
      dims: 64,
      queryPrefix: 'task: search result | query: ',
      documentPrefix: 'title: {title} | text: ',
      truncation: 'refused',
    };
    assert.deepEqual(await provider.identify(newCall(), never), identity);
    server.change('embeddinggemma', { digest: DIGEST_2, dims: 32 });
    assert.deepEqual(await provider.identify(newCall(), never), { ...identity, digest: DIGEST_2, dims: 32 });
  });

  it('is requested each time, but the details of a digest only once', async (test) => {
    const { server, provider } = await startAndOpen(test);
    for (let time = 0; time < 3; time += 1) await provider.identify(newCall(), never);
    assert.equal(server.requestsTo('/api/tags').length, 3);
    assert.equal(server.requestsTo('/api/show').length, 1);
    assert.deepEqual(sentTexts(server), []);
  });

  it("matches the model's name with or without the default tag and library", async (test) => {
    const { server } = await startAndOpen(test, {}, { models: [{ name: 'embeddinggemma' }, { name: 'bge-m3:567m' }] });
    const model = async (name: string): Promise<string> => {
      const { capability } = await openOllama(server.origin, { model: name });
      return (await capability.identify(newCall(), never)).model;
    };
    for (const name of ['embeddinggemma', 'EmbeddingGemma', 'embeddinggemma:latest', 'bge-m3:567m'])
      assert.equal(await model(name), name);
    for (const name of ['bge-m3', 'embeddinggemma:300m', 'someone/embeddinggemma', 'embedding'])
      await failsWith(model(name), 'PROVIDER_MODEL_MISSING');
  });

  it('P11 a model that cannot embed is unsuitable, before any text is sent', async (test) => {
    const { server, provider } = await startAndOpen(test, {}, { models: [{ capabilities: ['completion', 'tools'] }] });
    const reported = { capabilities: ['completion', 'tools'], level: 'call' };
    await failsWith(provider.identify(newCall(), never), 'PROVIDER_MODEL_UNSUITABLE', reported);
    await failsWith(
      provider.embed(inputs('a secret'), 'query', newCall(), never),
      'PROVIDER_MODEL_UNSUITABLE',
      reported,
    );
    assert.deepEqual(sentTexts(server), []);
    server.install({});
    await vectorOf(provider, 'a text');
  });

  it('accepts a model whose server reports no capabilities, or no length that its family has', async (test) => {
    const { server, provider } = await startAndOpen(test);
    const bare = changed(({ capabilities, model_info, ...rest }) => rest);
    server.fail(bare, { on: '/api/show' });
    assert.equal((await provider.identify(newCall(), never)).dims, 768);
    const { capability: unknown } = await openOllama(server.origin, { model: 'hashed-words' });
    server.install({ name: 'hashed-words' });
    await failsWith(unknown.identify(newCall(), never), 'PROVIDER_MODEL_UNSUITABLE');
    const { capability: reported } = await openOllama(server.origin, { model: 'hashed-words', dimensions: 64 });
    assert.equal((await reported.identify(newCall(), never)).dims, 64);
  });

  it('P5 a list or a description in another shape is a bad response', async (test) => {
    const { server, provider } = await startAndOpen(test);
    for (const [on, change] of [
      ['/api/tags', () => ({})],
      ['/api/tags', () => []],
      ['/api/tags', () => ({ models: [{ name: 'embeddinggemma:latest' }] })],
      ['/api/show', () => ({ capabilities: 'embedding' })],
    ] as const) {
      server.fail(changed(change), { on, times: 1 });
      await failsWith(provider.identify(newCall(), never), 'PROVIDER_BAD_RESPONSE');
    }
    server.fail(
      changed(() => ({ models: null })),
      { on: '/api/tags', times: 1 },
    );
    await failsWith(provider.identify(newCall(), never), 'PROVIDER_MODEL_MISSING', { installed: [] });
    await provider.identify(newCall(), never);
  });

  it('P9 a missing model is reported with up to ten installed ones', async (test) => {
    const names = Array.from({ length: 12 }, (_, at) => `model-${at}:latest`);
    const models = names.map((name) => ({ name }));
    const { server, provider } = await startAndOpen(test, { auto_pull: 'once' }, { models });
    const reported = { installed: names.slice(0, 10), auto_pull: 'once' };
    await failsWith(provider.identify(newCall(), never), 'PROVIDER_MODEL_MISSING', reported);
    await failsWith(provider.warmUp(never), 'PROVIDER_MODEL_MISSING', reported);
    await failsWith(provider.embed(inputs('a secret'), 'query', newCall(), never), 'PROVIDER_MODEL_MISSING', reported);
    assert.deepEqual(sentTexts(server), []);
    assert.equal(server.requestsTo('/api/pull').length, 0);
    server.install({});
    await vectorOf(provider, 'a text');
  });
});

describe('P12 a model that runs elsewhere', () => {
  for (const [title, remote, host] of [
    ['with a host', { remoteHost: 'https://models.example.test:443' }, 'https://models.example.test:443'],
    ['with another name only', { remoteModel: 'gpt-oss:120b' }, 'another machine'],
  ] as const)
    it(`${title} is refused before any text is sent`, async (test) => {
      const { server, provider } = await startAndOpen(test, {}, { models: [{ ...remote }] });
      const reported = { host, model: 'embeddinggemma', capability: 'embedding', endpoint: server.origin };
      await failsWith(provider.embed(inputs('a secret'), 'query', newCall(), never), 'EGRESS_BLOCKED', reported);
      await failsWith(provider.identify(newCall(), never), 'EGRESS_BLOCKED', reported);
      await failsWith(provider.warmUp(never), 'EGRESS_BLOCKED', reported);
      assert.equal(server.requestsTo('/api/embed').length, 0);
    });

  it('is detected from its description alone', async (test) => {
    const { server, provider } = await startAndOpen(test);
    server.fail(
      changed((shown) => ({ ...shown, remote_host: 'https://models.example.test' })),
      { on: '/api/show' },
    );
    await failsWith(provider.embed(inputs('a secret'), 'document', newCall(), never), 'EGRESS_BLOCKED');
    assert.deepEqual(sentTexts(server), []);
  });

  it('is detected later, under a digest that was local before', async (test) => {
    const { server, provider } = await startAndOpen(test);
    await vectorOf(provider, 'while it is here');
    server.change('embeddinggemma', { remoteHost: 'https://models.example.test' });
    await failsWith(provider.identify(newCall(), never), 'EGRESS_BLOCKED');
    await failsWith(provider.embed(inputs('a secret'), 'query', newCall(), never), 'EGRESS_BLOCKED');
    assert.deepEqual(sentTexts(server).length, 1);
  });

  it('is detected by a later call within seconds', async (test) => {
    const { server, provider } = await startAndOpen(test);
    await vectorOf(provider, 'while it is here');
    server.change('embeddinggemma', { remoteHost: 'https://models.example.test' });
    await sleep(2_100);
    await failsWith(provider.embed(inputs('a secret'), 'query', newCall(), never), 'EGRESS_BLOCKED');
    assert.equal(sentTexts(server).length, 1);
  });

  it('is used if the config allows it', async (test) => {
    const models = [{ remoteHost: 'https://models.example.test' }];
    const { provider } = await startAndOpen(test, { allow_remote: true }, { models });
    await vectorOf(provider, 'no secret');
  });
});

describe('embedding', () => {
  it('P15 forbids truncation, and sends the prefixes and the same settings each time', async (test) => {
    const { server, provider } = await startAndOpen(test);
    await provider.embed([{ id: '1', text: 'tides', title: 'Harbour' }], 'document', newCall(), never);
    await provider.embed(inputs('tides'), 'query', newCall(), never);
    await provider.warmUp(never);
    const same = { model: 'embeddinggemma', truncate: false };
    assert.deepEqual(
      server.requestsTo('/api/embed').map(({ body }) => body),
      [
        { ...same, input: ['title: Harbour | text: tides'] },
        { ...same, input: ['task: search result | query: tides'] },
        { ...same, input: [] },
      ],
    );
  });

  it('requests fewer dimensions only if configured, and returns them at unit length', async (test) => {
    const section = { model: 'hashed-words', dimensions: 16 };
    const { server, provider } = await startAndOpen(test, section, { models: [{ name: 'hashed-words' }] });
    assert.equal((await provider.identify(newCall(), never)).dims, 16);
    const vector = await vectorOf(provider, 'a few words');
    assert.equal(vector.length, 16);
    assert.ok(Math.abs(dotProduct(vector, vector) - 1) < 1e-5);
    assert.equal(server.requestsTo('/api/embed')[0]?.body.dimensions, 16);
  });

  it('P11 a model with fewer dimensions than the config asks for is unsuitable', async (test) => {
    const section = { model: 'hashed-words', dimensions: 100 };
    const { provider } = await startAndOpen(test, section, { models: [{ name: 'hashed-words' }] });
    await failsWith(provider.identify(newCall(), never), 'PROVIDER_MODEL_UNSUITABLE', { dims: 64 });
    await failsWith(provider.embed(inputs('a'), 'query', newCall(), never), 'PROVIDER_MODEL_UNSUITABLE', { dims: 64 });
  });

  it('checks the model before the first text, not before each', async (test) => {
    const { server, provider } = await startAndOpen(test);
    for (let time = 0; time < 4; time += 1) await vectorsOf(provider, inputs('one', 'two'));
    assert.equal(server.requestsTo('/api/tags').length, 1);
    assert.equal(server.requestsTo('/api/embed').length, 4);
  });

  it('checks the model again after a failure, because the server may be another one', async (test) => {
    const { server, provider } = await startAndOpen(test);
    await vectorOf(provider, 'a text');
    server.fail(loadFailed(), { on: '/api/embed', times: 1 });
    await failsWith(provider.embed(inputs('a'), 'query', newCall(), never), 'PROVIDER_ERROR');
    server.change('embeddinggemma', { digest: DIGEST_2, remoteHost: 'https://models.example.test' });
    await failsWith(provider.embed(inputs('a secret'), 'query', newCall(), never), 'EGRESS_BLOCKED');
    assert.doesNotMatch(sentTexts(server).join(' '), /secret/);
  });

  it('rejects an empty text', async (test) => {
    const { server, provider } = await startAndOpen(test);
    await failsWith(provider.embed(inputs('a', ' \n'), 'document', newCall(), never), 'INTERNAL');
    assert.equal(server.requests.length, 0);
  });

  it('sends the configured headers with each request, and never shows them', async (test) => {
    const headers = { authorization: 'Bearer sk-0123456789', 'x-team': 'harbour' };
    const { server, opened, provider } = await startAndOpen(test, { headers });
    await vectorOf(provider, 'a text');
    await provider.loaded(never);
    for (const { headers: sent } of server.requests)
      assert.deepEqual([sent.authorization, sent['x-team']], ['Bearer sk-0123456789', 'harbour']);
    assert.doesNotMatch(JSON.stringify([opened, provider, await opened.probe(never)]), /sk-0123|harbour/);
  });

  it('counts one attempt for each call, even with several requests', async (test) => {
    const { provider } = await startAndOpen(test);
    const call = newCall();
    await provider.embed(inputs('a text'), 'query', call, never);
    assert.equal(call.trace.attempts, 1);
    await provider.identify(call, never);
    assert.equal(call.trace.attempts, 2);
  });
});

describe('a model for more than text', () => {
  it('is used for text, and the probe says so', async (test) => {
    const models = [{ name: 'embeddinggemma-2', capabilities: ['vision', 'embedding', 'audio'] }];
    const { opened, provider } = await startAndOpen(test, { model: 'embeddinggemma-2' }, { models });
    await vectorOf(provider, 'a text');
    const { ok, levels } = await opened.probe(never);
    assert.equal(ok, true);
    assert.match(levels?.[1]?.detail ?? '', /; it also reads images and audio, and is used for text only$/);
  });
});

describe('memory', { timeout: 120_000 }, () => {
  it('P23 reports whether the model is loaded, and loads it without a text', async (test) => {
    const { server, provider } = await startAndOpen(test, {}, { models: [{ loadMs: 150 }, { name: 'other' }] });
    assert.equal(await provider.loaded(never), false);
    await provider.warmUp(never);
    assert.equal(await provider.loaded(never), true);
    assert.deepEqual(sentTexts(server), []);
    server.model('embeddinggemma').unload();
    assert.equal(await provider.loaded(never), false);
  });

  it('P23 a warm-up that is aborted ends the load', async (test) => {
    const { server, provider } = await startAndOpen(test, {}, { models: [{ loadMs: 60_000 }] });
    const reason = new Error('enough');
    const stop = new AbortController();
    const warming = provider.warmUp(stop.signal);
    await until(() => server.model('embeddinggemma').isLoading(), 'the model is loading');
    stop.abort(reason);
    await assert.rejects(warming, (thrown) => thrown === reason);
    await server.untilEnded('/api/embed', 1);
    await until(() => !server.model('embeddinggemma').isLoading(), 'the load ends');
    assert.equal(server.model('embeddinggemma').isLoaded(), false);
  });
});

describe('the probe', () => {
  it('reports server, model and answer, and does not load the model', async (test) => {
    const { server, opened, provider } = await startAndOpen(test);
    const cold = await opened.probe(never);
    assert.deepEqual(
      cold.levels?.map(({ level, ok }) => [level, ok]),
      [
        ['reachable', true],
        ['model', true],
        ['answers', 'unknown'],
      ],
    );
    assert.equal(server.requestsTo('/api/embed').length, 0);
    await provider.warmUp(never);
    const warm = await opened.probe(never);
    assert.ok(warm.ok && warm.levels?.every(({ ok }) => ok === true));
    assert.match(
      warm.detail,
      /^Ollama 0\.33\.0 answers at http:\/\/127\.0\.0\.1:\d+, embeddinggemma is installed \(111111111111, 64 dimensions\), embeds into 64 dimensions$/,
    );
  });

  it('stops at the first failure: no server, no model, no vectors', async (test) => {
    const { server, opened, provider } = await startAndOpen(test);
    const failing = async (): Promise<(string | undefined)[]> => {
      const { ok, detail, levels } = await opened.probe(never);
      assert.equal(ok, false);
      const last = levels?.at(-1);
      assert.deepEqual([last?.ok, last?.detail], [false, detail]);
      return [last?.level, detail];
    };
    await provider.warmUp(never);
    server.fail(
      changed(({ embeddings, ...rest }) => ({ ...rest, embeddings: embeddings.map(() => [1, 0]) })),
      { on: '/api/embed' },
    );
    assert.equal((await failing())[0], 'answers');
    server.remove('embeddinggemma');
    assert.match((await failing()).join(' '), /^model .*model not found/);
    await server.refuse();
    assert.match((await failing()).join(' '), /^reachable .*(?:is it running\?|connection reset)/);
  });
});
