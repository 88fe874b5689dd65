// Tests the chat API of Ollama that the language-model provider relies on, for the real server and the fake.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ollama } from 'ollama';
import { SAMPLE_REQUEST } from '../../src/contracts/llm.ts';
import { answerSchema } from '../../src/providers/model-server/llm-exchange.ts';

export interface ChattingOllama {
  readonly origin: string;
  /** One that chats. */
  readonly model: string;
  close(): Promise<void>;
}

const OPTIONS = { temperature: 0, seed: 7, num_ctx: 2_048 };
const MESSAGES = [
  { role: 'system', content: SAMPLE_REQUEST.instructions },
  { role: 'user', content: SAMPLE_REQUEST.prompt },
];

/** @param open the same server each time, or a fresh one */
export function ollamaChatWireLaws(name: string, open: () => Promise<ChattingOllama>): void {
  const law = (title: string, check: (under: ChattingOllama & { client: Ollama }) => Promise<void>): void => {
    it(title, async () => {
      const under = await open();
      try {
        await check({ ...under, client: new Ollama({ host: under.origin }) });
      } finally {
        await under.close();
      }
    });
  };
  const format = answerSchema(SAMPLE_REQUEST.schema);
  const chat = async (origin: string, body: object): Promise<[number, string]> => {
    const reply = await fetch(`${origin}/api/chat`, { method: 'POST', body: JSON.stringify(body) });
    return [reply.status, await reply.text()];
  };
  // biome-ignore lint/suspicious/noExplicitAny: records as they came over the wire.
  const recordsOf = (text: string): any[] =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));

  describe(`${name} implements the chat API of Ollama`, () => {
    law('a model reports the completion capability and its context length', async ({ client, model }) => {
      const { capabilities, model_info } = await client.show({ model });
      assert.ok(capabilities.includes('completion'));
      const info = model_info as unknown as Record<string, unknown>;
      assert.ok(Number(info[`${info['general.architecture']}.context_length`]) > 0);
    });

    law(
      'an answer is streamed as records, the last one is done and has the counts, and it follows the schema',
      async (under) => {
        const { origin, model } = under;
        const options = { ...OPTIONS, num_predict: SAMPLE_REQUEST.maxAnswerTokens };
        const [status, text] = await chat(origin, {
          model,
          messages: MESSAGES,
          format,
          think: false,
          stream: true,
          options,
        });
        assert.equal(status, 200);
        const records = recordsOf(text);
        assert.deepEqual(new Set(records.slice(0, -1).map(({ done }) => done)), new Set([false]));
        const { done, done_reason, prompt_eval_count, eval_count } = records.at(-1);
        assert.deepEqual([done, done_reason], [true, 'stop']);
        assert.ok(prompt_eval_count > 0 && eval_count > 0);
        const content = records.map(({ message }) => message?.content ?? '').join('');
        assert.ok(SAMPLE_REQUEST.schema.safeParse(JSON.parse(content)).success, content);
      },
    );

    law('the same request has the same answer', async ({ client, model }) => {
      const ask = async () => {
        const requested = { model, messages: MESSAGES, format, think: false, stream: false, options: OPTIONS } as const;
        return (await client.chat(requested)).message.content;
      };
      assert.equal(await ask(), await ask());
    });

    law('an answer that reaches its limit ends with the reason length', async ({ origin, model }) => {
      const options = { ...OPTIONS, num_predict: 1 };
      const [, text] = await chat(origin, { model, messages: MESSAGES, format, think: false, options });
      assert.equal(recordsOf(text).at(-1)?.done_reason, 'length');
    });

    law('a chat without messages loads the model and says so', async ({ client, origin, model }) => {
      const [status, text] = await chat(origin, { model, messages: [], options: OPTIONS });
      assert.equal(status, 200);
      assert.deepEqual([recordsOf(text).at(-1)?.done, recordsOf(text).at(-1)?.done_reason], [true, 'load']);
      assert.ok((await client.ps()).models.some((each) => each.name.startsWith(model)));
    });

    law('a missing model is a 404 that says so, and a missing body a 400', async ({ origin }) => {
      const [status, text] = await chat(origin, { model: 'no-such-model-here', messages: MESSAGES });
      assert.equal(status, 404);
      assert.match(JSON.parse(text).error, /model ["'].*["'] not found/);
      const bodiless = await fetch(`${origin}/api/chat`, { method: 'POST' });
      assert.deepEqual([bodiless.status, await bodiless.text()], [400, '{"error":"missing request body"}']);
    });
  });
}
