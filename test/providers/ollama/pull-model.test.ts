// Pulling a model over real HTTP: progress, failures inside a 200, and aborts.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { assertEach } from '../../assert-each.ts';
import { never, newCall, vectorOf } from '../../contracts/embedding/law.ts';
import type { Fault } from '../../fakes/http/exchange.ts';
import { cut, html, instead, redirect } from '../../fakes/http/faults.ts';
import { says } from '../../fakes/ollama/faults.ts';
import { until } from '../../until.ts';
import { failsWith, startAndOpen } from './ollama-under-test.ts';

const PATH = '/api/pull';

async function startToPull(test: TestContext) {
  const start = { models: [], library: [{ name: 'embeddinggemma' }] };
  const { server, opened, provider } = await startAndOpen(test, { auto_pull: 'once' }, start);
  const shares: number[] = [];
  const { pull } = opened;
  assert.ok(pull);
  return { server, provider, shares, pull: (signal = never) => pull((share) => shares.push(share), signal) };
}

const lines = (...records: readonly (object | string)[]): Fault =>
  instead({
    status: 200,
    headers: { 'content-type': 'application/x-ndjson' },
    body: records.map((record) => (typeof record === 'string' ? record : JSON.stringify(record))).join('\n'),
  });

describe('P10 pulling the model', { timeout: 120_000 }, () => {
  it('is available only if configured', async (test) => {
    const { opened } = await startAndOpen(test);
    assert.equal(opened.pull, undefined);
  });

  it('installs the model, and the reported share only grows', async (test) => {
    const { server, provider, shares, pull } = await startToPull(test);
    await failsWith(provider.identify(newCall(), never), 'PROVIDER_MODEL_MISSING', { auto_pull: 'once' });
    await pull();
    await vectorOf(provider, 'a text');
    assert.deepEqual([shares.at(0), shares.at(-1)], [0, 1]);
    assert.deepEqual(
      shares,
      shares.toSorted((one, other) => one - other),
    );
    assert.ok(shares.includes(0.5));
    assertEach(server.requestsTo(PATH), ({ body }) => body, [{ model: 'embeddinggemma', stream: true }]);
  });

  it('reports a share that does not fall when another file begins', async (test) => {
    const { server, shares, pull } = await startToPull(test);
    const records = [
      { status: 'pulling', digest: 'a', total: 100, completed: 80 },
      { status: 'pulling', digest: 'b', total: 100 },
      { status: 'pulling', digest: 'b', total: 100, completed: 100 },
      { status: 'success' },
    ];
    server.fail(lines(...records), { on: PATH });
    await pull();
    assert.deepEqual(shares, [0.8, 0.8, 0.9, 1]);
  });

  it('an error line in a 200 is treated as status 500 with its text', async (test) => {
    const { server, provider, pull } = await startToPull(test);
    server.pulls({ outcome: 'fails' });
    await failsWith(pull(), 'PROVIDER_ERROR', {
      status: 500,
      said: 'max retries exceeded: unexpected EOF',
      attempts: 1,
    });
    await failsWith(provider.identify(newCall(), never), 'PROVIDER_MODEL_MISSING');
    server.pulls({ outcome: 'works' });
    await pull();
    await provider.identify(newCall(), never);
  });

  it('a stream without its final record, or with an invalid one, is a bad response', async (test) => {
    const { server, pull } = await startToPull(test);
    server.pulls({ outcome: 'ends early' });
    await failsWith(pull(), 'PROVIDER_BAD_RESPONSE', { expected: 'a final record' });
    for (const fault of [
      lines('{"status": "pull'),
      lines('[]'),
      lines('"success"'),
      lines(''),
      lines({ status: 1 }),
      html(200),
    ]) {
      server.fail(fault, { on: PATH, times: 1 });
      await failsWith(pull(), 'PROVIDER_BAD_RESPONSE', { level: 'call' });
    }
  });

  it('a refusal or a lost connection fails as usual, and a redirect is not followed', async (test) => {
    const { server, pull } = await startToPull(test);
    for (const [fault, code] of [
      [says(400, 'invalid model name'), 'PROVIDER_REJECTED_INPUT'],
      [html(502), 'PROVIDER_ERROR'],
      [cut(), 'PROVIDER_UNAVAILABLE'],
      [redirect('http://models.example.test/'), 'PROVIDER_ENDPOINT_UNSUPPORTED'],
    ] as const) {
      server.fail(fault, { on: PATH, times: 1 });
      await failsWith(pull(), code);
    }
  });

  it('a stalled pull ends with the signal, and its socket closes', async (test) => {
    const { server, pull, shares } = await startToPull(test);
    server.pulls({ outcome: 'stalls' });
    const [stop, reason] = [new AbortController(), new Error('enough')];
    const pulling = pull(stop.signal);
    await until(() => shares.length >= 2, 'two reports');
    stop.abort(reason);
    await assert.rejects(pulling, (thrown) => thrown === reason);
    await server.untilEnded(PATH, 1);
    assert.equal(server.requestsTo(PATH)[0]?.ended?.whole, false);
  });
});
