// The OpenAI-compatible language-model provider over real HTTP: the contract, and what is special to it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { openaiLlmProvider } from '../../../src/providers/openai-compatible/openai-providers.ts';
import { endsWithAbort, failsAlone, failureOf, HARBOUR, never, newCall, request } from '../../contracts/llm/law.ts';
import { llmLaws } from '../../contracts/llm.ts';
import { type Fault, jsonAnswer } from '../../fakes/http/exchange.ts';
import { call, type FailureCase, HTTP_FAILURES, item } from '../../fakes/http/failure-cases.ts';
import { cut, faultsOf, hang, instead, redirect } from '../../fakes/http/faults.ts';
import { byteByByte, cutAfter, stallAfter } from '../../fakes/http/stream-faults.ts';
import * as chat from '../../fakes/openai/chat-faults.ts';
import { errorInside, loadingModel, noModelLoaded, says } from '../../fakes/openai/faults.ts';
import { startOpenai } from '../../fakes/openai-server.ts';
import { CHAT, healthy, MODEL, open, opened } from './llm-under-test.ts';

for (const flavour of ['llama.cpp', 'vllm', 'lm-studio', 'ollama'] as const)
  llmLaws(`the openai-compatible provider with ${flavour}`, async () => {
    const server = await startOpenai({ flavour, model: MODEL, contextTokens: 8_192 });
    const { capability: provider, close } = await open({ endpoint: server.endpoint });
    return {
      provider,
      writes: server.writes,
      cutsShort: () => server.fail(chat.endedBy('length'), { on: CHAT }),
      ...faultsOf(server, says(flavour, 500, 'out of memory'), close),
    };
  });

describe('the OpenAI-compatible section for a language model', () => {
  const { config } = openaiLlmProvider;
  const usual = { model: MODEL, endpoint: 'http://127.0.0.1:1234/v1/' };
  const pathsOf = (some: object): string[] =>
    config.safeParse({ ...usual, ...some }).error?.issues.map(({ path }) => path.join('.')) ?? [];

  it('needs only a model and an endpoint', () => {
    assert.deepEqual(config.parse(usual), {
      model: MODEL,
      endpoint: 'http://127.0.0.1:1234/v1',
      timeout: 60_000,
      load_timeout: 120_000,
      allow_remote: false,
      headers: {},
      context: 8_192,
    });
    assert.deepEqual(openaiLlmProvider.limits(config.parse(usual)), {
      ...{ identify: 60_000, generate: 60_000, loaded: 'bounded', warmUp: 180_000 },
    });
  });

  it('P12 rejects a remote endpoint, failover, auto_pull and two keys', () => {
    assert.deepEqual(pathsOf({ endpoint: 'https://api.example.test/v1' }), ['endpoint']);
    assert.deepEqual(pathsOf({ endpoint: 'https://api.example.test/v1', allow_remote: true }), []);
    assert.deepEqual(pathsOf({ failover: [] }), ['']);
    assert.deepEqual(pathsOf({ auto_pull: 'once' }), ['']);
    assert.deepEqual(pathsOf({ api_key: 'k', headers: { Authorization: 'x' } }), ['headers']);
  });
});

describe('what is sent', () => {
  it('has a strict schema, streaming, and the same settings each time', async (test) => {
    const { server, provider } = await opened(test, { apiKey: 'sk-1' }, { api_key: 'sk-1' });
    const answer = await provider.generate(request(), newCall(), never);
    assert.deepEqual(answer.value, HARBOUR);
    assert.ok((answer.promptTokens ?? 0) > 0 && (answer.answerTokens ?? 0) > 0);
    const [sent] = server.requestsTo(CHAT);
    assert.equal(sent?.headers.authorization, 'Bearer sk-1');
    const { response_format, ...rest } = sent?.body ?? {};
    assert.deepEqual(rest, {
      ...{ model: MODEL, temperature: 0, seed: 7, stream: true, stream_options: { include_usage: true } },
      messages: [
        { role: 'system', content: request().instructions },
        { role: 'user', content: request().prompt },
      ],
      max_tokens: 200,
    });
    const { type, json_schema } = response_format;
    assert.deepEqual([type, json_schema.name, json_schema.strict], ['json_schema', 'answer', true]);
    assert.deepEqual(json_schema.schema.required, ['summary', 'tags', 'score']);
    assert.equal(json_schema.schema.additionalProperties, false);
  });

  it('warms up and identifies without any text of a note', async (test) => {
    const { server, provider } = await opened(test);
    await provider.warmUp(never);
    const identity = { provider: 'openai-compatible', model: MODEL, digest: null };
    assert.deepEqual(await provider.identify(newCall(), never), identity);
    assert.deepEqual(
      server.requests.map(({ method, path, body }) => [
        method,
        path,
        /^(?:Hello|[\da-f-]{36} (?:the ){8192})$/.exec(body?.messages[0].content)?.length,
      ]),
      [
        ['POST', CHAT, 1],
        ['POST', CHAT, 1],
        ['GET', '/v1/models', undefined],
      ],
    );
  });
});

const BAD = 'PROVIDER_BAD_RESPONSE';
const CASES: readonly FailureCase[] = [
  ...HTTP_FAILURES,
  { title: 'P3 cut in an event', fault: cut(), code: 'PROVIDER_UNAVAILABLE', details: call },
  { title: 'P3 cut between events', fault: cutAfter(3), code: 'PROVIDER_UNAVAILABLE', details: call },
  { title: 'P5 a broken event', fault: chat.brokenEvent(), code: BAD, details: call },
  { title: 'P5 another shape', fault: instead(jsonAnswer(200, { choices: 'none' })), code: BAD, details: call },
  { title: 'P6 503, loading', fault: loadingModel(), code: 'PROVIDER_BUSY', details: call },
  { title: 'P7 429', fault: says('vllm', 429, 'slow down', '2'), code: 'PROVIDER_RATE_LIMITED', details: call },
  { title: 'P8 500', fault: says('llama.cpp', 500, 'oops, not found'), code: 'PROVIDER_ERROR', details: call },
  {
    title: 'P8 an error event',
    fault: chat.errorAfter(2, { message: 'the engine died' }),
    code: 'PROVIDER_ERROR',
    details: { ...call, said: 'the engine died' },
  },
  {
    title: 'P8 an error line',
    fault: chat.errorAfter(2, { code: 500, message: 'slot gone' }, 'error'),
    code: 'PROVIDER_ERROR',
    details: { ...call, said: 'slot gone' },
  },
  {
    title: 'P9 404 model',
    fault: says('vllm', 404, 'The model `x` does not exist.'),
    code: 'PROVIDER_MODEL_MISSING',
    details: { ...call, installed: [MODEL] },
  },
  { title: 'P9 no model loaded', fault: noModelLoaded(), code: 'PROVIDER_MODEL_MISSING', details: call },
  {
    title: 'P9 plain 404',
    fault: says('llama.cpp', 404, 'File Not Found'),
    code: 'PROVIDER_ENDPOINT_UNSUPPORTED',
    details: { path: CHAT },
  },
  { title: 'P9 401', fault: says('llama.cpp', 401, 'Invalid API Key'), code: 'PROVIDER_AUTH_FAILED', details: call },
  {
    title: 'P11 cannot chat',
    fault: says('vllm', 400, 'The model does not support Chat Completions API'),
    code: 'PROVIDER_MODEL_UNSUITABLE',
    details: call,
  },
  {
    title: 'P15 too long',
    fault: says('vllm', 400, "This model's maximum context length is 10 tokens."),
    code: 'PROVIDER_INPUT_TOO_LONG',
    details: item,
  },
  {
    title: 'P24 cut at its length',
    fault: chat.endedBy('length'),
    code: BAD,
    details: { ...item, received: 'one cut at 200 tokens' },
  },
  {
    title: 'P24 filtered',
    fault: chat.endedBy('content_filter'),
    code: BAD,
    details: { ...item, received: 'one ended by content_filter' },
  },
  { title: 'P24 a tool called', fault: chat.endedBy('tool_calls'), code: BAD, details: item },
  {
    title: 'P24 no end',
    fault: chat.withoutEnd(),
    code: BAD,
    details: { ...item, received: 'one that stops without a finish reason' },
  },
  {
    title: 'P24 a refusal',
    fault: chat.refusal('I will not read this secret.'),
    code: BAD,
    details: { ...item, received: 'a refusal' },
  },
  { title: 'P24 no events', fault: chat.noEvents(), code: BAD, details: call },
  {
    title: 'P24 more tokens than fit',
    fault: chat.counting({ prompt_tokens: 8_190, completion_tokens: 5 }),
    code: 'PROVIDER_INPUT_TOO_LONG',
    details: { ...item, tokens: 8_190 },
  },
  { title: 'P26 an error in a 200', fault: errorInside(), code: BAD, details: call },
  {
    title: 'P26 another model answers',
    fault: chat.signedBy('gemma-2-2b'),
    code: BAD,
    details: { ...call, received: 'one of gemma-2-2b' },
  },
];

describe('a request that fails', () => {
  for (const { title, fault, code, details = {} } of CASES)
    it(`${title}: ${code}, and the next one is answered`, async (test) => {
      const { server, provider } = await opened(test);
      server.fail(fault, { on: CHAT });
      const prompt = '<text>the first secret of the harbour</text>';
      const failure = await failureOf(provider.generate(request({ prompt }), newCall(), never));
      assert.equal(failure.code, code, failure.message);
      const reported = { capability: 'llm', attempts: 1, provider: 'openai-compatible', model: MODEL, ...details };
      assert.partialDeepStrictEqual(failure.details, { ...reported, endpoint: server.endpoint });
      assert.doesNotMatch(JSON.stringify([failure.message, failure.hint, failure.details]), /secret|quiet/);
      assert.equal(server.requestsTo(CHAT).length, 1);
      server.heal();
      assert.deepEqual((await provider.generate(request(), newCall(), never)).value, HARBOUR);
    });

  it('P9 a redirect is not followed, and no failure contains a key', async (test) => {
    const { server, provider } = await opened(test, {}, { api_key: 'sk-very-private' });
    const { server: elsewhere } = await opened(test);
    server.fail(redirect(`${elsewhere.origin}${CHAT}`), { on: CHAT, times: 1 });
    const moved = await failureOf(provider.generate(request(), newCall(), never));
    assert.equal(moved.code, 'PROVIDER_ENDPOINT_UNSUPPORTED');
    assert.equal(elsewhere.requests.length, 0);
    server.fail(says('llama.cpp', 403, 'no rights for sk-very-private'), { on: CHAT, times: 1 });
    const refused = await failureOf(provider.generate(request(), newCall(), never));
    assert.equal(refused.code, 'PROVIDER_AUTH_FAILED');
    assert.doesNotMatch(JSON.stringify([refused.message, refused.details]), /sk-very/);
  });
});

describe('additions of servers', () => {
  it('are ignored: comments, other fields, thoughts, a missing model name, an unstreamed answer', async (test) => {
    const { server, provider } = await opened(test);
    const value = async () => (await provider.generate(request(), newCall(), never)).value;
    for (const fault of [chat.chatty(), chat.unsigned(), chat.signedBy(`someone/${MODEL}-Q4_K_M.gguf`)]) {
      server.fail(fault, { on: CHAT, times: 1 });
      assert.deepEqual(await value(), HARBOUR);
    }
    server.writes(() => ({ text: healthy(), thinking: 'Harbours are wet.' }));
    assert.deepEqual(await value(), HARBOUR);
    const choices = [{ index: 0, message: { role: 'assistant', content: healthy() }, finish_reason: 'stop' }];
    server.fail(instead(jsonAnswer(200, { model: MODEL, choices })), { on: CHAT, times: 1 });
    assert.deepEqual(await value(), HARBOUR);
  });

  it("P26 a server that answers with another loaded model is detected by the model's name", async (test) => {
    const { provider } = await opened(test, { flavour: 'lm-studio', model: 'another-model' });
    const failure = await failureOf(provider.generate(request(), newCall(), never));
    assert.deepEqual([failure.code, failure instanceof VaultgraphError], [BAD, true]);
  });

  it('P24 a server that truncates silently never gets more than fits', async (test) => {
    const { server, provider } = await opened(test, { flavour: 'lm-studio' }, { context: 1_024 });
    await failsAlone(
      provider.generate(request({ prompt: 'word '.repeat(1_000) }), newCall(), never),
      'PROVIDER_INPUT_TOO_LONG',
    );
    assert.equal(server.requestsTo(CHAT).length, 0);
  });
});

describe('P4 an abort', () => {
  for (const [where, fault] of Object.entries<Fault>({
    'before the headers': hang(),
    'in the middle of a stream': stallAfter(3),
    'in a stream that comes byte by byte': byteByByte(20),
  }))
    it(`${where} ends the call with its reason and closes the socket at once`, async (test) => {
      const { server, provider } = await opened(test);
      await endsWithAbort(provider, server, CHAT, fault);
    });
});

describe('a probe', () => {
  it('checks the server and its list without generating text', async (test) => {
    const { server, probe } = await opened(test);
    const { ok, levels, detail } = await probe(never);
    assert.deepEqual([ok, levels?.map((level) => level.ok)], [true, [true, true, 'unknown']]);
    assert.match(detail, /qwen3-8b is listed/);
    assert.equal(server.requestsTo(CHAT).length, 0);
    await server.refuse();
    assert.equal((await probe(never)).failure?.code, 'PROVIDER_UNAVAILABLE');
  });
});
