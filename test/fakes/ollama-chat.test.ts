// Chats with the fake Ollama: refusals, silent truncation, scripted answers and failures.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './http/exchange.ts';
import { byteByByte, cutAfter, stallAfter } from './http/stream-faults.ts';
import * as faults from './ollama/chat-faults.ts';
import { CHATTING } from './ollama/model.ts';
import { startOllama } from './ollama-server.ts';
import type { Script } from './scripted-model.ts';

const CHAT = '/api/chat';

async function started(context: TestContext, script: Script = () => 'one two three', model: object = {}) {
  const server = await startOllama({ models: [{ ...CHATTING, ...model }], script });
  context.after(() => server.close());
  const chat = async (body: object = {}, signal?: AbortSignal) => {
    const requested = { model: 'llama3.2', messages: [{ role: 'user', content: 'tide' }], ...body };
    const reply = await fetch(server.origin + CHAT, {
      method: 'POST',
      body: JSON.stringify(requested),
      ...(signal === undefined ? {} : { signal }),
    });
    return { status: reply.status, text: await reply.text() };
  };
  // biome-ignore lint/suspicious/noExplicitAny: records as they came over the wire.
  const records = async (body?: object): Promise<any[]> => {
    const { text } = await chat(body);
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  return { server, chat, records };
}

describe('a chat with the fake Ollama', () => {
  it('returns what the script makes of instructions, prompt and schema, the same bytes each time', async (context) => {
    const { chat, records } = await started(context, (requested) => JSON.stringify(requested));
    const body = {
      messages: [
        { role: 'system', content: 'Do.' },
        { role: 'user', content: 'This  now.' },
      ],
      format: { type: 'object' },
    };
    const text = (await records(body)).map(({ message }) => message.content).join('');
    assert.deepEqual(JSON.parse(text), { instructions: 'Do.', prompt: 'This  now.', schema: { type: 'object' } });
    assert.equal((await chat(body)).text, (await chat(body)).text);
    assert.deepEqual(JSON.parse((await chat({ ...body, stream: false })).text).message.content, text);
  });

  it('separates thoughts, truncates at num_predict, and counts tokens', async (context) => {
    const { records } = await started(context, () => ({ text: 'one two three', thinking: 'well' }));
    const [thought, ...rest] = await records();
    assert.deepEqual(thought.message, { role: 'assistant', content: '', thinking: 'well' });
    assert.partialDeepStrictEqual(rest.at(-1), { done_reason: 'stop', prompt_eval_count: 1, eval_count: 3 });
    const cut = await records({ options: { num_predict: 2 } });
    assert.partialDeepStrictEqual(cut.at(-1), { done_reason: 'length', eval_count: 2 });
  });

  it('drops older messages silently, or rejects the request if truncation is off', async (context) => {
    const { server, records, chat } = await started(context, ({ prompt }) => prompt);
    const messages = ['old words here', 'the last one'].map((content) => ({ role: 'user', content }));
    const options = { num_ctx: 4 };
    const text = (await records({ messages, options })).map(({ message }) => message.content).join('');
    assert.equal(text, 'the last one');
    assert.deepEqual(await chat({ messages, options, truncate: false }), {
      status: 400,
      text: '{"error":"the input length exceeds the context length"}',
    });
    assert.equal(server.requestsTo(CHAT).length, 2);
  });

  it('rejects models without the capability, and reloads only for options that affect memory', async (context) => {
    const { server, chat, records } = await started(context, () => 'fine', { loadMs: 3_000 });
    server.install({});
    const unable = await chat({ model: 'embeddinggemma' });
    assert.deepEqual(unable, { status: 400, text: '{"error":"\\"embeddinggemma\\" does not support chat"}' });
    assert.match((await chat({ think: true })).text, /does not support thinking/);
    await records({ options: { num_ctx: 2_048, num_predict: 5 } });
    const took = async (options: object): Promise<number> => {
      const began = performance.now();
      await records({ options });
      return performance.now() - began;
    };
    assert.ok((await took({ num_ctx: 2_048, num_predict: 9, temperature: 0 })) < 2_900);
    assert.ok((await took({ num_ctx: 4_096 })) >= 2_900);
  });

  const LAST: Readonly<Record<string, readonly [Fault, RegExp]>> = {
    'no last record': [faults.withoutLast(), /"content":" three"\},"done":false\}\n$/],
    'done: false': [faults.neverDone(), /"content":""\},"done":false,[^}]*\}\n$/],
    'another reason': [faults.endedBy('length'), /"done":true,"done_reason":"length"/],
    'an error line': [faults.errorAfter(1, 'gone'), /"content":"one".*\n\{"error":"gone"\}\n$/],
    'a broken line': [faults.brokenLine(), /\{"message": \{"con\n/],
    nothing: [faults.noRecords(), /^$/],
  };
  for (const [what, [fault, expected]] of Object.entries(LAST))
    it(`ends with ${what} on demand`, async (context) => {
      const { server, chat } = await started(context);
      server.fail(fault, { on: CHAT });
      const { status, text } = await chat();
      assert.equal(status, 200);
      assert.match(text, expected);
    });

  it('stalls, drips and breaks off in mid-stream, and notices when the client disconnects', async (context) => {
    const { server, chat } = await started(context);
    server.fail(cutAfter(2), { on: CHAT, times: 1 });
    await assert.rejects(chat(), /terminated/);
    for (const fault of [stallAfter(0), stallAfter(2), byteByByte(30)]) {
      server.fail(fault, { on: CHAT, times: 1 });
      const before = server.requestsTo(CHAT).length;
      const stop = new AbortController();
      const running = chat({}, stop.signal).then(
        () => 'answered',
        () => 'aborted',
      );
      while (server.requestsTo(CHAT).length === before) await sleep(10);
      await sleep(100);
      const { length } = server.requestsTo(CHAT);
      assert.equal(server.requestsTo(CHAT).at(-1)?.ended, undefined);
      stop.abort();
      assert.equal(await running, 'aborted');
      await server.untilEnded(CHAT, length);
      assert.equal(server.requestsTo(CHAT).at(-1)?.ended?.whole, false);
    }
    assert.match((await chat()).text, /"done":true/);
  });
});
