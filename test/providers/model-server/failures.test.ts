// One test for each row of the failure table, each with a real answer on loopback.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ErrorCode, VaultgraphError } from '../../../src/base/errors.ts';
import { lostFailure, streamedFailure } from '../../../src/providers/model-server/failures.ts';
import { sendJson } from '../../../src/providers/model-server/send.ts';
import { type Answer, jsonAnswer, textAnswer } from '../../fakes/http/exchange.ts';
import { instead } from '../../fakes/http/faults.ts';
import { attemptAt, newCall, openServer } from './attempts.ts';

interface Expected {
  readonly code: ErrorCode;
  readonly level: 'item' | 'call';
  readonly details?: object;
}

const says = (status: number, error: string): Answer => jsonAnswer(status, { error });
const nested = (status: number, message: string, type = 'invalid_request_error'): Answer =>
  jsonAnswer(status, { error: { code: status, message, type } });
const top = (status: number, message: string): Answer => jsonAnswer(status, { message, code: status, type: 'x' });
const html = (status: number): Answer => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: '<html><title>it is too long and does not support a model not found</title></html>',
});

const call = (code: ErrorCode, details: object = {}): Expected => ({ code, level: 'call', details });
const item = (code: ErrorCode, details: object = {}): Expected => ({ code, level: 'item', details });

const CRASH = 'do embedding request: Post "http://127.0.0.1:39211/v1/embeddings": EOF';

const ROWS: readonly (readonly [title: string, answer: Answer, expected: Expected])[] = [
  ['P9 401', says(401, 'unauthorized'), call('PROVIDER_AUTH_FAILED', { status: 401 })],
  ['P9 403 without a body', { status: 403, body: '' }, call('PROVIDER_AUTH_FAILED', { status: 403 })],
  ['P7 429', says(429, 'slow down'), call('PROVIDER_RATE_LIMITED', { source: 'slow down' })],
  ['P7 429 of TEI', top(429, 'Model is overloaded'), call('PROVIDER_RATE_LIMITED', { source: 'Model is overloaded' })],
  [
    'P6 503, the queue is full',
    says(503, 'server busy, please try again.  maximum pending requests exceeded'),
    call('PROVIDER_BUSY', { source: 'server busy, please try again. maximum pending requests exceeded' }),
  ],
  [
    'P6 503 of llama.cpp while it loads',
    nested(503, 'Loading model', 'unavailable_error'),
    call('PROVIDER_BUSY', { source: 'Loading model' }),
  ],
  ['P6 503 with HTML', html(503), call('PROVIDER_BUSY', { source: 'HTTP 503' })],
  [
    'P9 404 of Ollama for a model',
    says(404, 'model "x" not found, try pulling it first'),
    call('PROVIDER_MODEL_MISSING', { installed: [], auto_pull: 'never' }),
  ],
  ['P9 404 of Ollama for a model, quoted otherwise', says(404, "model 'x' not found"), call('PROVIDER_MODEL_MISSING')],
  [
    'P9 404 of vLLM for a model',
    nested(404, 'The model `x` does not exist.', 'NotFoundError'),
    call('PROVIDER_MODEL_MISSING'),
  ],
  ['P9 404 of older vLLM for a model', top(404, 'The model `x` does not exist.'), call('PROVIDER_MODEL_MISSING')],
  [
    'P9 plain 404',
    textAnswer(404, '404 page not found'),
    call('PROVIDER_ENDPOINT_UNSUPPORTED', { status: 404, path: '/api/embed' }),
  ],
  [
    'P9 plain 404 that speaks of models in no JSON',
    textAnswer(404, 'model not found'),
    call('PROVIDER_ENDPOINT_UNSUPPORTED'),
  ],
  ['P9 404 of FastAPI', jsonAnswer(404, { detail: 'Not Found' }), call('PROVIDER_ENDPOINT_UNSUPPORTED')],
  ['P9 405', textAnswer(405, '405 method not allowed'), call('PROVIDER_ENDPOINT_UNSUPPORTED', { status: 405 })],
  [
    'P9 redirect',
    { status: 307, headers: { location: 'http://models.example.test/' }, body: '' },
    call('PROVIDER_ENDPOINT_UNSUPPORTED', { status: 307 }),
  ],
  ['P9 304', { status: 304, body: '' }, call('PROVIDER_ENDPOINT_UNSUPPORTED', { status: 304 })],
  ['P16 400, the runner crashed', says(400, CRASH), call('PROVIDER_ERROR', { status: 400, said: CRASH })],
  [
    'P15 400 of Ollama, too long',
    says(400, 'the input length exceeds the context length'),
    item('PROVIDER_INPUT_TOO_LONG'),
  ],
  [
    'P15 400 of Ollama, too long to be cut',
    says(400, 'input exceeds maximum context length and cannot be truncated further'),
    item('PROVIDER_INPUT_TOO_LONG'),
  ],
  [
    'P15 500 of llama.cpp, too large',
    nested(
      500,
      'input (4012 tokens) is too large to process. increase the physical batch size (current batch size: 512)',
      'server_error',
    ),
    item('PROVIDER_INPUT_TOO_LONG'),
  ],
  [
    'P15 400 of llama.cpp, beyond the context',
    nested(400, 'the request exceeds the available context size', 'exceed_context_size_error'),
    item('PROVIDER_INPUT_TOO_LONG'),
  ],
  [
    'P15 400 of vLLM, too long',
    top(400, "This model's maximum context length is 512 tokens. However, you requested 900 tokens."),
    item('PROVIDER_INPUT_TOO_LONG'),
  ],
  [
    'P15 422 of TEI, too long',
    top(422, '`inputs` must have less than 512 tokens. Given: 900'),
    item('PROVIDER_INPUT_TOO_LONG'),
  ],
  ['P15 413 with the words', says(413, 'the prompt is too long'), item('PROVIDER_INPUT_TOO_LONG')],
  [
    'P13 400, NaN or Inf',
    says(400, 'embedding contains NaN or Inf values'),
    item('PROVIDER_BAD_RESPONSE', { received: 'embedding contains NaN or Inf values' }),
  ],
  [
    'P13 500, +Inf',
    says(500, 'failed to encode response: json: unsupported value: +Inf'),
    item('PROVIDER_BAD_RESPONSE'),
  ],
  [
    'P11 400, cannot embed',
    says(400, '"x" does not support embeddings'),
    call('PROVIDER_MODEL_UNSUITABLE', { reason: '"x" does not support embeddings' }),
  ],
  [
    'P11 501 of llama.cpp without --embeddings',
    nested(501, 'This server does not support embeddings. Start it with `--embeddings`', 'not_supported_error'),
    call('PROVIDER_MODEL_UNSUITABLE'),
  ],
  [
    'P16 another 400',
    says(400, 'invalid input type'),
    item('PROVIDER_REJECTED_INPUT', { status: 400, said: 'invalid input type' }),
  ],
  ['P16 another 413', html(413), item('PROVIDER_REJECTED_INPUT', { status: 413, said: '' })],
  ['P16 another 422', top(422, 'batch size 33 > maximum allowed batch size 32'), item('PROVIDER_REJECTED_INPUT')],
  ['any other 4xx', says(418, 'I am a teapot'), call('PROVIDER_REJECTED_INPUT', { status: 418 })],
  ['408', says(408, 'too slow'), call('PROVIDER_ERROR', { status: 408 })],
  ['424 of TEI', top(424, 'backend'), call('PROVIDER_ERROR', { status: 424 })],
  ['499, cancelled in the queue', says(499, 'request canceled'), call('PROVIDER_ERROR', { status: 499 })],
  ['P8 500', says(500, 'llama-server process has terminated: signal: killed'), call('PROVIDER_ERROR', { status: 500 })],
  [
    'P8 500 with "not found" in its text',
    says(500, 'model file not found'),
    call('PROVIDER_ERROR', { said: 'model file not found' }),
  ],
  ['P5 502 with HTML', html(502), call('PROVIDER_ERROR', { status: 502, said: '' })],
  ['504 without a body', { status: 504, body: '' }, call('PROVIDER_ERROR', { status: 504 })],
];

const request = { path: '/api/embed', body: { input: ['a text'] } };

async function failureOf(work: Promise<unknown>): Promise<VaultgraphError> {
  const thrown = await work.then(
    () => assert.fail('it should have failed'),
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof VaultgraphError, `${thrown}`);
  return thrown;
}

function assertExpected({ code, details: reported, message, hint }: VaultgraphError, expected: Expected): void {
  const details = reported as Record<string, unknown>;
  assert.equal(code, expected.code);
  assert.equal(details.level, expected.level);
  assert.deepEqual({ ...details, ...expected.details }, details);
  assert.deepEqual(
    [details.capability, details.provider, details.model, details.attempts],
    ['embedding', 'ollama', 'embeddinggemma', 1],
  );
  assert.ok(Number.isInteger(details.elapsed_ms));
  assert.match(message, /^(?:the embedding request failed: .+, model embeddinggemma, |cannot reach Ollama at http:)/);
  assert.notEqual(hint, '');
}

describe('the failure table', () => {
  for (const [title, answer, expected] of ROWS)
    it(`${title}: ${expected.code}, ${expected.level}`, async (context) => {
      const server = await openServer(context, instead(answer));
      assertExpected(await failureOf(sendJson(request, attemptAt(server.origin))), expected);
      server.heal();
      assert.deepEqual(await sendJson(request, attemptAt(server.origin)), { embeddings: [[1]] });
    });

  it('P10 an error line in a stream is treated as status 500 with its text', () => {
    const attempt = attemptAt('http://127.0.0.1:11434');
    const failure = (error: string) => streamedFailure(JSON.stringify({ error }), '/api/pull', attempt);
    assertExpected(failure('pull model manifest: file does not exist'), call('PROVIDER_ERROR', { status: 500 }));
    assertExpected(failure("model 'x' not found"), call('PROVIDER_ERROR'));
    assertExpected(failure('input is too large'), item('PROVIDER_INPUT_TOO_LONG'));
  });

  it("P7 retryAfterMs is the server's value, or the default if that is invalid", async (context) => {
    const waitAfter = async (retryAfter: string): Promise<number | undefined> => {
      const server = await openServer(
        context,
        instead({ status: 429, headers: { 'retry-after': retryAfter }, body: '' }),
      );
      return (await failureOf(sendJson(request, attemptAt(server.origin)))).retryAfterMs;
    };
    assert.equal(await waitAfter('2'), 2_000);
    assert.equal(await waitAfter('86400'), 86_400_000);
    assert.equal(await waitAfter('soon'), 10_000);
    const inFiveMinutes = (await waitAfter(new Date(Date.now() + 300_000).toUTCString())) ?? 0;
    assert.ok(inFiveMinutes > 200_000 && inFiveMinutes <= 300_000, `${inFiveMinutes}`);
  });

  it('M14 no failure repeats a text, a query or a key, however the server quotes them', async (context) => {
    const text = 'Secret plans\nfor the lighthouse keeper and his dog';
    const key = 'sk-0123456789abcdef';
    const echoes = [
      `cannot embed 'Secret plans\\nfor the lighthouse keeper and his dog'`,
      `input_value='search: Secret plans...use keeper and his dog'`,
      'he said: for the lighthouse keeper',
      `the key ${key} is unknown`,
    ];
    for (const echo of echoes)
      for (const status of [200, 400, 422, 429, 500, 501, 503]) {
        const server = await openServer(context, instead(nested(status, `${echo} does not support`)));
        const attempt = attemptAt(server.origin, { texts: [text], headers: { authorization: `Bearer ${key}` } });
        const { message, details, hint } = await failureOf(sendJson(request, attempt));
        assert.doesNotMatch(JSON.stringify([message, details, hint]), /Secret|lighthouse|his dog|sk-0123/);
      }
    const server = await openServer(context, instead(says(400, 'invalid input type')));
    const failure = await failureOf(sendJson(request, attemptAt(server.origin, { texts: ['x', 'in', ' '] })));
    assert.match(failure.message, /invalid input type/);
  });
});

describe('an error during a request', () => {
  const attempt = attemptAt('http://127.0.0.1:11434');
  const causeCode = (thrown: unknown): unknown => {
    const failure = lostFailure(thrown, attempt);
    assert.ok(failure instanceof VaultgraphError);
    assertExpected(failure, call('PROVIDER_UNAVAILABLE'));
    return (failure.details as { cause_code?: string }).cause_code;
  };
  const coded = (code: string, cause?: Error): Error => Object.assign(new Error('prose', { cause }), { code });

  it('P3 is reported by the first code in its causes, never by its text', () => {
    assert.equal(causeCode(new TypeError('fetch failed', { cause: coded('ECONNREFUSED') })), 'ECONNREFUSED');
    assert.equal(
      causeCode(new TypeError('terminated', { cause: coded('UND_ERR_SOCKET', coded('EPIPE')) })),
      'UND_ERR_SOCKET',
    );
    assert.equal(causeCode(coded('ECONNRESET')), 'ECONNRESET');
    const both = new AggregateError([coded('ETIMEDOUT'), coded('ECONNREFUSED')]);
    assert.equal(causeCode(new TypeError('fetch failed', { cause: both })), 'ETIMEDOUT');
    assert.equal(causeCode(new TypeError('fetch failed', { cause: new Error('ECONNREFUSED bad port') })), 'EUNKNOWN');
    assert.equal(causeCode('ECONNREFUSED'), 'EUNKNOWN');
  });

  it("is the signal's reason after an abort, and our own error unchanged", () => {
    const reason = new Error('the client went away');
    const stop = new AbortController();
    const aborted = attemptAt('http://127.0.0.1:11434', { signal: stop.signal, call: newCall() });
    stop.abort(reason);
    assert.equal(lostFailure(new TypeError('terminated'), aborted), reason);
    const own = new VaultgraphError('INTERNAL', { kind: 'x' });
    assert.equal(lostFailure(own, attempt), own);
  });
});
