// Each failure of a call to the Ollama embedding provider, over real HTTP.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ErrorCode } from '../../../src/base/errors.ts';
import { inputs, never, newCall, vectorOf } from '../../contracts/embedding/law.ts';
import type { Fault } from '../../fakes/http/exchange.ts';
import { call, type FailureCase, HTTP_FAILURES, item } from '../../fakes/http/failure-cases.ts';
import { changed, cut, drip, empty, hang, html, redirect, reset, stall } from '../../fakes/http/faults.ts';
import * as ollama from '../../fakes/ollama/faults.ts';
import { startOllama } from '../../fakes/ollama-server.ts';
import { until } from '../../until.ts';
import { failsWith, sentTexts, startAndOpen } from './ollama-under-test.ts';

const EMBED = '/api/embed';
const TEXTS = inputs('the first secret', 'the second secret');

const CASES: readonly FailureCase[] = [
  ...HTTP_FAILURES,
  { title: 'P3 body cut', fault: cut(), code: 'PROVIDER_UNAVAILABLE', details: { cause_code: 'ECONNRESET' } },
  { title: 'P6 503', fault: ollama.busy(), code: 'PROVIDER_BUSY', details: call },
  { title: 'P7 429', fault: ollama.rateLimited('2'), code: 'PROVIDER_RATE_LIMITED', details: call },
  { title: 'P8 500', fault: ollama.loadFailed(), code: 'PROVIDER_ERROR', details: { ...call, status: 500 } },
  {
    title: 'P8 500 "not found"',
    fault: ollama.says(500, 'model blob not found'),
    code: 'PROVIDER_ERROR',
    details: call,
  },
  { title: 'P9 404 model', fault: ollama.modelMissing(), code: 'PROVIDER_MODEL_MISSING', details: call },
  { title: 'P9 404 model, quoted', fault: ollama.modelMissingQuoted(), code: 'PROVIDER_MODEL_MISSING', details: call },
  {
    title: 'P9 plain 404',
    fault: ollama.noSuchPath(),
    code: 'PROVIDER_ENDPOINT_UNSUPPORTED',
    details: { path: EMBED },
  },
  { title: 'P9 405', fault: ollama.wrongMethod(), code: 'PROVIDER_ENDPOINT_UNSUPPORTED', details: { status: 405 } },
  { title: 'P9 401', fault: ollama.unauthorized(), code: 'PROVIDER_AUTH_FAILED', details: { status: 401 } },
  { title: 'P9 403', fault: ollama.forbidden(), code: 'PROVIDER_AUTH_FAILED', details: { status: 403 } },
  { title: 'P11 cannot embed', fault: ollama.cannotEmbed(), code: 'PROVIDER_MODEL_UNSUITABLE', details: call },
  { title: 'P13 NaN as a refusal', fault: ollama.notANumber(), code: 'PROVIDER_BAD_RESPONSE', details: item },
  { title: 'P13 one vector too few', fault: ollama.vectors.oneTooFew(), code: 'PROVIDER_BAD_RESPONSE', details: call },
  { title: 'P13 no vectors', fault: ollama.vectors.none(), code: 'PROVIDER_BAD_RESPONSE', details: call },
  { title: 'P13 one shorter', fault: ollama.vectors.shorter(), code: 'PROVIDER_BAD_RESPONSE', details: call },
  { title: 'P13 all shorter', fault: ollama.vectors.shorter('every'), code: 'PROVIDER_BAD_RESPONSE', details: call },
  {
    title: 'P13 without numbers',
    fault: ollama.vectors.withoutNumbers(),
    code: 'PROVIDER_BAD_RESPONSE',
    details: call,
  },
  { title: 'P13 NaN in the JSON', fault: ollama.vectors.nanLiteral(), code: 'PROVIDER_BAD_RESPONSE', details: call },
  { title: 'P13 texts for numbers', fault: ollama.vectors.text(), code: 'PROVIDER_BAD_RESPONSE', details: call },
  { title: 'P13 no field for vectors', fault: changed(() => ({})), code: 'PROVIDER_BAD_RESPONSE', details: call },
  { title: 'P15 too long', fault: ollama.tooLong(), code: 'PROVIDER_INPUT_TOO_LONG', details: item },
  { title: 'P15 too long to cut', fault: ollama.tooLongToCut(), code: 'PROVIDER_INPUT_TOO_LONG', details: item },
  { title: 'P16 crash', fault: ollama.crashed(), code: 'PROVIDER_ERROR', details: { ...call, status: 400 } },
  { title: 'P16 another 400', fault: ollama.says(400, 'no'), code: 'PROVIDER_REJECTED_INPUT', details: item },
  { title: '499', fault: ollama.cancelledInQueue(), code: 'PROVIDER_ERROR', details: { ...call, status: 499 } },
  { title: 'an error inside a 200', fault: ollama.says(200, 'no'), code: 'PROVIDER_BAD_RESPONSE', details: call },
];

describe('a call that fails', () => {
  for (const { title, fault, code, details = {} } of CASES)
    it(`${title}: ${code}, and the next call is served`, async (test) => {
      const { server, provider } = await startAndOpen(test);
      server.fail(fault, { on: EMBED });
      const traced = newCall();
      const reported = {
        ...details,
        attempts: 1,
        provider: 'ollama',
        model: 'embeddinggemma',
        endpoint: server.origin,
      };
      const failure = await failsWith(provider.embed(TEXTS, 'document', traced, never), code, reported);
      assert.doesNotMatch(JSON.stringify([failure.message, failure.hint, failure.details]), /secret/);
      assert.equal(traced.trace.attempts, 1);
      assert.equal(server.requestsTo(EMBED).length, 1, 'it was sent again');
      server.heal();
      await vectorOf(provider, 'a text');
    });

  it('P13 one vector that is zero or not finite fails alone', async (test) => {
    const { server, provider } = await startAndOpen(test);
    for (const fault of [ollama.vectors.zero(1), ollama.vectors.nanAsNull(1), ollama.vectors.infinite(1)]) {
      server.fail(fault, { on: EMBED, times: 1 });
      const { succeeded, failed } = await provider.embed(TEXTS, 'document', newCall(), never);
      assert.deepEqual(
        [succeeded.map(({ id }) => id), failed.map(({ id, error }) => [id, error.code])],
        [['text 0'], [['text 1', 'PROVIDER_BAD_RESPONSE']]],
      );
    }
  });

  it('vectors of any length are scaled to unit length', async (test) => {
    const { server, provider } = await startAndOpen(test);
    server.fail(ollama.vectors.tenfold('every'), { on: EMBED });
    const vector = await vectorOf(provider, 'a text');
    assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-5);
  });

  it('P16 one bad text fails the request, the others succeed without it, and the model is not checked again', async (test) => {
    const { server, provider } = await startAndOpen(test, {}, { models: [{ poison: { second: 'too long' } }] });
    await failsWith(provider.embed(TEXTS, 'document', newCall(), never), 'PROVIDER_INPUT_TOO_LONG', item);
    await failsWith(provider.embed(TEXTS.slice(1), 'document', newCall(), never), 'PROVIDER_INPUT_TOO_LONG', item);
    await provider.embed(TEXTS.slice(0, 1), 'document', newCall(), never);
    assert.equal(server.requestsTo('/api/tags').length, 1);
  });

  it('P9 a redirect is not followed, not even by the first request', async (test) => {
    const other = await startOllama();
    test.after(() => other.close());
    const { server, provider } = await startAndOpen(test);
    server.fail(redirect(other.origin + EMBED), { on: EMBED });
    await failsWith(provider.embed(TEXTS, 'query', newCall(), never), 'PROVIDER_ENDPOINT_UNSUPPORTED', { status: 307 });
    server.heal();
    server.fail(redirect(`${other.origin}/api/tags`, 302), { on: '/api/tags' });
    await failsWith(provider.identify(newCall(), never), 'PROVIDER_ENDPOINT_UNSUPPORTED', {
      status: 302,
      path: '/api/tags',
    });
    assert.equal(other.requests.length, 0);
  });

  it('M14 P9 a refused key is in no output', async (test) => {
    const key = 'sk-0123456789abcdef';
    const { server, provider } = await startAndOpen(test, { headers: { authorization: `Bearer ${key}` } });
    for (const status of [401, 400, 500]) {
      server.fail(ollama.says(status, `the key ${key} is not known here`), { on: EMBED, times: 1 });
      const failure = await provider.embed(TEXTS, 'query', newCall(), never).catch((thrown) => thrown);
      assert.match(failure.code, /^PROVIDER_/);
      assert.doesNotMatch(JSON.stringify([failure.message, failure.hint, failure.details, failure.stack]), /sk-0123/);
    }
  });

  it('no text is sent if the check of the model fails in any way', async (test) => {
    const faults: readonly (readonly [Fault, ErrorCode])[] = [
      [html(200), 'PROVIDER_BAD_RESPONSE'],
      [ollama.loadFailed(), 'PROVIDER_ERROR'],
      [empty(403), 'PROVIDER_AUTH_FAILED'],
      [reset(), 'PROVIDER_UNAVAILABLE'],
      [ollama.noSuchPath(), 'PROVIDER_ENDPOINT_UNSUPPORTED'],
    ];
    for (const on of ['/api/tags', '/api/show'])
      for (const [fault, code] of faults) {
        const { server, provider } = await startAndOpen(test);
        server.fail(fault, { on, times: 1 });
        await failsWith(provider.embed(TEXTS, 'document', newCall(), never), code, { attempts: 1 });
        assert.deepEqual(sentTexts(server), []);
        await vectorOf(provider, 'a text');
      }
  });

  it('loaded and warmUp use the same failure table', async (test) => {
    const { server, provider } = await startAndOpen(test);
    server.fail(html(502));
    await failsWith(provider.loaded(never), 'PROVIDER_ERROR', { attempts: 1 });
    await failsWith(provider.warmUp(never), 'PROVIDER_ERROR', { attempts: 1 });
    server.heal();
    await provider.warmUp(never);
    assert.equal(await provider.loaded(never), true);
  });
});

describe('P4 a call that is aborted', { timeout: 120_000 }, () => {
  for (const [title, on, fault, phase] of [
    ['before headers', EMBED, hang(), 'headers'],
    ['in a body that stalls', EMBED, stall(), 'body'],
    ['in a body that drips', EMBED, drip(15), 'body'],
    ['before the headers of the first question', '/api/tags', hang(), 'headers'],
    ['in the body of the second', '/api/show', stall(), 'body'],
  ] as const)
    it(`${title} ends with the reason, tells the phase, and closes the socket`, async (test) => {
      const { server, provider } = await startAndOpen(test);
      server.fail(fault, { on });
      const [traced, stop, reason] = [newCall(), new AbortController(), new Error('enough')];
      const running = provider.embed(TEXTS, 'document', traced, stop.signal);
      await until(() => server.requestsTo(on).length > 0 && traced.trace.phase === phase, phase);
      stop.abort(reason);
      await assert.rejects(running, (thrown) => thrown === reason);
      await server.untilEnded(on, 1);
      assert.equal(server.requestsTo(on)[0]?.ended?.whole, false);
      assert.equal(traced.trace.phase, phase);
      assert.equal(traced.trace.servedBy, undefined);
      server.heal();
      await vectorOf(provider, 'a text');
    });
});
