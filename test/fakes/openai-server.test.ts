// The fake OpenAI-compatible server: the behaviour of each flavour.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Fault } from './http/exchange.ts';
import { errorInside, signedBy, vectors, withIndexes } from './openai/faults.ts';
import type { FlavourName } from './openai/flavours.ts';
import { startOpenai } from './openai-server.ts';
import { textVector } from './text-vector.ts';

async function started(context: TestContext, start: Parameters<typeof startOpenai>[0] = {}) {
  const server = await startOpenai(start);
  context.after(() => server.close());
  const ask = async (body: object, headers: Record<string, string> = {}) => {
    const requested = { model: 'embeddinggemma', encoding_format: 'float', ...body };
    const reply = await fetch(`${server.endpoint}/embeddings`, {
      method: 'POST',
      body: JSON.stringify(requested),
      headers,
    });
    // biome-ignore lint/suspicious/noExplicitAny: a test reads the answer as it came.
    return { status: reply.status, body: (await reply.json()) as any };
  };
  return { server, ask };
}

const many = (count: number): string[] => Array.from({ length: count }, (_each, at) => `text ${at}`);

describe('the fake OpenAI-compatible server', () => {
  it("returns vectors with their indexes and the model's name, and counts tokens", async (context) => {
    const { ask } = await started(context, { dims: 4 });
    assert.deepEqual(await ask({ input: ['one', 'two words'] }), {
      status: 200,
      body: {
        object: 'list',
        data: [
          { object: 'embedding', index: 0, embedding: [...textVector('one', 4)] },
          { object: 'embedding', index: 1, embedding: [...textVector('two words', 4)] },
        ],
        model: 'embeddinggemma',
        usage: { prompt_tokens: 3, total_tokens: 3 },
      },
    });
    assert.equal((await ask({ input: [1] })).status, 400);
  });

  it('sends base64 by default, and can shuffle, scale and change its weights', async (context) => {
    const { server, ask } = await started(context, { dims: 4 });
    const { body } = await ask({ input: 'one', encoding_format: undefined });
    const bytes = Buffer.from(body.data[0].embedding, 'base64');
    assert.deepEqual(new Float32Array(bytes.buffer, bytes.byteOffset, 4), textVector('one', 4));
    server.change({ shuffles: true, scale: 2, weights: 'other' });
    const data: { index: number; embedding: number[] }[] = (await ask({ input: many(4) })).body.data;
    assert.notDeepEqual(
      data.map(({ index }) => index),
      [0, 1, 2, 3],
    );
    for (const { index, embedding } of data)
      assert.deepEqual(
        embedding,
        [...textVector(`text ${index}`, 4, 'other')].map((number) => number * 2),
      );
  });

  it('behaves like its flavour: long texts, large batches, unknown models, lists, unknown paths, short vectors', async (context) => {
    const behaviour = async (flavour: FlavourName) => {
      const { server, ask } = await started(context, { flavour, contextTokens: 3, isMatryoshka: false });
      const list = await fetch(`${server.endpoint}/models`);
      const unknown = await fetch(`${server.endpoint}/nothing`);
      return {
        tooLong: (await ask({ input: 'one two three four' })).status,
        read: (await ask({ input: ['one two three four', 'five'] })).body.usage?.prompt_tokens,
        tooMany: (await ask({ input: many(33) })).status,
        otherModel: (await ask({ model: 'x', input: 'one' })).status,
        signedAs: (await ask({ model: 'x', input: 'one' })).body.model,
        dimensions: (await ask({ input: 'one', dimensions: 8 })).status,
        list: list.status,
        unknownPath: unknown.status,
      };
    };
    const echo = { signedAs: 'x', list: 200 };
    assert.deepEqual(await behaviour('llama.cpp'), {
      ...{ tooLong: 500, read: undefined, tooMany: 200, otherModel: 200, dimensions: 200, unknownPath: 404 },
      ...echo,
    });
    assert.deepEqual(await behaviour('tei'), {
      ...{ tooLong: 200, read: 4, tooMany: 422, otherModel: 200, dimensions: 200, unknownPath: 404 },
      ...{ signedAs: 'embeddinggemma', list: 404 },
    });
    assert.deepEqual(await behaviour('vllm'), {
      ...{ tooLong: 400, read: undefined, tooMany: 200, otherModel: 404, dimensions: 400, unknownPath: 404 },
      ...{ signedAs: undefined, list: 200 },
    });
    assert.deepEqual(await behaviour('lm-studio'), {
      ...{ tooLong: 200, read: 4, tooMany: 200, otherModel: 200, dimensions: 200, unknownPath: 200 },
      ...{ signedAs: 'embeddinggemma', list: 200 },
    });
  });

  it('formats its errors like its flavour', async (context) => {
    const keyless = async (flavour: FlavourName) => {
      const { ask } = await started(context, { flavour, apiKey: 'sk-1' });
      assert.equal((await ask({ input: 'x' }, { authorization: 'Bearer sk-1' })).status, 200);
      return ask({ input: 'x' });
    };
    assert.deepEqual(await keyless('lm-studio'), { status: 401, body: { error: 'Invalid API Key' } });
    assert.deepEqual((await keyless('llama.cpp')).body.error.message, 'Invalid API Key');
    assert.deepEqual((await keyless('vllm')).body.error.code, 401);
    assert.deepEqual((await keyless('tei')).body.message, 'Invalid API Key');
  });

  it('fails on demand inside a 200', async (context) => {
    const { server, ask } = await started(context, { dims: 2 });
    const answer = async (fault: Fault) => {
      server.fail(fault, { times: 1 });
      return (await ask({ input: ['one', 'two'] })).body;
    };
    assert.deepEqual(await answer(errorInside('crashed')), { error: 'crashed' });
    assert.equal((await answer(signedBy('another'))).model, 'another');
    assert.equal((await answer(withIndexes(() => 7))).data[1].index, 7);
    assert.deepEqual((await answer(vectors.zero(1))).data[1].embedding, [0, 0]);
    assert.equal((await answer(vectors.oneTooFew())).data.length, 1);
  });
});

describe('a chat with the fake OpenAI-compatible server', () => {
  const asking = async (context: TestContext, start: Parameters<typeof startOpenai>[0] = {}) => {
    const server = await startOpenai({ model: 'qwen3-8b', script: () => 'one two three', ...start });
    context.after(() => server.close());
    const chat = async (body: object = {}) => {
      const requested = { model: 'qwen3-8b', messages: [{ role: 'user', content: 'the tide' }], ...body };
      const reply = await fetch(`${server.endpoint}/chat/completions`, {
        method: 'POST',
        body: JSON.stringify(requested),
      });
      return { status: reply.status, text: await reply.text() };
    };
    return { server, chat };
  };

  it('is sent complete, or as a stream that ends with its finish reason, its counts and [DONE]', async (context) => {
    const { chat } = await asking(context);
    const whole = JSON.parse((await chat()).text);
    assert.deepEqual(whole.choices, [
      { index: 0, message: { role: 'assistant', content: 'one two three' }, finish_reason: 'stop' },
    ]);
    assert.deepEqual(whole.usage, { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 });
    const { text } = await chat({ stream: true, stream_options: { include_usage: true }, max_tokens: 2 });
    const events = text.trimEnd().split('\n\n');
    assert.equal(events.at(-1), 'data: [DONE]');
    const chunks = events.slice(0, -1).map((event) => JSON.parse(event.slice('data: '.length)));
    assert.equal(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''), 'one two');
    assert.equal(chunks.at(-2).choices[0].finish_reason, 'length');
    assert.deepEqual([chunks.at(-1).choices, chunks.at(-1).usage.completion_tokens], [[], 2]);
    assert.equal((await chat({ stream: true })).text, (await chat({ stream: true })).text);
  });

  it('behaves like its flavour: unknown models, long prompts, no chat', async (context) => {
    const vllm = await asking(context, { flavour: 'vllm', contextTokens: 1 });
    assert.match((await vllm.chat({ model: 'other' })).text, /does not exist/);
    assert.match((await vllm.chat()).text, /maximum context length is 1 tokens/);
    const lmStudio = await asking(context, { flavour: 'lm-studio', contextTokens: 1 });
    assert.equal(JSON.parse((await lmStudio.chat({ model: 'other' })).text).model, 'qwen3-8b');
    const ollama = await asking(context, { flavour: 'ollama', contextTokens: 1, script: ({ prompt }) => prompt });
    const cut = JSON.parse((await ollama.chat()).text);
    assert.deepEqual([cut.choices[0].message.content, cut.usage.prompt_tokens], ['tide', 1]);
    ollama.server.change({ usage: () => undefined });
    assert.equal(JSON.parse((await ollama.chat()).text).usage, undefined);
    assert.equal((await (await asking(context, { flavour: 'tei' })).chat()).status, 404);
    assert.equal((await (await asking(context)).chat({ messages: [] })).status, 400);
  });
});
