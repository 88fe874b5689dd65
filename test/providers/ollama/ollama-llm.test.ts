// The Ollama language-model provider over real HTTP: the contract, and what is special to Ollama.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as z from 'zod';
import { ollamaLlmProvider } from '../../../src/providers/ollama/ollama-providers.ts';
import { failsAlone, HARBOUR, never, newCall, request } from '../../contracts/llm/law.ts';
import { llmLaws } from '../../contracts/llm.ts';
import { faultsOf } from '../../fakes/http/faults.ts';
import { counting, endedBy } from '../../fakes/ollama/chat-faults.ts';
import { loadFailed } from '../../fakes/ollama/faults.ts';
import { CHATTING, DIGEST_2 } from '../../fakes/ollama/model.ts';
import { startOllama } from '../../fakes/ollama-server.ts';
import { CHAT, chatsOf, healthy, openLLM, startAndOpen } from './llm-under-test.ts';
import { failsWith } from './ollama-under-test.ts';

llmLaws('the ollama provider', async () => {
  const server = await startOllama({ models: [CHATTING] });
  const { capability: provider, close } = await openLLM(server.origin);
  return {
    provider,
    writes: server.writes,
    cutsShort: () => server.fail(endedBy('length'), { on: CHAT }),
    ...faultsOf(server, loadFailed(), close),
  };
});

describe('the Ollama section for a language model', () => {
  const { config } = ollamaLlmProvider;
  const pathsOf = (some: object): string[] =>
    config.safeParse({ model: 'llama3.2', ...some }).error?.issues.map(({ path }) => path.join('.')) ?? [];

  it('needs only a model', () => {
    assert.deepEqual(config.parse({ model: 'llama3.2' }), {
      model: 'llama3.2',
      endpoint: 'http://127.0.0.1:11434',
      timeout: 60_000,
      load_timeout: 120_000,
      allow_remote: false,
      headers: {},
      context: 8_192,
      failover: [],
      auto_pull: 'never',
    });
    for (const key of ['dimensions', 'query_prefix', 'document_prefix', 'fallback', 'api_key'])
      assert.deepEqual(pathsOf({ [key]: 1 }), [''], key);
    assert.deepEqual(pathsOf({ context: 512, timeout: 290_001 }), ['timeout', 'context']);
  });

  it('P12 rejects cloud models and endpoints off this machine unless that is allowed', () => {
    assert.deepEqual(pathsOf({ model: 'gpt-oss:120b-cloud' }), ['model']);
    assert.deepEqual(pathsOf({ endpoint: 'http://10.0.0.5:11434', failover: ['http://10.0.0.6'] }), [
      'endpoint',
      'failover.0',
    ]);
    assert.deepEqual(pathsOf({ model: 'x:cloud', endpoint: 'http://10.0.0.5:11434', allow_remote: true }), []);
  });

  it('sets the limits, and is repeated for each endpoint', () => {
    const given = config.parse({ model: 'x', timeout: 5, load_timeout: 7, failover: ['http://[::1]:1'] });
    assert.deepEqual(ollamaLlmProvider.limits(given), { identify: 5, generate: 5, loaded: 1_500, warmUp: 7 });
    assert.equal(ollamaLlmProvider.endpoints?.(given).length, 2);
  });
});

describe('what is sent', () => {
  it('has the schema, no thinking, the same options each time, and instructions apart from note text', async (test) => {
    const { server, provider } = await startAndOpen(test, { context: 4_096 });
    await provider.warmUp(never);
    await provider.generate(request(), newCall(), never);
    await provider.generate(request({ maxAnswerTokens: 99 }), newCall(), never);
    const [load, first, second] = chatsOf(server).map(({ body }) => body);
    const options = { temperature: 0, seed: 7, num_ctx: 4_096 };
    assert.deepEqual(load, { model: 'llama3.2', messages: [], stream: true, think: false, options });
    const { format, ...rest } = first;
    assert.deepEqual(rest, {
      model: 'llama3.2',
      messages: [
        { role: 'system', content: request().instructions },
        { role: 'user', content: request().prompt },
      ],
      ...{ stream: true, think: false, truncate: false, shift: false },
      options: { ...options, num_predict: 200 },
    });
    assert.deepEqual(format, {
      type: 'object',
      properties: {
        summary: { type: 'string' },
        tags: { maxItems: 3, type: 'array', items: { type: 'string', enum: ['harbour', 'garden'] } },
        score: { type: 'integer', minimum: 0, maximum: 10 },
      },
      required: ['summary', 'tags', 'score'],
      additionalProperties: false,
    });
    assert.deepEqual(second.options, { ...options, num_predict: 99 });
    assert.deepEqual(second.format, format);
  });

  it('has no reference and no safe-integer bound in its schema', async (test) => {
    const { server, provider } = await startAndOpen(test);
    const span = z.strictObject({ from: z.int(), to: z.int().min(1) });
    const schema = z.strictObject({ one: span, other: z.array(span) });
    server.writes(() => '{"one": {"from": -1, "to": 2}, "other": []}');
    await provider.generate({ ...request(), schema }, newCall(), never);
    const text = JSON.stringify(chatsOf(server)[0]?.body.format);
    assert.doesNotMatch(text, /\$ref|\$schema|definitions|9007199254740991/);
  });

  it('loads the model once for answers of any length', async (test) => {
    const { server, provider } = await startAndOpen(test, {}, { loadMs: 40 });
    await provider.warmUp(never);
    for (const maxAnswerTokens of [100, 200, 300])
      await provider.generate(request({ maxAnswerTokens }), newCall(), never);
    assert.equal(server.model('llama3.2').loads(), 1);
  });

  it('is not sent while the model is missing, cannot chat or runs elsewhere', async (test) => {
    const { server, provider } = await startAndOpen(test);
    server.remove('llama3.2');
    server.install({});
    const installed = { installed: ['embeddinggemma:latest'], auto_pull: 'never' };
    await failsWith(provider.generate(request(), newCall(), never), 'PROVIDER_MODEL_MISSING', installed);
    server.install({ ...CHATTING, capabilities: ['embedding'] });
    const unsuitable = { reason: 'it cannot chat', capabilities: ['embedding'] };
    await failsWith(provider.generate(request(), newCall(), never), 'PROVIDER_MODEL_UNSUITABLE', unsuitable);
    await failsWith(provider.identify(newCall(), never), 'PROVIDER_MODEL_UNSUITABLE', unsuitable);
    server.install({ ...CHATTING, digest: DIGEST_2, remoteHost: 'https://ollama.invalid:443' });
    const remote = { capability: 'llm', host: 'https://ollama.invalid:443', model: 'llama3.2' };
    await failsWith(provider.generate(request(), newCall(), never), 'EGRESS_BLOCKED', remote);
    await failsWith(provider.warmUp(never), 'EGRESS_BLOCKED', remote);
    assert.equal(chatsOf(server).length, 0);
    const allowed = await openLLM(server.origin, { allow_remote: true });
    assert.deepEqual((await allowed.capability.generate(request(), newCall(), never)).value, HARBOUR);
  });

  it('P11 P12 a model that changes between two calls is checked again', async (test) => {
    const { server, provider } = await startAndOpen(test);
    await provider.generate(request(), newCall(), never);
    server.change('llama3.2', { digest: DIGEST_2, remoteModel: 'llama3.2:405b' });
    await failsWith(provider.identify(newCall(), never), 'EGRESS_BLOCKED', { host: 'another machine' });
    await failsWith(provider.generate(request(), newCall(), never), 'EGRESS_BLOCKED');
    assert.equal(chatsOf(server).length, 1);
  });
});

describe('how much fits', () => {
  const fits = (characters: number) => request({ prompt: 'word '.repeat(characters / 5) });

  it("is the configured context, or the model's if that is smaller", async (test) => {
    const { server, provider } = await startAndOpen(test, { context: 2_048 });
    assert.equal(provider.contextTokens, 2_048);
    await provider.generate(fits(4_000), newCall(), never);
    const failure = await failsAlone(provider.generate(fits(8_000), newCall(), never), 'PROVIDER_INPUT_TOO_LONG');
    assert.partialDeepStrictEqual(failure.details, { limit: 1_848 });
    assert.equal(chatsOf(server).length, 1);
    server.change('llama3.2', { contextTokens: 1_024, digest: DIGEST_2 });
    await provider.identify(newCall(), never);
    const smaller = await failsAlone(provider.generate(fits(4_000), newCall(), never), 'PROVIDER_INPUT_TOO_LONG');
    assert.partialDeepStrictEqual(smaller.details, { limit: 824 });
    assert.equal(chatsOf(server).length, 1);
  });

  it('is checked afterwards too: more tokens than the context means that the beginning was dropped', async (test) => {
    const { server, provider } = await startAndOpen(test, { context: 1_024 });
    server.fail(counting({ prompt_eval_count: 1_020, eval_count: 5 }), { on: CHAT, times: 1 });
    const failure = await failsAlone(provider.generate(request(), newCall(), never), 'PROVIDER_INPUT_TOO_LONG');
    assert.partialDeepStrictEqual(failure.details, { tokens: 1_020, limit: 824 });
    server.fail(counting({ prompt_eval_count: 1_019, eval_count: 5 }), { on: CHAT, times: 1 });
    const { promptTokens, answerTokens } = await provider.generate(request(), newCall(), never);
    assert.deepEqual([promptTokens, answerTokens], [1_019, 5]);
  });
});

describe('an older server, which cuts a prompt whatever the request says', () => {
  const long = request({ prompt: 'a '.repeat(1_500) });

  it('fails the call if the counts show that it read less than was sent', async (test) => {
    const { provider } = await startAndOpen(test, { context: 4_096 }, { contextTokens: 2_048, alwaysCuts: true });
    const wide = await startAndOpen(test, { context: 4_096 }, { alwaysCuts: true });
    assert.deepEqual((await wide.provider.generate(long, newCall(), never)).value, HARBOUR);
    wide.server.change('llama3.2', { usage: () => 1_024 });
    const cut = await failsAlone(wide.provider.generate(long, newCall(), never), 'PROVIDER_INPUT_TOO_LONG');
    assert.partialDeepStrictEqual(cut.details, { limit: 1_024 });
    await provider.generate(request(), newCall(), never);
    assert.equal(provider.contextTokens, 2_048);
  });

  it('fails the call if the prompt filled the context, also without a count of the answer', async (test) => {
    const { server, provider } = await startAndOpen(test, { context: 1_024 });
    for (const counts of [{ prompt_eval_count: 1_024 }, { prompt_eval_count: 1_024, eval_count: 0 }]) {
      server.fail(counting(counts), { on: CHAT, times: 1 });
      await failsAlone(provider.generate(request(), newCall(), never), 'PROVIDER_INPUT_TOO_LONG');
    }
  });

  it('is not blamed for prompts that it has in its cache and does not count', async (test) => {
    const { server, provider } = await startAndOpen(test, { context: 4_096 });
    server.change('llama3.2', { usage: () => 1 });
    assert.deepEqual((await provider.generate(long, newCall(), never)).value, HARBOUR);
  });
});

describe("the model's thoughts", () => {
  it('are removed, whether the server separates them or not', async (test) => {
    const { server, provider } = await startAndOpen(test, {}, { capabilities: ['completion', 'thinking'] });
    server.writes(() => ({ text: healthy(), thinking: 'Harbours are wet. {"summary": "wrong"}' }));
    assert.deepEqual((await provider.generate(request(), newCall(), never)).value, HARBOUR);
    server.writes(() => `<think>\nHarbours are {wet}.\n</think>\n\n${healthy()}`);
    assert.deepEqual((await provider.generate(request(), newCall(), never)).value, HARBOUR);
    server.writes(() => '<think>Harbours are wet, and so');
    await failsAlone(provider.generate(request(), newCall(), never), 'PROVIDER_BAD_RESPONSE');
  });
});

describe('a probe', () => {
  it('checks the server and the model without generating text', async (test) => {
    const { server, opened } = await startAndOpen(test);
    const cold = await opened.probe(never);
    assert.deepEqual(
      cold.levels?.map(({ level, ok }) => [level, ok]),
      [
        ['reachable', true],
        ['model', true],
        ['answers', 'unknown'],
      ],
    );
    await opened.capability.warmUp(never);
    const warm = await opened.probe(never);
    assert.deepEqual([warm.ok, warm.levels?.at(-1)?.ok], [true, 'unknown']);
    assert.notEqual(warm.detail, cold.detail);
    assert.equal(chatsOf(server).length, 1);
    server.remove('llama3.2');
    const gone = await opened.probe(never);
    assert.deepEqual(
      [gone.ok, gone.failure?.code, gone.levels?.at(-1)?.level],
      [false, 'PROVIDER_MODEL_MISSING', 'model'],
    );
  });
});
