// Tests the Ollama language-model provider with all its layers against a loopback server that fails on demand.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { toVaultgraphError, type VaultgraphError } from '../../src/base/errors.ts';
import { readConfig } from '../../src/config/config.ts';
import type { IndexJob } from '../../src/contracts/indexer.ts';
import type { LLMProvider } from '../../src/contracts/llm.ts';
import { type LoadContext, type Loaded, load } from '../../src/lifecycle/loader.ts';
import { presentCapabilities, verifyProviders } from '../../src/lifecycle/provider-health.ts';
import type { Pull } from '../../src/lifecycle/resilience/auto-pull.ts';
import { HARBOUR, request } from '../contracts/llm/law.ts';
import { llmLaws } from '../contracts/llm.ts';
import { jsonAnswer } from '../fakes/http/exchange.ts';
import { empty, faultsOf, type hang as Hang, hang, html, instead, late } from '../fakes/http/faults.ts';
import { byteByByte, stallAfter } from '../fakes/http/stream-faults.ts';
import { endedBy, neverDone } from '../fakes/ollama/chat-faults.ts';
import { loadFailed, modelMissingQuoted } from '../fakes/ollama/faults.ts';
import { CHATTING, DIGEST_2, type ModelSettings } from '../fakes/ollama/model.ts';
import { type OllamaServer, startOllama } from '../fakes/ollama-server.ts';
import { until } from '../until.ts';
import { callOf, jobCall, never, thrownBy } from './resilience/under-test.ts';
import { CATALOG, type Place, placeFor } from './sample-providers.ts';

const CHAT = '/api/chat';
/** Long enough for any healthy call on a busy machine. */
const LIMIT_MS = 5_000;
const healthy = (): string => JSON.stringify(HARBOUR);

interface Served extends Loaded {
  readonly llm: LLMProvider;
  readonly counted: string[];
  /** Events of the log, in order. */
  readonly events: string[];
  generate(call?: ReturnType<typeof callOf>, signal?: AbortSignal): Promise<unknown>;
}

interface Given {
  /** Of the section of the provider, and of the whole config. */
  readonly lines?: readonly string[];
  readonly settings?: string;
  readonly hooks?: Partial<LoadContext['hooks']>;
}

async function loadFrom(
  place: Place,
  origin: string,
  { lines = [], settings = '', hooks = {} }: Given = {},
): Promise<Served> {
  const own = ['type: ollama', 'model: llama3.2', `endpoint: ${origin}`, ...lines];
  const yaml = `vault: { path: Notes }\nproviders:\n  llm:\n${own.map((line) => `    ${line}\n`).join('')}${settings}`;
  const config = await readConfig(place.sources({ config: place.write(yaml) }), CATALOG);
  const [counted, events]: [string[], string[]] = [[], []];
  const { retry, breaker } = config;
  const loaded = await load(
    config.sections.filter(({ provider }) => provider.capability === 'llm'),
    {
      ...place.context,
      log: (_level, event) => void events.push(event),
      resilience: { retry: { attempts: retry.attempts, jobAttempts: retry.job_attempts }, breaker },
      hooks: { ...place.context.hooks, count: (name) => void counted.push(name), ...hooks },
    },
  );
  const { llm } = loaded.capabilities as { llm: LLMProvider };
  const generate = async (call = callOf(), signal = never) => (await llm.generate(request(), call, signal)).value;
  return { ...loaded, llm, counted, events, generate };
}

async function serve(context: TestContext, { origin }: OllamaServer, given: Given = {}): Promise<Served> {
  const served = await loadFrom(placeFor(context), origin, given);
  context.after(() => served.close());
  return served;
}

async function ollama(context: TestContext, model: Partial<ModelSettings> = {}): Promise<OllamaServer> {
  const server = await startOllama({ models: [{ ...CHATTING, ...model }], script: healthy });
  context.after(() => server.close());
  return server;
}

test('the fake server behind the layers', async (context) => {
  const place = placeFor(context);
  llmLaws('the ollama provider behind its layers', async () => {
    const server = await startOllama({ models: [CHATTING] });
    const { llm: provider, close } = await loadFrom(place, server.origin, { settings: 'retry: { attempts: 1 }\n' });
    return {
      provider,
      writes: server.writes,
      cutsShort: () => server.fail(endedBy('length'), { on: CHAT }),
      ...faultsOf(server, loadFailed(), close),
    };
  });
});

test('P1 P2 a closed port fails without waiting for the limit, after two attempts, and the next call succeeds once it is open', async (context) => {
  const server = await ollama(context);
  const { generate } = await serve(context, server);
  await server.refuse();
  const began = performance.now();
  const error = await thrownBy(generate());
  assert.ok(performance.now() - began < 20_000);
  assert.equal(error.code, 'PROVIDER_UNAVAILABLE');
  assert.match(error.message, /^cannot reach Ollama at http:\/\/127\.0\.0\.1:\d+: is it running\?$/);
  assert.partialDeepStrictEqual(error.details, { capability: 'llm', cause_code: 'ECONNREFUSED', attempts: 2 });
  await server.reopen();
  assert.deepEqual(await generate(), HARBOUR);
});

const HANGS: readonly { readonly name: string; readonly fault: ReturnType<typeof Hang>; readonly phase: string }[] = [
  { name: 'before the headers', fault: hang(), phase: 'headers' },
  { name: 'in the middle of the stream', fault: stallAfter(3), phase: 'body' },
  { name: 'byte after byte', fault: byteByByte(20), phase: 'body' },
];

for (const { name, fault, phase } of HANGS)
  test(`P4 an answer that hangs ${name} ends at the limit, and the server sees its socket close`, async (context) => {
    const server = await ollama(context);
    const { generate } = await serve(context, server, { lines: [`timeout: ${LIMIT_MS}`] });
    await generate();
    server.fail(fault, { on: CHAT, times: 1 });
    const began = performance.now();
    const error = await thrownBy(generate());
    const tookMs = performance.now() - began;
    assert.equal(error.code, 'PROVIDER_TIMEOUT');
    const reported = { capability: 'llm', phase, timeout_ms: LIMIT_MS, clipped: false, attempts: 1, cold_start: false };
    assert.partialDeepStrictEqual(error.details, reported);
    assert.ok(tookMs >= LIMIT_MS * 0.9, `${tookMs}`);
    await server.untilEnded(CHAT, 2);
    const [, last] = server.requestsTo(CHAT);
    assert.equal(last?.ended?.whole, false);
    assert.deepEqual(await generate(), HARBOUR, 'the next call is served');
  });

test('P4 a call with less time left than the limit ends with its own time', async (context) => {
  const server = await ollama(context);
  const { generate } = await serve(context, server);
  server.fail(stallAfter(2), { on: CHAT, times: 1 });
  const error = await thrownBy(generate(callOf({ msLeft: () => 400 })));
  assert.equal(error.code, 'PROVIDER_TIMEOUT');
  assert.partialDeepStrictEqual(error.details, { clipped: true, timeout_ms: 400, phase: 'body' });
});

test('P5 HTML with status 200 is a bad response, with status 502 a server failure', async (context) => {
  const server = await ollama(context);
  const { generate } = await serve(context, server);
  server.fail(html(200), { on: CHAT, times: 1 });
  const bad = await thrownBy(generate());
  assert.partialDeepStrictEqual({ code: bad.code, ...bad.details }, { code: 'PROVIDER_BAD_RESPONSE', attempts: 1 });
  server.fail(html(502), { on: CHAT });
  const failing = await thrownBy(generate());
  assert.partialDeepStrictEqual({ code: failing.code, ...failing.details }, { code: 'PROVIDER_ERROR', attempts: 2 });
});

test('P6 status 503 once, always, and twice in a job', async (context) => {
  const server = await ollama(context);
  const { generate, counted } = await serve(context, server);
  const reported: string[] = [];
  server.fail(empty(503), { on: CHAT, times: 1 });
  const call = callOf({ onWait: (message) => reported.push(message) });
  assert.deepEqual(await generate(call), HARBOUR);
  assert.deepEqual([call.trace.attempts, call.trace.retries.length], [2, 1]);
  assert.deepEqual(reported, ['retry 2/2: server busy']);
  assert.deepEqual(counted, ['retries_total{ollama,PROVIDER_BUSY}']);
  server.fail(empty(503), { on: CHAT, times: 2 });
  assert.deepEqual(await generate(jobCall()), HARBOUR);
  server.fail(empty(503), { on: CHAT });
  const error = await thrownBy(generate());
  assert.deepEqual([error.code, error.retryAfterMs], ['PROVIDER_BUSY', 5_000]);
});

test('P7 Retry-After of a 429: seconds, too long, and absent', async (context) => {
  const server = await ollama(context);
  const { generate } = await serve(context, server);
  const waited = async (retryAfter: string): Promise<number> => {
    server.fail(empty(429, { 'retry-after': retryAfter }), { on: CHAT, times: 1 });
    const call = callOf();
    await generate(call);
    return call.trace.retries[0]?.waited_ms ?? Number.NaN;
  };
  const seconds = await waited('1');
  assert.ok(seconds >= 990 && seconds < 2_500, `${seconds}`);
  const garbage = await waited('soon');
  assert.ok(garbage >= 400 && garbage < 3_500, `${garbage}`);
  server.fail(empty(429, { 'retry-after': '86400' }), { on: CHAT, times: 1 });
  const error = await thrownBy(generate());
  assert.deepEqual([error.code, error.retryAfterMs], ['PROVIDER_RATE_LIMITED', 86_400_000]);
});

test('P8 a single 500 is retried; repeated 500s are PROVIDER_ERROR, whatever the body says', async (context) => {
  const server = await ollama(context);
  const { generate } = await serve(context, server);
  const failing = instead(jsonAnswer(500, { error: 'model "x" not found in the cache' }));
  server.fail(failing, { on: CHAT, times: 1 });
  assert.deepEqual(await generate(), HARBOUR);
  server.fail(failing, { on: CHAT });
  const error = await thrownBy(generate());
  assert.equal(error.code, 'PROVIDER_ERROR');
  assert.partialDeepStrictEqual(error.details, { attempts: 2, status: 500 });
});

test('P9 a missing model, a wrong path and a wrong key are not retried', async (context) => {
  const server = await ollama(context);
  const { generate } = await serve(context, server);
  for (const [fault, code] of [
    [modelMissingQuoted('llama3.2'), 'PROVIDER_MODEL_MISSING'],
    [empty(404), 'PROVIDER_ENDPOINT_UNSUPPORTED'],
    [empty(403), 'PROVIDER_AUTH_FAILED'],
  ] as const) {
    server.fail(fault, { on: CHAT, times: 1 });
    const error = await thrownBy(generate());
    assert.partialDeepStrictEqual({ code: error.code, ...error.details }, { code, attempts: 1 });
    assert.deepEqual(await generate(), HARBOUR);
  }
});

/** Jobs as the indexer runs them. */
function pullJobs() {
  const ended: Promise<VaultgraphError | undefined>[] = [];
  const startPull = (pull: Pull): IndexJob => {
    ended.push(pull(() => undefined, never).then(() => undefined, toVaultgraphError));
    return { id: 'job_1' } as IndexJob;
  };
  return { ended, hooks: { startPull } };
}

test('P10 auto_pull: once pulls the model once, then it answers; auto_pull: never does not pull', async (context) => {
  const server = await startOllama({ models: [], library: [CHATTING], script: healthy });
  context.after(() => server.close());
  const { hooks, ended } = pullJobs();
  const none = await serve(context, server, { hooks });
  assert.equal((await thrownBy(none.generate())).code, 'PROVIDER_MODEL_MISSING');
  assert.equal(server.requestsTo('/api/pull').length, 0);
  const once = await serve(context, server, { lines: ['auto_pull: once'], hooks });
  const first = await thrownBy(once.generate());
  assert.equal(first.code, 'PROVIDER_MODEL_PULLING');
  assert.partialDeepStrictEqual(first.details, { job_id: 'job_1', capability: 'llm' });
  assert.equal(await ended[0], undefined);
  assert.deepEqual(await once.generate(), HARBOUR);
  assert.equal(server.requestsTo('/api/pull').length, 1);
});

test('P12 a cloud model or a remote endpoint is a config fault with its position, and no request is sent', async (context) => {
  const server = await ollama(context);
  const place = placeFor(context);
  const faultsOf = async (lines: string) => {
    const config = place.write(`vault: { path: Notes }\nproviders:\n  llm:\n    type: ollama\n${lines}`);
    const [read] = await Promise.allSettled([readConfig(place.sources({ config }), CATALOG)]);
    return read.status === 'rejected' ? read.reason.details.faults : [];
  };
  const cloud = await faultsOf(`    model: gpt-oss:120b-cloud\n    endpoint: ${server.origin}\n`);
  assert.partialDeepStrictEqual(cloud, [{ key: 'providers.llm.model', line: 5, column: 12 }]);
  const elsewhere = await faultsOf('    model: llama3.2\n    endpoint: http://192.168.1.20:11434\n');
  assert.partialDeepStrictEqual(elsewhere, [{ key: 'providers.llm.endpoint', line: 6 }]);
  assert.equal(server.requests.length, 0);
});

test('P12 a model that turns out to be remote is EGRESS_BLOCKED, and no text is sent', async (context) => {
  const server = await ollama(context, { remoteHost: 'https://ollama.invalid' });
  const { generate } = await serve(context, server);
  const error = await thrownBy(generate());
  assert.equal(error.code, 'EGRESS_BLOCKED');
  assert.match(error.hint, /providers\.llm\.allow_remote/);
  assert.equal(server.requestsTo(CHAT).length, 0);
});

test('P18 a second endpoint with the same digest answers; one with a different or unknown digest is refused', async (context) => {
  const [first, same, other] = [await ollama(context), await ollama(context), await ollama(context)];
  other.change('llama3.2', { digest: DIGEST_2 });
  const lines = (failover: OllamaServer) => [`failover: ["${failover.origin}"]`];
  const proven = await serve(context, first, { lines: lines(same) });
  const refused = await serve(context, first, { lines: lines(other) });
  const unknown = await serve(context, first, { lines: lines(same) });
  await proven.llm.identify(callOf(), never);
  await refused.llm.identify(callOf(), never);
  await first.refuse();
  const call = callOf();
  assert.deepEqual(await proven.generate(call), HARBOUR);
  assert.deepEqual([call.trace.failedOver, call.trace.servedBy], [true, `ollama@127.0.0.1:${same.port}`]);
  assert.deepEqual(proven.textGoesTo, [first.origin, same.origin]);
  const error = await thrownBy(refused.generate());
  assert.partialDeepStrictEqual(error.details, { endpoint: first.origin, cause_code: 'ECONNREFUSED' });
  assert.equal(other.requestsTo(CHAT).length, 0);
  const [row] = await presentCapabilities(refused.providers, never);
  assert.deepEqual(row?.notes, [`failover ${other.origin}: refused: serves another model: digest`]);
  assert.equal((await thrownBy(unknown.generate())).code, 'PROVIDER_UNAVAILABLE');
  assert.match(unknown.providers[0]?.notes().join() ?? '', /refused: the model of the first endpoint is not known/);
});

test('P21 with the breaker on, the call after five failures is refused immediately; invalid answers do not open it', async (context) => {
  const server = await ollama(context);
  const settings = 'retry: { attempts: 1 }\nbreaker: { enabled: true, failures: 5, cooldown: 10000 }\n';
  const { generate, providers } = await serve(context, server, { settings });
  server.fail(neverDone(), { on: CHAT, times: 6 });
  for (let at = 0; at < 6; at += 1) assert.equal((await thrownBy(generate())).code, 'PROVIDER_BAD_RESPONSE');
  await server.refuse();
  for (let at = 0; at < 5; at += 1) assert.equal((await thrownBy(generate())).code, 'PROVIDER_UNAVAILABLE');
  const error = await thrownBy(generate());
  assert.equal(error.code, 'PROVIDER_CIRCUIT_OPEN');
  assert.match(error.message, /^the language-model request failed: /);
  assert.match(providers[0]?.notes().join() ?? '', /^breaker open since/);
  await server.reopen();
  await until(() => providers[0]?.notes().length === 0 || generate().then(Boolean, () => false), 'the breaker closes');
  assert.deepEqual(await generate(), HARBOUR);
});

test('P22 two requests run at a time, eight wait, and further ones are OVERLOADED', async (context) => {
  const server = await ollama(context, { tokenMs: 10 });
  const { generate } = await serve(context, server);
  const ended = await Promise.allSettled(Array.from({ length: 12 }, () => generate()));
  const codes = ended.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []));
  assert.deepEqual(codes, ['OVERLOADED', 'OVERLOADED']);
  const spans = server.requestsTo(CHAT).map(({ at, ended: end }) => [at, end?.at ?? Infinity] as const);
  const most = Math.max(...spans.map(([at]) => spans.filter(([from, to]) => from <= at && to > at).length));
  assert.ok(most <= 2, `${most} at once`);
});

test('P23 a model that loads within the limit answers; a slower one is cold_start, and the warm-up loads it', async (context) => {
  const server = await ollama(context, { loadMs: 3_000 });
  const patient = await serve(context, server, { lines: ['timeout: 8000'] });
  const reported: string[] = [];
  const call = callOf({ onWait: (message) => reported.push(message) });
  assert.deepEqual(await patient.generate(call), HARBOUR);
  assert.deepEqual([reported, call.trace.coldStart], [['the model is being loaded'], true]);
  server.install({ ...CHATTING, loadMs: 2 * LIMIT_MS });
  const hasty = await serve(context, server, { lines: [`timeout: ${LIMIT_MS}`] });
  const error = await thrownBy(hasty.generate());
  assert.partialDeepStrictEqual(error.details, { cold_start: true, phase: 'load', timeout_ms: LIMIT_MS });
  assert.match(error.hint, /being loaded in the background/);
  await until(() => server.model('llama3.2').isLoaded(), 'the warm-up loads it');
  assert.deepEqual(await hasty.generate(), HARBOUR);
});

test('P23 startup does not load the model', async (context) => {
  const server = await ollama(context);
  const { warmUp, generate } = await serve(context, server);
  warmUp();
  await pause(100);
  assert.equal(server.requests.length, 0);
  await generate();
});

test('P24 truncated or invalid answers are not requested again', async (context) => {
  const server = await ollama(context);
  const { generate } = await serve(context, server);
  server.fail(endedBy('length'), { on: CHAT, times: 1 });
  const cut = await thrownBy(generate());
  assert.partialDeepStrictEqual({ code: cut.code, ...cut.details }, { code: 'PROVIDER_BAD_RESPONSE', level: 'item' });
  assert.equal(server.requestsTo(CHAT).length, 1);
  assert.deepEqual(await generate(), HARBOUR);
});

test('P27 an answer that comes after the deadline or a cancel is dropped', async (context) => {
  const server = await ollama(context);
  const { generate, counted } = await serve(context, server, { lines: [`timeout: ${LIMIT_MS}`] });
  await generate();
  server.fail(late(2 * LIMIT_MS), { on: CHAT, times: 1 });
  assert.equal((await thrownBy(generate())).code, 'PROVIDER_TIMEOUT');
  server.fail(late(2 * LIMIT_MS), { on: CHAT, times: 1 });
  const stop = new AbortController();
  const reason = new Error('cancelled');
  const cancelled = thrownBy(generate(callOf(), stop.signal));
  await until(() => server.requestsTo(CHAT).length === 3, 'the request is sent');
  stop.abort(reason);
  assert.equal(await cancelled, reason);
  await server.untilEnded(CHAT, 3);
  assert.deepEqual(
    server
      .requestsTo(CHAT)
      .map(({ ended }) => ended?.whole)
      .slice(1),
    [false, false],
  );
  assert.deepEqual(counted, [], 'what obeys the abort is no late result');
  assert.deepEqual(await generate(), HARBOUR);
});

test('M13 startup.verify reports the section and the code of a missing model, and passes if the model exists', async (context) => {
  const server = await ollama(context);
  const { providers } = await serve(context, server);
  await verifyProviders(providers, never);
  server.remove('llama3.2');
  const error = await thrownBy(verifyProviders(providers, never));
  assert.equal(error.code, 'CONFIG_INVALID');
  assert.match(error.message, /startup\.verify: providers\.llm: \[PROVIDER_MODEL_MISSING\]/);
});

test('status reports each level, and probing an answer takes longer than the other checks', async (context) => {
  const server = await ollama(context);
  const { providers, textGoesTo } = await serve(context, server);
  const [row] = await presentCapabilities(providers, never);
  assert.partialDeepStrictEqual(row, {
    capability: 'llm',
    type: 'ollama',
    ok: true,
    model: 'llama3.2',
    endpoint: server.origin,
  });
  assert.deepEqual(
    row?.levels?.map(({ ok }) => ok),
    [true, true, 'unknown'],
  );
  assert.deepEqual(textGoesTo, [server.origin]);
  assert.equal(server.requestsTo(CHAT).length, 0);
});

test('a scripted model returns the same bytes twice', async (context) => {
  const run = async (): Promise<string> => {
    const server = await ollama(context);
    server.writes(({ prompt, schema }) =>
      JSON.stringify({ ...HARBOUR, summary: `${prompt.length} ${JSON.stringify(schema).length}` }),
    );
    const { generate } = await serve(context, server);
    const answers = [await generate(), await generate(), await generate(jobCall())];
    return JSON.stringify([answers, server.requests.map(({ method, path, body }) => [method, path, body])]);
  };
  assert.equal(await run(), await run());
});
