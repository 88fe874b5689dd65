// Each failure of a call to the Ollama language-model provider, over real HTTP.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endsWithAbort, HARBOUR, never, newCall, request } from '../../contracts/llm/law.ts';
import { type Fault, textAnswer } from '../../fakes/http/exchange.ts';
import { call, type FailureCase, HTTP_FAILURES, item } from '../../fakes/http/failure-cases.ts';
import { cut, empty, hang, instead, redirect } from '../../fakes/http/faults.ts';
import { byteByByte, cutAfter, stallAfter } from '../../fakes/http/stream-faults.ts';
import * as chat from '../../fakes/ollama/chat-faults.ts';
import * as ollama from '../../fakes/ollama/faults.ts';
import { until } from '../../until.ts';
import { CHAT, healthy, startAndOpen } from './llm-under-test.ts';
import { failsWith } from './ollama-under-test.ts';

const SECRET = request({ prompt: '<text>the first secret of the harbour</text>' });

const CASES: readonly FailureCase[] = [
  ...HTTP_FAILURES,
  { title: 'P3 cut in a line', fault: cut(), code: 'PROVIDER_UNAVAILABLE', details: { cause_code: 'ECONNRESET' } },
  { title: 'P3 cut between lines', fault: cutAfter(2), code: 'PROVIDER_UNAVAILABLE', details: call },
  { title: 'P5 a broken line', fault: chat.brokenLine(), code: 'PROVIDER_BAD_RESPONSE', details: call },
  {
    title: 'P5 an endless line',
    fault: instead(textAnswer(200, ' '.repeat(1_000_001))),
    code: 'PROVIDER_BAD_RESPONSE',
    details: { ...call, expected: 'lines of at most 1000000 bytes', received: 'more' },
  },
  { title: 'P6 503', fault: ollama.busy(), code: 'PROVIDER_BUSY', details: call },
  { title: 'P7 429', fault: ollama.rateLimited('2'), code: 'PROVIDER_RATE_LIMITED', details: call },
  {
    title: 'P8 500, load failed',
    fault: ollama.loadFailed(),
    code: 'PROVIDER_ERROR',
    details: { ...call, status: 500 },
  },
  { title: 'P8 500, runner crash', fault: chat.runnerCrashed(), code: 'PROVIDER_ERROR', details: call },
  {
    title: 'P8 500 "not found"',
    fault: ollama.says(500, 'model blob not found'),
    code: 'PROVIDER_ERROR',
    details: call,
  },
  {
    title: 'P8 an error line',
    fault: chat.errorAfter(2, 'an error was encountered while running the model: unexpected EOF'),
    code: 'PROVIDER_ERROR',
    details: { ...call, status: 500 },
  },
  {
    title: 'P8 nothing but an error line',
    fault: chat.errorAfter(0, 'out of memory'),
    code: 'PROVIDER_ERROR',
    details: call,
  },
  {
    title: 'P9 404 model',
    fault: ollama.modelMissingQuoted('llama3.2'),
    code: 'PROVIDER_MODEL_MISSING',
    details: call,
  },
  { title: 'P9 plain 404', fault: ollama.noSuchPath(), code: 'PROVIDER_ENDPOINT_UNSUPPORTED', details: { path: CHAT } },
  { title: 'P9 405', fault: ollama.wrongMethod(), code: 'PROVIDER_ENDPOINT_UNSUPPORTED', details: { status: 405 } },
  { title: 'P9 401', fault: ollama.unauthorized(), code: 'PROVIDER_AUTH_FAILED', details: { status: 401 } },
  { title: 'P9 403', fault: ollama.forbidden(), code: 'PROVIDER_AUTH_FAILED', details: { status: 403 } },
  { title: 'P11 cannot chat', fault: chat.cannotChat(), code: 'PROVIDER_MODEL_UNSUITABLE', details: call },
  {
    title: 'P11 cannot be asked not to think',
    fault: chat.cannotThink(),
    code: 'PROVIDER_MODEL_UNSUITABLE',
    details: call,
  },
  { title: 'P15 too long', fault: ollama.tooLong(), code: 'PROVIDER_INPUT_TOO_LONG', details: item },
  {
    title: 'P15 too long in a line',
    fault: chat.errorAfter(1, 'the input length exceeds the context length'),
    code: 'PROVIDER_INPUT_TOO_LONG',
    details: item,
  },
  { title: 'P16 another 400', fault: ollama.says(400, 'no'), code: 'PROVIDER_REJECTED_INPUT', details: item },
  {
    title: 'P24 cut at its length',
    fault: chat.endedBy('length'),
    code: 'PROVIDER_BAD_RESPONSE',
    details: { ...item, received: 'one cut at 200 tokens' },
  },
  { title: 'P24 unloaded meanwhile', fault: chat.endedBy('unload'), code: 'PROVIDER_BAD_RESPONSE', details: item },
  { title: 'P24 without a reason', fault: chat.endedBy(undefined), code: 'PROVIDER_BAD_RESPONSE', details: item },
  { title: 'P24 done: false', fault: chat.neverDone(), code: 'PROVIDER_BAD_RESPONSE', details: item },
  {
    title: 'P24 no last record',
    fault: chat.withoutLast(),
    code: 'PROVIDER_BAD_RESPONSE',
    details: { ...item, received: 'one that stops without a finish reason' },
  },
  { title: 'P24 no record at all', fault: chat.noRecords(), code: 'PROVIDER_BAD_RESPONSE', details: call },
  { title: '499', fault: ollama.cancelledInQueue(), code: 'PROVIDER_ERROR', details: { ...call, status: 499 } },
];

describe('a request that fails', () => {
  for (const { title, fault, code, details = {} } of CASES)
    it(`${title}: ${code}, and the next one is answered`, async (test) => {
      const { server, provider } = await startAndOpen(test);
      server.fail(fault, { on: CHAT });
      const traced = newCall();
      const reported = {
        capability: 'llm',
        attempts: 1,
        provider: 'ollama',
        model: 'llama3.2',
        endpoint: server.origin,
      };
      const failure = await failsWith(provider.generate(SECRET, traced, never), code, { ...reported, ...details });
      assert.match(failure.message, /^(?:the language-model request failed: |cannot reach )/);
      assert.doesNotMatch(JSON.stringify([failure.message, failure.hint, failure.details]), /secret|quiet/);
      assert.equal(traced.trace.attempts, 1);
      assert.equal(server.requestsTo(CHAT).length, 1, 'it was sent again');
      server.heal();
      assert.deepEqual((await provider.generate(request(), newCall(), never)).value, HARBOUR);
    });

  it('P9 a redirect is not followed, and nothing is posted elsewhere', async (test) => {
    const { server, provider } = await startAndOpen(test);
    const { server: elsewhere } = await startAndOpen(test);
    server.fail(redirect(`${elsewhere.origin}${CHAT}`), { on: CHAT });
    await failsWith(provider.generate(SECRET, newCall(), never), 'PROVIDER_ENDPOINT_UNSUPPORTED', { status: 307 });
    assert.equal(elsewhere.requests.length, 0);
  });

  it('P9 no failure contains a key, whatever the server says', async (test) => {
    const { server, provider } = await startAndOpen(test, { headers: { authorization: 'Bearer sk-very-private' } });
    server.fail(ollama.says(401, 'invalid key sk-very-private'), { on: CHAT });
    const failure = await failsWith(provider.generate(SECRET, newCall(), never), 'PROVIDER_AUTH_FAILED');
    assert.doesNotMatch(JSON.stringify([failure.message, failure.hint, failure.details]), /sk-very/);
    assert.equal(server.requestsTo(CHAT)[0]?.headers.authorization, 'Bearer sk-very-private');
  });

  it("P5 a server's message that repeats a note is withheld", async (test) => {
    const { server, provider } = await startAndOpen(test);
    server.fail(ollama.says(500, 'cannot parse: <text>the first secret of the harbour</text>'), { on: CHAT });
    const failure = await failsWith(provider.generate(SECRET, newCall(), never), 'PROVIDER_ERROR');
    assert.partialDeepStrictEqual(failure.details, { said: 'the answer repeats what was sent' });
  });
});

describe('P4 an abort', () => {
  const WAITS: Readonly<Record<string, Fault>> = {
    'before the headers': hang(),
    'behind the headers': stallAfter(0),
    'in the middle of a stream': stallAfter(3),
    'in a stream that comes byte by byte': byteByByte(20),
  };
  for (const [where, fault] of Object.entries(WAITS))
    it(`${where} ends the call with its reason and closes the socket at once`, async (test) => {
      const { server, provider } = await startAndOpen(test);
      await provider.identify(newCall(), never);
      await endsWithAbort(provider, server, CHAT, fault);
      server.heal();
      assert.deepEqual((await provider.generate(request(), newCall(), never)).value, HARBOUR);
    });

  it('also ends the loading of a model, as on a real server', async (test) => {
    const { server, provider } = await startAndOpen(test, {}, { loadMs: 60_000 });
    const stop = new AbortController();
    const running = provider.warmUp(stop.signal).catch((thrown: unknown) => thrown);
    await until(() => server.model('llama3.2').isLoading(), 'the model is loading');
    stop.abort(new Error('enough'));
    await running;
    await server.untilEnded(CHAT, 1);
    assert.equal(server.model('llama3.2').isLoaded(), false);
  });
});

describe('P3 a port that is closed', () => {
  it('is PROVIDER_UNAVAILABLE until it opens, and works after that', async (test) => {
    const { server, provider } = await startAndOpen(test);
    await server.refuse();
    await failsWith(provider.generate(request(), newCall(), never), 'PROVIDER_UNAVAILABLE', {
      cause_code: 'ECONNREFUSED',
    });
    await server.reopen();
    server.fail(empty(503), { on: '/api/tags', times: 1 });
    await failsWith(provider.generate(request(), newCall(), never), 'PROVIDER_BUSY');
    server.writes(healthy);
    assert.deepEqual((await provider.generate(request(), newCall(), never)).value, HARBOUR);
  });
});
