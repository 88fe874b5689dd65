// The OpenAI-compatible embedding provider with servers of each kind, working and failing.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SAMPLE_SENTENCES } from '../../../src/contracts/embedding.ts';
import { fingerprintDifferences } from '../../../src/contracts/fingerprint.ts';
import { assertEach } from '../../assert-each.ts';
import { assertSound, inputs, isSameVector, never, newCall, vectorOf } from '../../contracts/embedding/law.ts';
import { embeddingLaws } from '../../contracts/embedding.ts';
import type { Fault } from '../../fakes/http/exchange.ts';
import * as faults from '../../fakes/http/faults.ts';
import {
  cannotLoad,
  errorInside,
  loadingModel,
  noModelLoaded,
  says,
  signedBy,
  unsigned,
  vectors,
  withIndexes,
  withoutEmbeddings,
} from '../../fakes/openai/faults.ts';
import { FLAVOURS, type FlavourName, flatVllmError, plainNotFound } from '../../fakes/openai/flavours.ts';
import { startOpenai } from '../../fakes/openai-server.ts';
import { textVector } from '../../fakes/text-vector.ts';
import { until } from '../../until.ts';
import { detailsOf, failureOf, open, opened, type Section } from './under-test.ts';

const EMBEDDINGS = '/v1/embeddings';

for (const flavour of Object.keys(FLAVOURS) as FlavourName[])
  embeddingLaws(`the OpenAI-compatible provider with a ${flavour} server`, async () => {
    const server = await startOpenai({ flavour, scale: 7, shuffles: true });
    const { capability } = await open({ endpoint: server.endpoint });
    return {
      provider: capability,
      hang: () => server.fail(faults.hang()),
      fail: () => server.fail(says(flavour, 500, 'confidential words are too much for me')),
      heal: () => server.heal(),
      close: () => server.close(),
    };
  });

describe('the OpenAI-compatible provider', () => {
  it('requests float vectors with its key, prefixes and dimensions only', async (context) => {
    const section = {
      api_key: 'sk-secret',
      dimensions: 32,
      model: 'x',
      query_prefix: 'ask: ',
      headers: { 'x-org': 'me' },
    };
    const { server, provider } = await opened(context, { model: 'x', apiKey: 'sk-secret' }, section);
    assertSound(await vectorOf(provider, 'a question', 'query'), 32);
    const [{ headers, body, path }] = server.requests as [(typeof server.requests)[number]];
    assert.deepEqual(body, { model: 'x', input: ['ask: a question'], encoding_format: 'float', dimensions: 32 });
    assert.deepEqual([path, headers['x-org']], [EMBEDDINGS, 'me']);
  });

  it('identifies its model by the vectors of three sentences, requested each time', async (context) => {
    const { server, provider } = await opened(context);
    const identify = async () => ({ ...(await provider.identify(newCall(), never)), chunker: '1' });
    const before = await identify();
    assert.deepEqual([before.digest, before.samples.length, before.truncation], [null, 3, 'silent']);
    assert.deepEqual(
      server.requests[0]?.body.input,
      SAMPLE_SENTENCES.map((sentence) => `title: none | text: ${sentence}`),
    );
    server.change({ scale: 3 });
    assert.deepEqual(fingerprintDifferences(before, await identify()), []);
    server.change({ weights: 'others' });
    assert.deepEqual(fingerprintDifferences(before, await identify()), ['digest']);
    server.change({ dims: 32 });
    assert.deepEqual(fingerprintDifferences(before, await identify()), ['dims', 'digest']);
  });

  it('assumes a short context unless one is configured', async (context) => {
    const tokens = async (section: Section): Promise<number> =>
      (await opened(context, {}, section)).provider.contextTokens;
    assert.equal(await tokens({}), 512);
    assert.equal(await tokens({ model: 'all-minilm' }), 256);
    assert.equal(await tokens({ context: 8_192 }), 8_192);
  });

  it('does not report whether a model is loaded, and warms up with a fixed sentence', async (context) => {
    const { server, provider } = await opened(context);
    assert.equal(await provider.loaded(never), undefined);
    assert.equal(server.requests.length, 0);
    await provider.warmUp(never);
    assert.equal(server.requests[0]?.body.input.length, 1);
  });

  it('rejects an empty text before it is sent', async (context) => {
    const { server, provider } = await opened(context);
    assert.equal((await failureOf(provider, ['fine', ' \n'])).code, 'INTERNAL');
    assert.equal(server.requests.length, 0);
  });
});

describe('the OpenAI-compatible provider fails with one typed failure', () => {
  it('P1 no server listens', async (context) => {
    const { server, provider } = await opened(context);
    await server.refuse();
    const failure = await failureOf(provider);
    assert.deepEqual([failure.code, detailsOf(failure).cause_code], ['PROVIDER_UNAVAILABLE', 'ECONNREFUSED']);
    await server.reopen();
    await vectorOf(provider, 'again');
  });

  it('P2 closed at first, opened later, by name and by either address', async (context) => {
    for (const host of ['127.0.0.1', '::1'] as const) {
      const { server, provider } = await opened(context, { host });
      await server.refuse();
      assert.equal((await failureOf(provider)).code, 'PROVIDER_UNAVAILABLE');
      await server.reopen();
      await vectorOf(provider, 'opened');
    }
    const { server } = await opened(context);
    const { capability } = await open({ endpoint: `http://localhost:${server.port}/v1` });
    await vectorOf(capability, 'by name');
  });

  it('P3 reset, and a body that ends in mid-JSON', async (context) => {
    const { server, provider } = await opened(context);
    for (const [fault, cause] of [
      [faults.reset(), 'ECONNRESET'],
      [faults.cut(), 'ECONNRESET'],
    ] as const) {
      server.fail(fault, { times: 1 });
      const failure = await failureOf(provider);
      assert.deepEqual([failure.code, detailsOf(failure).cause_code], ['PROVIDER_UNAVAILABLE', cause]);
    }
    await vectorOf(provider, 'again');
  });

  it('P3 an unknown host, and a port without TLS', async (context) => {
    const { server } = await opened(context);
    const failing = async (endpoint: string): Promise<unknown> => {
      const failure = await failureOf((await open({ endpoint, allow_remote: true })).capability);
      assert.equal(failure.code, 'PROVIDER_UNAVAILABLE');
      return detailsOf(failure).cause_code;
    };
    assert.match(String(await failing('http://nobody.invalid/v1')), /^(?:ENOTFOUND|EAI_AGAIN)$/);
    assert.match(String(await failing(`https://127.0.0.1:${server.port}/v1`)), /SSL|EPROTO|ECONNRESET/);
  });

  it('P4 hang, stall and drip end with the signal, and the server sees its socket close', async (context) => {
    const { server, provider } = await opened(context);
    for (const [fault, phase] of [
      [faults.hang(), 'headers'],
      [faults.stall(), 'body'],
      [faults.drip(15), 'body'],
    ] as const) {
      server.fail(fault, { times: 1 });
      const call = newCall();
      const stop = new AbortController();
      const reason = new Error('the limit');
      const before = server.requests.length;
      const running = provider.embed(inputs('a'), 'query', call, stop.signal);
      await until(() => server.requests.length > before && call.trace.phase === phase, phase);
      stop.abort(reason);
      await assert.rejects(running, (thrown) => thrown === reason);
      assert.equal(call.trace.phase, phase);
      await server.untilEnded(EMBEDDINGS, server.requests.length);
      assert.equal(server.requests.at(-1)?.ended?.whole, false);
      await vectorOf(provider, 'again');
    }
  });

  const rows: readonly (readonly [title: string, fault: Fault, code: string, level: string])[] = [
    ['P5 200 with HTML', faults.html(200), 'PROVIDER_BAD_RESPONSE', 'call'],
    ['P5 200 with whole but broken JSON', faults.brokenJson(), 'PROVIDER_BAD_RESPONSE', 'call'],
    ['P5 502 with HTML', faults.html(502), 'PROVIDER_ERROR', 'call'],
    ['P6 503 of llama.cpp while it loads', loadingModel(), 'PROVIDER_BUSY', 'call'],
    ['P7 429 of TEI', says('tei', 429, 'Model is overloaded'), 'PROVIDER_RATE_LIMITED', 'call'],
    ['P8 500', says('vllm', 500, 'Internal Server Error'), 'PROVIDER_ERROR', 'call'],
    ['P8 500 with "not found" in its text', says('llama.cpp', 500, 'model tensor not found'), 'PROVIDER_ERROR', 'call'],
    ['P8 424 of TEI', says('tei', 424, 'inference failed'), 'PROVIDER_ERROR', 'call'],
    ['P9 404 without a word on models', faults.instead(plainNotFound()), 'PROVIDER_ENDPOINT_UNSUPPORTED', 'call'],
    ['P9 404 with an empty body', faults.empty(404), 'PROVIDER_ENDPOINT_UNSUPPORTED', 'call'],
    ['P9 405', faults.empty(405), 'PROVIDER_ENDPOINT_UNSUPPORTED', 'call'],
    ['P9 401', says('llama.cpp', 401, 'Invalid API Key'), 'PROVIDER_AUTH_FAILED', 'call'],
    ['P9 403 with an empty body', faults.empty(403), 'PROVIDER_AUTH_FAILED', 'call'],
    ['P9 no model loaded in LM Studio', noModelLoaded(), 'PROVIDER_MODEL_MISSING', 'call'],
    ['P11 a model that LM Studio cannot load to embed', cannotLoad(), 'PROVIDER_MODEL_MISSING', 'call'],
    ['P11 llama.cpp without --embeddings', withoutEmbeddings(), 'PROVIDER_MODEL_UNSUITABLE', 'call'],
    ['P13 one vector too few', vectors.oneTooFew(), 'PROVIDER_BAD_RESPONSE', 'call'],
    ['P13 no vectors', vectors.none(), 'PROVIDER_BAD_RESPONSE', 'call'],
    ['P13 one vector shorter', vectors.shorter(1), 'PROVIDER_BAD_RESPONSE', 'call'],
    ['P13 a vector without numbers', vectors.withoutNumbers(), 'PROVIDER_BAD_RESPONSE', 'call'],
    ['P13 a text for a number', vectors.text(), 'PROVIDER_BAD_RESPONSE', 'call'],
    ['P13 NaN as it is no JSON', vectors.nanLiteral(), 'PROVIDER_BAD_RESPONSE', 'call'],
    [
      'P15 too long for llama.cpp, a 500',
      faults.instead(FLAVOURS['llama.cpp'].tooLong(600, 512) ?? plainNotFound()),
      'PROVIDER_INPUT_TOO_LONG',
      'item',
    ],
    [
      'P15 too long for vLLM',
      faults.instead(FLAVOURS.vllm.tooLong(600, 512) ?? plainNotFound()),
      'PROVIDER_INPUT_TOO_LONG',
      'item',
    ],
    [
      'P15 too long for an older vLLM',
      faults.instead(flatVllmError(400, "This model's maximum context length is 512 tokens.")),
      'PROVIDER_INPUT_TOO_LONG',
      'item',
    ],
    ['P16 another 400', says('lm-studio', 400, 'cannot read this'), 'PROVIDER_REJECTED_INPUT', 'item'],
    ['P26 an error as text inside a 200', errorInside(), 'PROVIDER_BAD_RESPONSE', 'call'],
    ['P26 an error object inside a 200', errorInside({ message: 'crashed' }), 'PROVIDER_BAD_RESPONSE', 'call'],
    ['P26 an index twice', withIndexes(() => 0), 'PROVIDER_BAD_RESPONSE', 'call'],
    ['P26 an index beyond the texts', withIndexes((at) => at + 1), 'PROVIDER_BAD_RESPONSE', 'call'],
    ['P26 no index', withIndexes(() => undefined), 'PROVIDER_BAD_RESPONSE', 'call'],
  ];
  for (const [title, fault, code, level] of rows)
    it(title, async (context) => {
      const { server, provider } = await opened(context);
      server.fail(fault, { on: EMBEDDINGS, times: 1 });
      const failure = await failureOf(provider, ['one text', 'another text']);
      const { level: failed, attempts, endpoint } = detailsOf(failure);
      assert.deepEqual([failure.code, failed, attempts, endpoint], [code, level, 1, server.endpoint]);
      assert.equal(server.requestsTo(EMBEDDINGS).length, 1);
      await vectorOf(provider, 'the next call');
    });

  it('P7 passes on the time to wait, given as seconds, as a date, or not at all', async (context) => {
    const { server, provider } = await opened(context);
    const waits = async (retryAfter: string): Promise<number | undefined> => {
      server.fail(says('tei', 429, 'Model is overloaded', retryAfter), { times: 1 });
      return (await failureOf(provider)).retryAfterMs;
    };
    assert.equal(await waits('2'), 2_000);
    assert.equal(await waits('86400'), 86_400_000);
    const toDate = (await waits(new Date(Date.now() + 300_000).toUTCString())) ?? 0;
    assert.ok(toDate > 200_000 && toDate <= 300_000, `${toDate}`);
    assert.equal(await waits('soon'), 10_000);
  });

  it('P9 a missing model is reported with the installed ones', async (context) => {
    const { provider } = await opened(context, { flavour: 'vllm', model: 'served' });
    const failure = await failureOf(provider);
    assert.deepEqual([failure.code, detailsOf(failure).installed], ['PROVIDER_MODEL_MISSING', ['served']]);
  });

  it('P9 a missing model on a server without a list', async (context) => {
    const { server, provider } = await opened(context, { flavour: 'tei' });
    server.fail(says('vllm', 404, 'The model `embeddinggemma` does not exist.'), { times: 1 });
    const failure = await failureOf(provider);
    assert.deepEqual([failure.code, detailsOf(failure).installed], ['PROVIDER_MODEL_MISSING', []]);
  });

  it('P9 a redirect is not followed: the text is not posted again', async (context) => {
    const elsewhere = await startOpenai();
    context.after(() => elsewhere.close());
    const { server, provider } = await opened(context);
    server.fail(faults.redirect(`${elsewhere.endpoint}/embeddings`), { times: 1 });
    assert.equal((await failureOf(provider)).code, 'PROVIDER_ENDPOINT_UNSUPPORTED');
    assert.equal(elsewhere.requests.length, 0);
  });

  it('P9 P14 neither key nor text is in any failure, whatever the server repeats', async (context) => {
    const { server, provider } = await opened(context, {}, { api_key: 'sk-very-secret' });
    for (const status of [400, 401, 403, 404, 422, 500, 503])
      for (const repeated of ['Bearer sk-very-secret', 'diary of the third of May']) {
        server.fail(says('llama.cpp', status, `cannot use ${repeated} here`), { times: 1 });
        const failure = await failureOf(provider, ['diary of the third of May, and more']);
        const shown = JSON.stringify([failure.message, failure.hint, failure.details, failure.actions]);
        assert.doesNotMatch(shown, /very-secret|diary/);
      }
  });

  it('P13 a single bad vector fails alone', async (context) => {
    for (const fault of [vectors.nanAsNull(1), vectors.infinite(1), vectors.zero(1)]) {
      const { server, provider } = await opened(context);
      server.fail(fault, { times: 1 });
      const { succeeded, failed } = await provider.embed(inputs('a', 'b', 'c'), 'document', newCall(), never);
      assertEach(succeeded, ({ id }) => id, ['text 0', 'text 2']);
      assert.deepEqual(
        failed.map(({ id, error }) => [id, error.code, detailsOf(error).level]),
        [['text 1', 'PROVIDER_BAD_RESPONSE', 'item']],
      );
    }
  });

  it('P13 vectors whose length differs from its identity', async (context) => {
    const { server, provider } = await opened(context);
    await provider.identify(newCall(), never);
    server.change({ dims: 32 });
    assert.equal((await failureOf(provider)).code, 'PROVIDER_BAD_RESPONSE');
    assert.equal((await provider.identify(newCall(), never)).dims, 32);
    assertSound(await vectorOf(provider, 'again'), 32);
  });

  it('P13 unusable vectors give no identity', async (context) => {
    const { server, provider } = await opened(context);
    server.fail(vectors.zero('every'), { times: 1 });
    await assert.rejects(provider.identify(newCall(), never), { code: 'PROVIDER_BAD_RESPONSE' });
    await provider.identify(newCall(), never);
  });

  it('P13 dimensions that the server ignores or refuses', async (context) => {
    const unchanged = await opened(context, { isMatryoshka: false }, { model: 'x', dimensions: 32 });
    const failure = await failureOf(unchanged.provider);
    assert.deepEqual([failure.code, detailsOf(failure).dims], ['PROVIDER_MODEL_UNSUITABLE', 64]);
    const refusing = await opened(
      context,
      { flavour: 'vllm', model: 'x', isMatryoshka: false },
      { model: 'x', dimensions: 32 },
    );
    assert.equal((await failureOf(refusing.provider)).code, 'PROVIDER_MODEL_UNSUITABLE');
  });

  it('P26 vectors in any order are sorted like the texts', async (context) => {
    const { provider } = await opened(context, { shuffles: true, model: 'x' }, { model: 'x' });
    const texts = ['lighthouse', 'garden', 'numbers', 'bread', 'mountain'];
    const { succeeded } = await provider.embed(inputs(...texts), 'document', newCall(), never);
    for (const [at, { result }] of succeeded.entries()) assert.ok(isSameVector(result, textVector(texts[at] ?? '')));
  });

  it('P26 vectors and samples of another model are refused', async (context) => {
    const { provider } = await opened(context, { flavour: 'lm-studio', model: 'text-embedding-nomic-embed-text-v1.5' });
    const failure = await failureOf(provider);
    assert.equal(failure.code, 'EMBEDDER_MISMATCH');
    assert.deepEqual(failure.details, {
      index: { model: 'embeddinggemma' },
      provider: { model: 'text-embedding-nomic-embed-text-v1.5' },
      differs: ['model'],
    });
    await assert.rejects(provider.identify(newCall(), never), { code: 'EMBEDDER_MISMATCH' });
    await assert.rejects(provider.warmUp(never), { code: 'EMBEDDER_MISMATCH' });
  });

  it('P26 the same model under another name, or without a name, is accepted', async (context) => {
    const { server, provider } = await opened(context);
    for (const fault of [signedBy('google/EmbeddingGemma-Q8_0.gguf'), signedBy(''), unsigned()]) {
      server.fail(fault, { times: 1 });
      await vectorOf(provider, 'signed otherwise');
    }
  });
});

describe('the probe of an OpenAI-compatible server', () => {
  const levels = async (opening: Awaited<ReturnType<typeof opened>>) => {
    const { ok, levels: found = [] } = await opening.opened.probe(never);
    return [ok, ...found.map((level) => [level.level, level.ok])];
  };
  const GOOD = [true, ['reachable', true], ['model', true], ['answers', true]];

  it('passes with every kind of server', async (context) => {
    for (const flavour of Object.keys(FLAVOURS) as FlavourName[])
      assert.deepEqual(await levels(await opened(context, { flavour })), GOOD);
  });

  it('says which level fails', async (context) => {
    const away = await opened(context);
    await away.server.refuse();
    assert.deepEqual(await levels(away), [false, ['reachable', false]]);
    const keyless = await opened(context, { apiKey: 'sk-1' });
    assert.deepEqual(await levels(keyless), [false, ['reachable', false]]);
    const missing = await opened(context, { flavour: 'vllm', model: 'served' });
    assert.deepEqual(await levels(missing), [false, ['reachable', true], ['model', true], ['answers', false]]);
    const { levels: found } = await missing.opened.probe(never);
    assert.match(found?.[1]?.detail ?? '', /not among the 1 models listed/);
  });
});
