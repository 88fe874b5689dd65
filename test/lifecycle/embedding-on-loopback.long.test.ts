// Tests the Ollama embedding provider with all its layers against a loopback server that fails on demand.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { toVaultgraphError, VaultgraphError } from '../../src/base/errors.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Embedding } from '../../src/contracts/embedding.ts';
import type { IndexJob } from '../../src/contracts/indexer.ts';
import { type LoadContext, type Loaded, load } from '../../src/lifecycle/loader.ts';
import { presentCapabilities, verifyProviders } from '../../src/lifecycle/provider-health.ts';
import type { Pull } from '../../src/lifecycle/resilience/auto-pull.ts';
import { jsonAnswer } from '../fakes/http/exchange.ts';
import { drip, empty, type hang as Hang, hang, html, instead, stall } from '../fakes/http/faults.ts';
import { DIGEST_2 } from '../fakes/ollama/model.ts';
import { type OllamaServer, startOllama } from '../fakes/ollama-server.ts';
import { until } from '../until.ts';
import { callOf, jobCall, never, thrownBy } from './resilience/under-test.ts';
import { CATALOG, placeFor } from './sample-providers.ts';

const EMBED = '/api/embed';
/** Long enough for any healthy call on a busy machine. */
const LIMIT_MS = 5_000;
const INPUTS = [{ id: 'a', text: 'the harbour before the tide' }];

interface Served extends Loaded {
  readonly embedding: Embedding;
  readonly counted: string[];
  embed(call?: ReturnType<typeof callOf>, signal?: AbortSignal): ReturnType<Embedding['embed']>;
}

/** @param extra lines of the embedding section, and of the whole config */
async function serve(
  context: TestContext,
  server: OllamaServer,
  {
    lines = [],
    settings = '',
    hooks = {},
  }: { lines?: string[]; settings?: string; hooks?: Partial<LoadContext['hooks']> } = {},
): Promise<Served> {
  const place = placeFor(context);
  const own = ['type: ollama', 'model: embeddinggemma', `endpoint: ${server.origin}`, ...lines];
  const yaml = `vault: { path: Notes }\nproviders:\n  embedding:\n${own.map((line) => `    ${line}\n`).join('')}${settings}`;
  const config = await readConfig(place.sources({ config: place.write(yaml) }), CATALOG);
  const counted: string[] = [];
  const { retry, breaker } = config;
  const loaded = await load(
    config.sections.filter(({ provider }) => provider.capability === 'embedding'),
    {
      ...place.context,
      resilience: { retry: { attempts: retry.attempts, jobAttempts: retry.job_attempts }, breaker },
      hooks: { ...place.context.hooks, count: (name) => void counted.push(name), ...hooks },
    },
  );
  context.after(() => loaded.close());
  const { embedding } = loaded.capabilities as { embedding: Embedding };
  const embed = (call = callOf(), signal = never) => embedding.embed(INPUTS, 'query', call, signal);
  return { ...loaded, embedding, counted, embed };
}

async function ollama(context: TestContext, ...start: Parameters<typeof startOllama>): Promise<OllamaServer> {
  const server = await startOllama(...start);
  context.after(() => server.close());
  return server;
}

test('P1 P2 a closed port fails without waiting for the limit, after two attempts, and the next call succeeds once it is open', async (context) => {
  const server = await ollama(context);
  const { embed } = await serve(context, server);
  await server.refuse();
  const began = performance.now();
  const error = await thrownBy(embed());
  assert.ok(performance.now() - began < 20_000);
  assert.equal(error.code, 'PROVIDER_UNAVAILABLE');
  assert.partialDeepStrictEqual(error.details, { cause_code: 'ECONNREFUSED', attempts: 2, endpoint: server.origin });
  await server.reopen();
  assert.equal((await embed()).succeeded.length, 1);
});

const HANGS: readonly { readonly name: string; readonly fault: ReturnType<typeof Hang>; readonly phase: string }[] = [
  { name: 'before the headers', fault: hang(), phase: 'headers' },
  { name: 'in the middle of the body', fault: stall(), phase: 'body' },
  { name: 'byte after byte', fault: drip(20), phase: 'body' },
];

for (const { name, fault, phase } of HANGS) {
  test(`P4 an answer that hangs ${name} ends at the limit, and the server sees its socket close`, async (context) => {
    const server = await ollama(context);
    const { embed } = await serve(context, server, { lines: [`timeout: ${LIMIT_MS}`] });
    await embed();
    server.fail(fault, { on: EMBED, times: 1 });
    const began = performance.now();
    const error = await thrownBy(embed());
    const tookMs = performance.now() - began;
    assert.equal(error.code, 'PROVIDER_TIMEOUT');
    assert.partialDeepStrictEqual(error.details, { phase, timeout_ms: LIMIT_MS, clipped: false, attempts: 1 });
    assert.ok(tookMs >= LIMIT_MS * 0.9, `${tookMs}`);
    await server.untilEnded(EMBED, 2);
    const [, last] = server.requestsTo(EMBED);
    assert.equal(last?.ended?.whole, false);
    assert.equal((await embed()).succeeded.length, 1, 'the next call is served');
  });
}

test('P6 status 503 once, always, and twice in a job', async (context) => {
  const server = await ollama(context);
  const { embed, counted } = await serve(context, server);
  const reported: string[] = [];
  server.fail(empty(503), { on: EMBED, times: 1 });
  const call = callOf({ onWait: (message) => reported.push(message) });
  assert.equal((await embed(call)).succeeded.length, 1);
  assert.equal(call.trace.attempts, 2);
  assert.deepEqual(reported, ['retry 2/2: server busy']);
  assert.deepEqual(counted, ['retries_total{ollama,PROVIDER_BUSY}']);
  server.fail(empty(503), { on: EMBED, times: 2 });
  assert.equal((await embed(jobCall())).succeeded.length, 1);
  server.fail(empty(503), { on: EMBED });
  const error = await thrownBy(embed());
  assert.deepEqual([error.code, error.retryAfterMs], ['PROVIDER_BUSY', 5_000]);
});

test('P7 Retry-After of a 429: seconds, a date, too long, and absent', async (context) => {
  const server = await ollama(context);
  const { embed } = await serve(context, server);
  const waited = async (retryAfter: string): Promise<number> => {
    server.fail(empty(429, { 'retry-after': retryAfter }), { on: EMBED, times: 1 });
    const call = callOf();
    await embed(call);
    return call.trace.retries[0]?.waited_ms ?? Number.NaN;
  };
  const seconds = await waited('1');
  assert.ok(seconds >= 990, `${seconds}`);
  const date = await waited(new Date(Date.now() + 4_000).toUTCString());
  assert.ok(date > 0, `${date}`);
  const garbage = await waited('soon');
  assert.ok(garbage >= 400, `${garbage}`);
  server.fail(empty(429, { 'retry-after': '86400' }), { on: EMBED, times: 1 });
  const before = server.requestsTo(EMBED).length;
  const error = await thrownBy(embed());
  assert.deepEqual([error.code, error.retryAfterMs], ['PROVIDER_RATE_LIMITED', 86_400_000]);
  assert.equal(server.requestsTo(EMBED).length, before + 1);
});

test('P8 a single 500 is retried; repeated 500s are PROVIDER_ERROR, whatever the body says', async (context) => {
  const server = await ollama(context);
  const { embed } = await serve(context, server);
  const failing = instead(jsonAnswer(500, { error: 'model "x" not found in the cache' }));
  server.fail(failing, { on: EMBED, times: 1 });
  assert.equal((await embed()).succeeded.length, 1);
  server.fail(failing, { on: EMBED });
  const error = await thrownBy(embed());
  assert.equal(error.code, 'PROVIDER_ERROR');
  assert.partialDeepStrictEqual(error.details, { attempts: 2, status: 500 });
  server.heal();
  server.fail(html(200), { on: EMBED, times: 1 });
  assert.equal((await thrownBy(embed())).code, 'PROVIDER_BAD_RESPONSE');
});

test('P21 with the breaker on, the call after five failures is refused immediately', async (context) => {
  const server = await ollama(context);
  const settings = 'retry: { attempts: 1 }\nbreaker: { enabled: true, failures: 5, cooldown: 10000 }\n';
  const { embed, providers } = await serve(context, server, { settings });
  await server.refuse();
  for (let at = 0; at < 5; at += 1) assert.equal((await thrownBy(embed())).code, 'PROVIDER_UNAVAILABLE');
  const error = await thrownBy(embed());
  assert.equal(error.code, 'PROVIDER_CIRCUIT_OPEN');
  assert.partialDeepStrictEqual(error.details, { last_code: 'PROVIDER_UNAVAILABLE' });
  assert.match(providers[0]?.notes().join() ?? '', /breaker open since/);
  await server.reopen();
  await until(() => providers[0]?.notes().length === 0 || embed().then(Boolean, () => false), 'the breaker closes');
  assert.equal((await embed()).succeeded.length, 1);
});

test('P18 a second endpoint with the same digest answers; one with a different digest is refused', async (context) => {
  const [first, same, other] = [await ollama(context), await ollama(context), await ollama(context)];
  other.change('embeddinggemma', { digest: DIGEST_2 });
  const lines = (failover: OllamaServer) => [`failover: ["${failover.origin}"]`];
  const proven = await serve(context, first, { lines: lines(same) });
  const refused = await serve(context, first, { lines: lines(other) });
  await proven.embedding.identify(callOf(), never);
  await refused.embedding.identify(callOf(), never);
  await first.refuse();
  const call = callOf();
  assert.equal((await proven.embed(call)).succeeded.length, 1);
  assert.deepEqual([call.trace.failedOver, call.trace.servedBy], [true, `ollama@127.0.0.1:${same.port}`]);
  assert.deepEqual(proven.textGoesTo, [first.origin, same.origin]);
  const error = await thrownBy(refused.embed());
  assert.partialDeepStrictEqual(error.details, { endpoint: first.origin, cause_code: 'ECONNREFUSED' });
  assert.equal(other.requestsTo(EMBED).length, 0);
  const [row] = await presentCapabilities(refused.providers, never);
  assert.deepEqual(row?.notes, [`failover ${other.origin}: refused: serves another model: digest`]);
});

test('P23 a model that loads within the limit answers; a slower one is cold_start, and the warm-up loads it', async (context) => {
  const server = await ollama(context, { models: [{ loadMs: 3_000 }] });
  const patient = await serve(context, server, { lines: ['timeout: 8000'] });
  const reported: string[] = [];
  const call = callOf({ onWait: (message) => reported.push(message) });
  assert.equal((await patient.embed(call)).succeeded.length, 1);
  assert.deepEqual([reported, call.trace.coldStart], [['the model is being loaded'], true]);
  server.install({ loadMs: 2 * LIMIT_MS });
  const hasty = await serve(context, server, { lines: [`timeout: ${LIMIT_MS}`] });
  const error = await thrownBy(hasty.embed());
  assert.partialDeepStrictEqual(error.details, { cold_start: true, phase: 'load', timeout_ms: LIMIT_MS });
  await until(() => server.model('embeddinggemma').isLoaded(), 'the warm-up loads it');
  const [answer] = await Promise.allSettled([hasty.embed()]);
  assert.equal(answer.status, 'fulfilled');
});

/** Jobs as the indexer runs them. */
function pullJobs() {
  const stop = new AbortController();
  const ended: Promise<VaultgraphError | undefined>[] = [];
  const startPull = (pull: Pull): IndexJob => {
    ended.push(pull(() => undefined, stop.signal).then(() => undefined, toVaultgraphError));
    return { id: 'job_1' } as IndexJob;
  };
  return { stop, ended, hooks: { startPull } };
}

const PULLS: readonly { outcome: 'works' | 'fails' | 'stalls'; job: string | undefined; after: string | undefined }[] =
  [
    { outcome: 'works', job: undefined, after: undefined },
    { outcome: 'fails', job: 'PROVIDER_ERROR', after: 'PROVIDER_MODEL_MISSING' },
    { outcome: 'stalls', job: 'PROVIDER_TIMEOUT', after: 'PROVIDER_MODEL_MISSING' },
  ];

for (const { outcome, job, after } of PULLS) {
  test(`P10 auto_pull: once, and the pull ${outcome}: one pull and no second one`, async (context) => {
    const server = await ollama(context, { models: [], library: [{}] });
    server.pulls({ outcome });
    const { hooks, ended } = pullJobs();
    const { embed } = await serve(context, server, { lines: ['auto_pull: once', 'load_timeout: 4000'], hooks });
    const first = await thrownBy(embed());
    assert.equal(first.code, 'PROVIDER_MODEL_PULLING');
    assert.partialDeepStrictEqual(first.details, { job_id: 'job_1' });
    assert.equal((await ended[0])?.code, job);
    const [next] = await Promise.allSettled([embed()]);
    assert.equal(next.status === 'rejected' ? next.reason.code : undefined, after);
    if (next.status === 'rejected') assert.equal(next.reason.details.auto_pull, 'failed');
    assert.equal(server.requestsTo('/api/pull').length, 1);
  });
}

test('P10 a cancelled pull closes its socket; auto_pull: never pulls nothing', async (context) => {
  const server = await ollama(context, { models: [], library: [{}] });
  server.pulls({ outcome: 'stalls' });
  const { hooks, ended, stop } = pullJobs();
  const once = await serve(context, server, { lines: ['auto_pull: once'], hooks });
  await thrownBy(once.embed());
  await until(() => server.requestsTo('/api/pull').length > 0, 'the pull begins');
  stop.abort(new VaultgraphError('CANCELLED', { committed: 'none' }));
  assert.equal((await ended[0])?.code, 'CANCELLED');
  await server.untilEnded('/api/pull', 1);
  const never = await serve(context, server, { hooks });
  const error = await thrownBy(never.embed());
  assert.partialDeepStrictEqual(error.details, { auto_pull: 'never' });
  assert.match(error.hint, /ollama pull embeddinggemma/);
  assert.equal(server.requestsTo('/api/pull').length, 1);
});

test('P27 a cancel while the server computes closes its socket, and the late answer is dropped', async (context) => {
  const server = await ollama(context, { models: [{ textMs: 5_000 }] });
  const { embed, counted } = await serve(context, server);
  const stop = new AbortController();
  const reason = new VaultgraphError('CANCELLED', { committed: 'none' });
  const cancelled = thrownBy(embed(callOf(), stop.signal));
  await until(() => server.requestsTo(EMBED).length > 0, 'the request is sent');
  stop.abort(reason);
  assert.equal(await cancelled, reason);
  await server.untilEnded(EMBED, 1);
  assert.equal(server.requestsTo(EMBED)[0]?.ended?.whole, false);
  await pause(300);
  assert.deepEqual(counted, []);
});

test('M13 startup.verify: missing model, unreachable server, and no fault', async (context) => {
  const server = await ollama(context, { models: [] });
  const { providers } = await serve(context, server);
  const missing = await thrownBy(verifyProviders(providers, never));
  assert.match(missing.message, /startup\.verify: providers\.embedding: \[PROVIDER_MODEL_MISSING\]/);
  server.install({});
  await verifyProviders(providers, never);
  await server.refuse();
  const away = await thrownBy(verifyProviders(providers, never));
  assert.match(away.message, /config\.yaml:3:3: .*\[PROVIDER_UNAVAILABLE\]/);
});

test('status reports each level of a provider and when it was checked', async (context) => {
  const server = await ollama(context);
  const { providers, warmUp } = await serve(context, server);
  const levels = async () => {
    const [row] = await presentCapabilities(providers, never);
    return (row?.levels ?? []).map(({ level, ok }) => `${level} ${ok}`);
  };
  assert.deepEqual(await levels(), ['reachable true', 'model true', 'answers unknown']);
  warmUp();
  await until(() => server.model('embeddinggemma').isLoaded(), 'the warm-up loads it');
  assert.deepEqual(await levels(), ['reachable true', 'model true', 'answers true']);
  server.remove('embeddinggemma');
  assert.deepEqual(await levels(), ['reachable true', 'model false']);
  await server.refuse();
  assert.deepEqual(await levels(), ['reachable false']);
});
