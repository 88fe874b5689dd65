// Tests the API of Ollama that the providers rely on, for the real server and the fake.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ollama } from 'ollama';

export interface OllamaUnderTest {
  readonly origin: string;
  /** One that embeds. */
  readonly model: string;
  close(): Promise<void>;
}

/** No model known reads as much. */
const TOO_LONG = 'The harbour lies quiet before the morning tide. '.repeat(8_000);

/** @param open the same server each time, or a fresh one */
export function ollamaWireLaws(name: string, open: () => Promise<OllamaUnderTest>): void {
  const law = (title: string, check: (under: OllamaUnderTest & { client: Ollama }) => Promise<void>): void => {
    it(title, async () => {
      const under = await open();
      try {
        await check({ ...under, client: new Ollama({ host: under.origin }) });
      } finally {
        await under.close();
      }
    });
  };
  const post = async (origin: string, path: string, body?: object): Promise<[number, string]> => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const reply = await fetch(origin + path, { method: 'POST', ...sent });
    return [reply.status, await reply.text()];
  };

  describe(`${name} implements the API of Ollama`, () => {
    law('a model reports its digest, the embedding capability and its dimensions', async ({ client, model }) => {
      const listed = (await client.list()).models.find((each) => each.name.startsWith(model));
      assert.match(listed?.digest ?? '', /^[0-9a-f]{64}$/);
      const { capabilities, model_info } = await client.show({ model });
      assert.ok(capabilities.includes('embedding'));
      const info = model_info as unknown as Record<string, unknown>;
      const dims = info[`${info['general.architecture']}.embedding_length`];
      const { embeddings } = await client.embed({ model, input: 'a text', truncate: false });
      assert.deepEqual([embeddings.length, embeddings[0]?.length], [1, dims]);
    });

    law('vectors have unit length, also when shortened', async ({ client, model }) => {
      const { embeddings } = await client.embed({ model, input: ['a text', 'another'], truncate: false });
      for (const vector of embeddings) assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-3);
      const short = await client.embed({ model, input: 'a text', dimensions: 32 });
      assert.equal(short.embeddings[0]?.length, 32);
      assert.ok(Math.abs(Math.hypot(...(short.embeddings[0] ?? [])) - 1) < 1e-3);
    });

    law(
      'an empty list loads the model and returns no vectors, and so does an empty text',
      async ({ client, model }) => {
        assert.deepEqual((await client.embed({ model, input: [] })).embeddings, []);
        assert.ok((await client.ps()).models.some((each) => each.name.startsWith(model)));
        assert.deepEqual((await client.embed({ model, input: '' })).embeddings, []);
      },
    );

    law('a text that is too long fails the whole request with a 400 that says so', async ({ origin, model }) => {
      const body = { model, input: ['fine', TOO_LONG, 'fine'], truncate: false };
      const [status, text] = await post(origin, '/api/embed', body);
      assert.equal(status, 400);
      assert.match(JSON.parse(text).error, /context length|context size|too large/);
    });

    law('a missing model is a 404 that says so', async ({ origin }) => {
      for (const path of ['/api/embed', '/api/show']) {
        const [status, text] = await post(origin, path, { model: 'no-such-model-here', input: 'x' });
        assert.equal(status, 404);
        assert.match(JSON.parse(text).error, /model ["'].*["'] not found/);
      }
    });

    law('a malformed request is a 400', async ({ origin, model }) => {
      assert.deepEqual(await post(origin, '/api/embed'), [400, '{"error":"missing request body"}']);
      assert.deepEqual(await post(origin, '/api/embed', { model, input: [1] }), [
        400,
        '{"error":"invalid input type"}',
      ]);
    });

    law('another path or method is answered in plain text', async ({ origin }) => {
      assert.deepEqual(await post(origin, '/api/no-such-path'), [404, '404 page not found']);
      const wrong = await fetch(`${origin}/api/embed`);
      assert.deepEqual([wrong.status, await wrong.text()], [405, '405 method not allowed']);
    });

    law('a pull that fails is a 200 whose last line is an error', async ({ client }) => {
      const stream = await client.pull({ model: 'no-such-model-here', stream: true });
      await assert.rejects(async () => {
        for await (const _line of stream);
      }, /pull model manifest/);
    });
  });
}
