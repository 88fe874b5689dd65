// The fake Ollama, tested with the real client package and with plain fetch.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Ollama } from 'ollama';
import { assertEach } from '../assert-each.ts';
import { ollamaChatWireLaws } from '../contracts/ollama-chat-wire.ts';
import { ollamaWireLaws } from '../contracts/ollama-wire.ts';
import { until } from '../until.ts';
import type { Fault } from './http/exchange.ts';
import * as faults from './http/faults.ts';
import { busy, crashed, forbidden, modelMissing, noSuchPath, vectors } from './ollama/faults.ts';
import { CHATTING, DIGEST_1, DIGEST_2 } from './ollama/model.ts';
import { startOllama } from './ollama-server.ts';
import { textVector } from './text-vector.ts';

async function started(context: TestContext, start: Parameters<typeof startOllama>[0] = {}) {
  const server = await startOllama(start);
  context.after(() => server.close());
  return { server, client: new Ollama({ host: server.origin }) };
}

const embed = (origin: string, input: unknown = ['one'], more: object = {}, signal?: AbortSignal) =>
  fetch(`${origin}/api/embed`, {
    method: 'POST',
    body: JSON.stringify({ model: 'embeddinggemma', input, truncate: false, ...more }),
    redirect: 'manual',
    ...(signal === undefined ? {} : { signal }),
  });

const causeCode = async (work: Promise<unknown>): Promise<unknown> => {
  const thrown = await work.then(
    () => assert.fail('it should have failed'),
    (error: Error) => error,
  );
  return (thrown.cause as { code?: unknown } | undefined)?.code;
};

ollamaWireLaws('the fake Ollama', async () => {
  const { origin, close } = await startOllama();
  return { origin, model: 'embeddinggemma', close };
});

ollamaChatWireLaws('the fake Ollama', async () => {
  const { origin, close } = await startOllama({ models: [CHATTING] });
  return { origin, model: 'llama3.2', close };
});

describe('the fake Ollama behaves like a real one', () => {
  it('answers list, show, ps, version and embed as the ollama package reads them', async (context) => {
    const { client } = await started(context, { models: [{ dims: 8, contextTokens: 512 }] });
    assert.equal((await client.version()).version, '0.33.0');
    const [listed] = (await client.list()).models;
    assert.deepEqual([listed?.name, listed?.digest], ['embeddinggemma:latest', DIGEST_1]);
    const shown = await client.show({ model: 'embeddinggemma' });
    assert.deepEqual(shown.capabilities, ['embedding']);
    assert.deepEqual(shown.model_info as unknown, {
      'general.architecture': 'gemma3',
      'gemma3.context_length': 512,
      'gemma3.embedding_length': 8,
    });
    assert.deepEqual((await client.ps()).models, []);
    const { embeddings } = await client.embed({ model: 'embeddinggemma', input: ['first', 'second'] });
    assert.deepEqual(embeddings, [[...textVector('first', 8)], [...textVector('second', 8)]]);
    assertEach((await client.ps()).models, ({ name }) => name, ['embeddinggemma:latest']);
  });

  it('loads with an empty input and answers no vectors for an empty text', async (context) => {
    const { server, client } = await started(context);
    assert.deepEqual((await client.embed({ model: 'embeddinggemma', input: [] })).embeddings, []);
    assert.ok(server.model('embeddinggemma').isLoaded());
    assert.deepEqual((await client.embed({ model: 'embeddinggemma', input: '' })).embeddings, []);
    await client.embed({ model: 'embeddinggemma', input: [], keep_alive: 0 });
    assert.equal(server.model('embeddinggemma').isLoaded(), false);
  });

  it('truncates dimensions, normalizes the rest, and ignores more than the model has', async (context) => {
    const { client } = await started(context, { models: [{ dims: 64 }] });
    const lengths = async (dimensions: number): Promise<number[]> => {
      const { embeddings } = await client.embed({ model: 'embeddinggemma', input: 'a few words here', dimensions });
      return [embeddings[0]?.length ?? 0, Math.round(Math.hypot(...(embeddings[0] ?? [])) * 1e4) / 1e4];
    };
    assert.deepEqual(await lengths(32), [32, 1]);
    assert.deepEqual(await lengths(100), [64, 1]);
  });

  it('rejects long or poisoned texts after computing all, and truncates silently by default', async (context) => {
    const { server, client } = await started(context, {
      models: [{ contextTokens: 3, poison: { arsenic: 'nan', hemlock: 'crash' }, textMs: 30 }],
    });
    const input = ['one two three four', 'short', 'short'];
    const began = performance.now();
    await assert.rejects(client.embed({ model: 'embeddinggemma', input, truncate: false }), {
      name: 'ResponseError',
      status_code: 400,
      message: 'the input length exceeds the context length',
    });
    assert.ok(performance.now() - began >= 80);
    assert.deepEqual((await client.embed({ model: 'embeddinggemma', input })).embeddings[0], [
      ...textVector('one two three'),
    ]);
    await assert.rejects(client.embed({ model: 'embeddinggemma', input: 'arsenic' }), {
      message: 'embedding contains NaN or Inf values',
    });
    await assert.rejects(client.embed({ model: 'embeddinggemma', input: 'hemlock' }), /^ResponseError: do embedding/);
    assert.equal(server.requestsTo('/api/embed').length, 4);
    assert.deepEqual(server.requests[0]?.body, { model: 'embeddinggemma', input, truncate: false });
  });

  it('rejects models, bodies, paths, methods and hosts with the real messages', async (context) => {
    const { server, client } = await started(context);
    await assert.rejects(client.embed({ model: 'nope', input: 'x' }), {
      status_code: 404,
      message: 'model "nope" not found, try pulling it first',
    });
    await assert.rejects(client.show({ model: 'nope' }), { status_code: 404, message: "model 'nope' not found" });
    assert.deepEqual(await (await embed(server.origin, [1])).json(), { error: 'invalid input type' });
    const bodiless = await fetch(`${server.origin}/api/embed`, { method: 'POST' });
    assert.deepEqual([bodiless.status, await bodiless.json()], [400, { error: 'missing request body' }]);
    const unknown = await fetch(`${server.origin}/api/nothing`);
    assert.deepEqual([unknown.status, await unknown.text()], [404, '404 page not found']);
    const wrong = await fetch(`${server.origin}/api/embed`);
    assert.deepEqual(
      [wrong.status, wrong.headers.get('content-type'), await wrong.text()],
      [405, 'text/plain', '405 method not allowed'],
    );
  });

  it('streams a pull that succeeds, fails in a line, ends early or never ends', async (context) => {
    const { server, client } = await started(context, { models: [], library: [{ name: 'embeddinggemma' }] });
    const pull = async (model: string): Promise<string[]> => {
      const seen: string[] = [];
      for await (const { status } of await client.pull({ model, stream: true })) seen.push(status);
      return seen;
    };
    await assert.rejects(pull('nope'), /file does not exist/);
    server.pulls({ outcome: 'fails' });
    await assert.rejects(pull('embeddinggemma'), /max retries exceeded/);
    server.pulls({ outcome: 'ends early' });
    await assert.rejects(pull('embeddinggemma'), /Did not receive done or success/);
    assert.deepEqual((await client.list()).models, []);
    server.pulls({ outcome: 'stalls' });
    const stalled = await client.pull({ model: 'embeddinggemma', stream: true });
    const reading = (async () => {
      for await (const _line of stalled);
    })();
    setTimeout(() => stalled.abort(), 60);
    await assert.rejects(reading, { name: 'AbortError' });
    await server.untilEnded('/api/pull', 4);
    assert.equal(server.requestsTo('/api/pull').at(-1)?.ended?.whole, false);
    server.pulls({ outcome: 'works' });
    assert.equal((await pull('embeddinggemma')).at(-1), 'success');
    assert.equal((await client.list()).models.length, 1);
  });

  it('ends a load when its request disconnects, and completes it otherwise', async (context) => {
    const { server, client } = await started(context, { models: [{ loadMs: 3_000 }] });
    const stop = new AbortController();
    const gone = assert.rejects(embed(server.origin, [], {}, stop.signal));
    await until(() => server.model('embeddinggemma').isLoading(), 'the load begins');
    stop.abort();
    await gone;
    await until(() => !server.model('embeddinggemma').isLoading(), 'the load ends');
    assert.deepEqual((await client.ps()).models, []);
    const [one, two] = [embed(server.origin), embed(server.origin)];
    await until(() => server.model('embeddinggemma').isLoading(), 'the load begins again');
    assert.deepEqual((await client.ps()).models, []);
    assert.deepEqual([(await one).status, (await two).status], [200, 200]);
    assert.equal((await client.ps()).models.length, 1);
    const loadMs = async (more: object): Promise<number> => {
      const answer = (await (await embed(server.origin, ['again'], more)).json()) as { load_duration: number };
      return answer.load_duration / 1e6;
    };
    assert.ok((await loadMs({})) < 2_900);
    assert.ok((await loadMs({ options: { num_ctx: 512 } })) >= 2_900);
  });

  it('lists a model that is being loaded if its version does', async (context) => {
    const { server, client } = await started(context, { models: [{ loadMs: 3_000 }], psListsLoading: true });
    const waiting = embed(server.origin);
    await until(() => server.model('embeddinggemma').isLoading(), 'the load begins');
    assert.equal((await client.ps()).models.length, 1);
    await waiting;
  });

  it('can change a digest, remove a model, and report a remote one', async (context) => {
    const { server, client } = await started(context);
    server.change('embeddinggemma', { digest: DIGEST_2, remoteHost: 'https://ollama.invalid:443', remoteModel: 'x' });
    assert.equal((await client.list()).models[0]?.digest, DIGEST_2);
    const shown = (await client.show({ model: 'embeddinggemma' })) as unknown as Record<string, unknown>;
    assert.deepEqual([shown.remote_host, shown.remote_model], ['https://ollama.invalid:443', 'x']);
    server.remove('embeddinggemma');
    assert.deepEqual((await client.list()).models, []);
  });

  it('listens on ::1 too', async (context) => {
    const { server } = await started(context, { host: '::1' });
    assert.equal((await fetch(`http://[::1]:${server.port}/`)).status, 200);
  });
});

describe('the fake Ollama fails on demand', () => {
  it('refuses connections and listens again on the same port', async (context) => {
    const { server } = await started(context);
    await server.refuse();
    assert.equal(await causeCode(embed(server.origin)), 'ECONNREFUSED');
    await server.reopen();
    assert.equal((await embed(server.origin)).status, 200);
  });

  it('resets, and cuts the body', async (context) => {
    const { server } = await started(context);
    server.fail(faults.reset(), { times: 1 });
    assert.equal(await causeCode(embed(server.origin)), 'ECONNRESET');
    server.fail(faults.cut(), { times: 1 });
    const response = await embed(server.origin);
    assert.equal(response.status, 200);
    assert.equal(await causeCode(response.text()), 'UND_ERR_SOCKET');
    assertEach(server.requests, ({ ended }) => ended?.whole, [false, false]);
    assert.equal((await embed(server.origin)).status, 200);
  });

  it('hangs before the headers or in the body until the client disconnects, and notices it', async (context) => {
    const { server } = await started(context);
    server.fail(faults.hang(), { times: 1 });
    await assert.rejects(embed(server.origin, ['x'], {}, AbortSignal.timeout(500)), { name: 'TimeoutError' });
    server.fail(faults.stall(), { times: 1 });
    const response = await embed(server.origin, ['x'], {}, AbortSignal.timeout(500));
    await assert.rejects(response.text(), { name: 'TimeoutError' });
    await server.untilEnded('/api/embed', 2);
    for (const { at, ended } of server.requests) {
      assert.equal(ended?.whole, false);
      assert.ok((ended?.at ?? 0) - at >= 30);
    }
  });

  it('sends the answer slowly or late', async (context) => {
    const { server } = await started(context, { models: [{ dims: 2 }] });
    const vectorsNow = async (): Promise<unknown> =>
      ((await (await embed(server.origin)).json()) as { embeddings: unknown }).embeddings;
    const real = await vectorsNow();
    server.fail(faults.drip(1), { times: 1 });
    server.fail(faults.late(40), { times: 1 });
    for (let time = 0; time < 2; time += 1) {
      const began = performance.now();
      assert.deepEqual(await vectorsNow(), real);
      assert.ok(performance.now() - began >= 35);
    }
  });

  it('uses faults in order, on their path, as often as configured', async (context) => {
    const { server } = await started(context);
    const status = async (): Promise<number> => (await embed(server.origin)).status;
    server.fail(busy('2'), { on: '/api/embed', times: 2 });
    server.fail(faults.html(502), { on: '/api/tags' });
    server.fail(crashed(), { when: ({ body }) => body?.input?.includes('bad') });
    assert.deepEqual([await status(), await status(), await status()], [503, 503, 200]);
    assert.equal((await fetch(`${server.origin}/api/tags`)).status, 502);
    assert.equal((await embed(server.origin, ['good', 'bad'])).status, 400);
    server.heal();
    assert.equal((await embed(server.origin, ['good', 'bad'])).status, 200);
  });

  it('sends every refusal with its status and header', async (context) => {
    const { server } = await started(context);
    const expected = [
      [modelMissing(), 404],
      [noSuchPath(), 404],
      [faults.redirect('http://elsewhere.invalid/api/embed'), 307],
      [forbidden(), 403],
      [faults.html(200), 200],
      [faults.brokenJson(), 200],
      [busy('Wed, 21 Oct 2026 07:28:00 GMT'), 503],
    ] as const;
    for (const [fault] of expected) server.fail(fault, { times: 1 });
    for (const [, status] of expected) assert.equal((await embed(server.origin)).status, status);
    server.fail(busy('soon'), { times: 1 });
    assert.equal((await embed(server.origin)).headers.get('retry-after'), 'soon');
  });

  it('returns bad vectors', async (context) => {
    const { server } = await started(context, { models: [{ dims: 3 }] });
    const answer = async (fault: Fault): Promise<string> => {
      server.fail(fault, { times: 1 });
      return (await embed(server.origin, ['one', 'two'])).text();
    };
    const embeddings = async (fault: Fault) => JSON.parse(await answer(fault)).embeddings;
    const [one, two] = [[...textVector('one', 3)], [...textVector('two', 3)]];
    assert.deepEqual(await embeddings(vectors.oneTooFew()), [two]);
    assert.deepEqual(await embeddings(vectors.none()), []);
    assert.deepEqual(await embeddings(vectors.shorter(1)), [one, two.slice(1)]);
    assert.deepEqual(await embeddings(vectors.withoutNumbers()), [[], two]);
    assert.deepEqual(await embeddings(vectors.zero('every')), [
      [0, 0, 0],
      [0, 0, 0],
    ]);
    assert.deepEqual((await embeddings(vectors.nanAsNull()))[0], [null, ...one.slice(1)]);
    assert.equal((await embeddings(vectors.infinite(1)))[1][0], Number.POSITIVE_INFINITY);
    assert.match(await answer(vectors.nanLiteral()), /\[NaN,/);
  });
});
