// P1–P23, P26, P27: checks over stdio what a client gets when its embedding provider fails, and that the next call contacts the provider again.
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { SAMPLE_SENTENCES } from '../../src/contracts/embedding.ts';
import { type LoggedRequest, sendAnswer } from '../fakes/http/exchange.ts';
import { hang, html, redirect, stall } from '../fakes/http/faults.ts';
import {
  busy,
  cannotEmbed,
  forbidden,
  modelMissing,
  noSuchPath,
  rateLimited,
  says,
  unauthorized,
} from '../fakes/ollama/faults.ts';
import { DIGEST_2 } from '../fakes/ollama/model.ts';
import { until } from '../until.ts';
import { assertTextToolsWork, embeddedSession, ollamaFor, outcomeOf, search, setUp } from './embedding-session.ts';
import { jobEnded } from './provoking-vault.ts';
import { startRawServer, toolCall } from './raw-server.ts';
import { openSession, runBeside, type Session, temporaryFolder } from './session.ts';

const EMBED = '/api/embed';
/** Long enough for any healthy call on a busy machine. */
const LIMIT_MS = 6_000;

/** Whether a request contains the text; a warm-up in the background contains none. */
const asksFor =
  (words: string) =>
  ({ body }: LoggedRequest): boolean =>
    JSON.stringify(body).includes(words);

test('P1 a closed port fails without waiting for the timeout, after two attempts, and the error names the tool that works without embeddings', async (context) => {
  const ollama = await ollamaFor(context);
  const session = await embeddedSession(context, ollama);
  await ollama.refuse();
  const answer = await search(session);
  const { error } = answer.structured;
  assert.equal(error.code, 'PROVIDER_UNAVAILABLE');
  assert.ok(error.details.elapsed_ms < 20_000, 'the timeout is 30 s');
  assert.equal(error.details.attempts, 2);
  assert.equal(error.details.cause_code, 'ECONNREFUSED');
  assert.deepEqual([error.retryable, error.fix_by], [true, 'user']);
  assert.ok(error.actions.some((action: { tool?: string }) => action.tool === 'search_text'));
  assert.match(answer.text, /^Error \[PROVIDER_UNAVAILABLE\]: cannot reach Ollama at http:.*\n(?:.*\n)*?Hint: \S/);
  assert.match(session.stderr(), new RegExp(error.error_id));
  await assertTextToolsWork(session);
});

test('P2 a provider that starts after the server is used by the next call', async (context) => {
  const ollama = await ollamaFor(context);
  await ollama.refuse();
  const session = await openSession(context, setUp(context, ollama));
  const tools = await session.toolNames();
  assert.equal(outcomeOf(await search(session)), 'PROVIDER_UNAVAILABLE');
  await ollama.reopen();
  assert.equal(outcomeOf(await search(session)), 'ok');
  assert.deepEqual(await session.toolNames(), tools);
});

test('P4 a hang before the headers and a stall in the body end at the timeout, and the connection is closed', async (context) => {
  const ollama = await ollamaFor(context);
  const session = await embeddedSession(context, ollama, { embedding: `timeout: ${LIMIT_MS}` });
  for (const [fault, phase] of [
    [hang(), 'headers'],
    [stall(), 'body'],
  ] as const) {
    const before = ollama.requestsTo(EMBED).length;
    ollama.fail(fault, { on: EMBED, times: 1, when: asksFor('tide at') });
    const began = performance.now();
    const { structured } = await search(session);
    const tookMs = performance.now() - began;
    assert.equal(structured.error?.code, 'PROVIDER_TIMEOUT');
    const { timeout_ms, clipped } = structured.error.details;
    assert.deepEqual([structured.error.details.phase, timeout_ms, clipped], [phase, LIMIT_MS, false]);
    assert.ok(tookMs >= LIMIT_MS * 0.9, `${tookMs}`);
    // The provider itself never ends the request.
    const isCut = (): boolean =>
      ollama
        .requestsTo(EMBED)
        .slice(before)
        .some(({ ended }) => ended?.whole === false);
    await until(isCut, 'the connection is closed');
    assert.equal(outcomeOf(await search(session)), 'ok');
  }
});

test("P4 a provider's timeout is limited to the time left for the call, and is still reported as a provider timeout", async (context) => {
  const ollama = await ollamaFor(context);
  const first = await embeddedSession(context, ollama);
  await first.close();
  appendFileSync(first.config, `limits: { call: ${LIMIT_MS} }\n`);
  const session = await openSession(context, first);
  ollama.fail(hang(), { on: EMBED, when: asksFor('tide at') });
  const { structured } = await search(session);
  assert.equal(structured.error?.code, 'PROVIDER_TIMEOUT');
  assert.equal(structured.error.details.clipped, true);
  ollama.heal();
  assert.equal(outcomeOf(await search(session)), 'ok');
});

test('P5 HTML instead of JSON reaches the client as a typed error, and stdout has only JSON-RPC', async (context) => {
  const ollama = await ollamaFor(context);
  const first = await embeddedSession(context, ollama);
  await first.close();
  // The raw server parses every line of stdout: a line that is not JSON fails the test.
  const server = startRawServer(context, first);
  await server.begin();
  for (const [at, fault, code] of [
    [1, html(200), 'PROVIDER_BAD_RESPONSE'],
    [2, html(502), 'PROVIDER_ERROR'],
  ] as const) {
    ollama.fail(fault, { on: EMBED });
    server.send(toolCall(at, 'search', { query: 'tide' }));
    const { result } = await server.reply(at);
    assert.equal(result.structuredContent.error?.code, code);
    ollama.heal();
  }
  server.send(toolCall(3, 'search', { query: 'tide' }));
  assert.equal((await server.reply(3)).result.structuredContent.ok, true);
});

test('P6 a request to a busy server is retried once, and the wait is reported as progress', async (context) => {
  const ollama = await ollamaFor(context);
  const session = await embeddedSession(context, ollama);
  ollama.fail(busy('1'), { on: EMBED, times: 1, when: asksFor('tide') });
  const reported: string[] = [];
  const answer = await session.call(
    'search',
    { query: 'tide' },
    { onprogress: ({ message }) => void reported.push(message ?? '') },
  );
  assert.equal(outcomeOf(answer), 'ok');
  const { provider } = answer.structured.meta;
  assert.equal(provider.attempts, 2);
  assert.equal(provider.retries[0].code, 'PROVIDER_BUSY');
  assert.ok(
    reported.some((message) => /retry/i.test(message)),
    reported.join(' | '),
  );
  ollama.fail(busy(), { on: EMBED });
  const { structured } = await search(session);
  assert.equal(structured.error?.code, 'PROVIDER_BUSY');
  assert.ok(structured.error.retry_after_ms > 0);
});

test('P7 a Retry-After of a day is reported, not waited for', async (context) => {
  const ollama = await ollamaFor(context);
  const session = await embeddedSession(context, ollama);
  ollama.fail(rateLimited('86400'), { on: EMBED });
  const { structured } = await search(session);
  assert.equal(structured.error?.code, 'PROVIDER_RATE_LIMITED');
  assert.equal(structured.error.details.attempts, 1);
  assert.ok(structured.error.details.elapsed_ms < 20_000, 'the call may take 60 s');
  assert.equal(structured.error.retry_after_ms, 86_400_000);
});

const REFUSALS = [
  [modelMissing(), 'PROVIDER_MODEL_MISSING'],
  [noSuchPath(), 'PROVIDER_ENDPOINT_UNSUPPORTED'],
  [unauthorized(), 'PROVIDER_AUTH_FAILED'],
  [forbidden(), 'PROVIDER_AUTH_FAILED'],
  [says(500, 'not found at all'), 'PROVIDER_ERROR'],
  [cannotEmbed(), 'PROVIDER_MODEL_UNSUITABLE'],
  [says(422, 'no such luck'), 'PROVIDER_REJECTED_INPUT'],
] as const;

test('P8 P9 P11 each refusal has its own code, and the next call to a healthy provider succeeds', async (context) => {
  const ollama = await ollamaFor(context);
  const session = await embeddedSession(context, ollama, { embedding: 'headers: { X-Key: very-secret-word }' });
  for (const [fault, code] of REFUSALS) {
    ollama.fail(fault, { on: EMBED });
    const answer = await search(session);
    assert.equal(outcomeOf(answer), code);
    assert.doesNotMatch(JSON.stringify(answer), /very-secret-word/);
    ollama.heal();
    assert.equal(outcomeOf(await search(session)), 'ok');
  }
  assert.doesNotMatch(session.stderr(), /very-secret-word/);
});

test('P9 a redirect is refused and the text is not posted again', async (context) => {
  const elsewhere = await ollamaFor(context);
  const ollama = await ollamaFor(context);
  const session = await embeddedSession(context, ollama);
  ollama.fail(redirect(`${elsewhere.origin}${EMBED}`), { on: EMBED });
  assert.equal(outcomeOf(await search(session)), 'PROVIDER_ENDPOINT_UNSUPPORTED');
  assert.equal(elsewhere.requests.length, 0);
});

test('P10 auto_pull: once pulls exactly once, as a job that can be followed; never does not pull', async (context) => {
  const library = [{ name: 'embeddinggemma' }];
  const ollama = await ollamaFor(context, { models: [], library });
  // The server begins the pull by itself, and a busy machine may search late.
  ollama.pulls({ stepMs: 1_000 });
  const session = await openSession(context, setUp(context, ollama, { embedding: 'auto_pull: once' }));
  const refused = await search(session);
  assert.equal(outcomeOf(refused), 'PROVIDER_MODEL_PULLING');
  const pull = await jobEnded(session, refused.structured.error.details.job_id);
  assert.equal(pull.state, 'succeeded');
  assert.equal(outcomeOf(await search(session)), 'ok');
  assert.equal(ollama.requestsTo('/api/pull').length, 1);

  const bare = await ollamaFor(context, { models: [], library });
  const other = await openSession(context, setUp(context, bare));
  const { structured } = await search(other);
  assert.equal(structured.error?.code, 'PROVIDER_MODEL_MISSING');
  assert.equal(bare.requestsTo('/api/pull').length, 0);
});

test('P10 a pull that fails is reported and not retried', async (context) => {
  const ollama = await ollamaFor(context, { models: [], library: [{ name: 'embeddinggemma' }] });
  ollama.pulls({ outcome: 'fails' });
  const session = await openSession(context, setUp(context, ollama, { embedding: 'auto_pull: once' }));
  const refused = await search(session);
  if (outcomeOf(refused) === 'PROVIDER_MODEL_PULLING') {
    const pull = await jobEnded(session, refused.structured.error.details.job_id);
    assert.equal(pull.state, 'failed');
  }
  const { structured } = await search(session);
  assert.equal(structured.error?.code, 'PROVIDER_MODEL_MISSING');
  assert.equal(structured.error.details.auto_pull, 'failed');
  assert.equal(ollama.requestsTo('/api/pull').length, 1);
});

/** Without those that warm the model up, which contain none. */
const textsSent = (requests: readonly LoggedRequest[]): number =>
  requests.filter(({ path, body }) => path === EMBED && !isDeepStrictEqual(Object(body).input, [])).length;

test('P12 no text is sent to a model that turns out to run remotely', async (context) => {
  const ollama = await ollamaFor(context, {
    models: [{ name: 'embeddinggemma', remoteHost: 'https://models.example.test', remoteModel: 'big' }],
  });
  const session = await openSession(context, setUp(context, ollama));
  const { structured, text } = await search(session);
  assert.equal(structured.error?.code, 'EGRESS_BLOCKED');
  assert.match(text, /allow_remote/);
  await session.indexed();
  assert.equal(textsSent(ollama.requests), 0);
  await assertTextToolsWork(session);
});

test('P12 no more text is sent to a model that becomes remote while the server runs', async (context) => {
  const ollama = await ollamaFor(context);
  const session = await embeddedSession(context, ollama);
  const before = textsSent(ollama.requests);
  ollama.change('embeddinggemma', { digest: DIGEST_2, remoteHost: 'https://models.example.test', remoteModel: 'big' });
  assert.equal(outcomeOf(await search(session)), 'EGRESS_BLOCKED');
  assert.equal(textsSent(ollama.requests), before);
});

test('P14 a model that was replaced under the same tag is refused until the vectors are rebuilt', async (context) => {
  const ollama = await ollamaFor(context);
  const session = await embeddedSession(context, ollama);
  ollama.change('embeddinggemma', { digest: DIGEST_2 });
  const { structured } = await search(session);
  assert.equal(structured.error?.code, 'EMBEDDER_MISMATCH');
  assert.deepEqual(structured.error.details.differs, ['digest']);
  const job = await session.indexed();
  assert.equal(job.embedding?.state, 'succeeded', JSON.stringify(job));
  const answer = await search(session);
  assert.equal(outcomeOf(answer), 'ok');
  assert.equal(answer.structured.meta.index.generation, 2);
});

test('P14 a model pulled again between two starts: nothing is embedded until reindex, and the old model works again at once', async (context) => {
  const ollama = await ollamaFor(context);
  const { digest } = ollama.model('embeddinggemma');
  // `status` probes the model with the samples.
  const isSample = (text: string): boolean => SAMPLE_SENTENCES.some((sample) => text.endsWith(sample));
  const texts = (): string[] =>
    ollama.requestsTo(EMBED).flatMap(({ body }) => body.input.filter((text: string) => !isSample(text)));
  const first = await embeddedSession(context, ollama);
  await first.close();
  const before = texts().length;

  ollama.change('embeddinggemma', { digest: DIGEST_2 });
  const pulled = await openSession(context, first);
  const failed = await firstEmbedJob(pulled);
  assert.deepEqual([failed.state, failed.error.code], ['failed', 'EMBEDDER_MISMATCH']);
  assert.match(failed.error.hint, /call reindex/);
  const refused = await search(pulled);
  assert.equal(outcomeOf(refused), 'EMBEDDER_MISMATCH');
  assert.equal(refused.structured.error.details.job_id, undefined, 'no vectors are being made');
  await assertTextToolsWork(pulled);
  await pulled.close();
  assert.equal(texts().length, before);

  ollama.change('embeddinggemma', { digest });
  const back = await openSession(context, first);
  assert.equal((await firstEmbedJob(back)).state, 'succeeded');
  assert.equal(outcomeOf(await search(back)), 'ok');
  await back.close();
  assert.equal(texts().length, before + 1, 'the query');

  ollama.change('embeddinggemma', { digest: DIGEST_2 });
  const requested = await openSession(context, first);
  assert.equal((await requested.indexed()).embedding.state, 'succeeded');
  const answer = await search(requested);
  assert.deepEqual([outcomeOf(answer), answer.structured.meta.index.generation], ['ok', 2]);
});

/** The embed job after the first scan of the server, once it has ended. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads the answer as its client does, without types.
async function firstEmbedJob(session: Session): Promise<any> {
  for (;;) {
    const { index, jobs } = (await session.call('status')).structured.data;
    const newest = jobs.find(({ kind }: { kind: string }) => kind === 'embed');
    if (index.freshness === 'fresh' && newest?.ended_at !== undefined) return newest;
    await sleep(50);
  }
}

test("P15 a query longer than the model's context is refused, not truncated", async (context) => {
  const ollama = await ollamaFor(context, { models: [{ name: 'embeddinggemma', contextTokens: 64 }] });
  const session = await openSession(context, setUp(context, ollama, { embedding: 'context: 64' }));
  const { structured } = await search(session, { query: 'tide '.repeat(200) });
  assert.equal(structured.error?.code, 'PROVIDER_INPUT_TOO_LONG');
  assert.ok(ollama.requestsTo(EMBED).every(({ body }) => body.truncate === false));
});

/** A vault of `count` notes of one chunk each; `poisoned` of them contain the word that the provider refuses. */
function poisonedVault(folder: string, count: number, poisoned: number): string {
  mkdirSync(folder, { recursive: true });
  for (let number = 0; number < count; number += 1) {
    const isPoisoned = number % Math.floor(count / poisoned) === 0 && number / Math.floor(count / poisoned) < poisoned;
    const text = `# Note ${number}\n\nWord${number} of the tide number ${number}${isPoisoned ? ' arsenic' : ''}.\n`;
    writeFileSync(join(folder, `Note ${number}.md`), text);
  }
  return folder;
}

test('P16 if the provider refuses 37 of 2,000 chunks, 1,963 are found and 37 are listed with their reasons', async (context) => {
  const ollama = await ollamaFor(context, { models: [{ name: 'embeddinggemma', poison: { arsenic: 'nan' } }] });
  const vault = poisonedVault(join(temporaryFolder(context), 'vault'), 2_000, 37);
  const setup = setUp(context, ollama, { vault });
  const places = ['--config', setup.config, '--data-dir', setup.dataFolder];
  const { status, stdout } = await runBeside(context, ['index', '--json', ...places]);
  assert.equal(status, 2, stdout);
  const listed = JSON.parse(stdout).embedding.failed;
  assert.equal(listed.length, 37);
  assert.ok(listed.every(({ error }: { error: { code: string; message: string } }) => error.message !== ''));
  const session = await openSession(context, setup);
  const answer = await search(session, { query: 'tide number 4' });
  const { chunks, failed_chunks } = answer.structured.meta.index;
  assert.deepEqual([chunks, failed_chunks], [1_963, 37]);
  assert.ok(
    answer.structured.warnings.some(
      ({ code, count }: { code: string; count: number }) => code === 'QUARANTINED' && count === 37,
    ),
  );
  const state = await session.call('status');
  assert.equal(state.structured.data.embedding[0].failed_chunks, 37);
});

test('P20 text_only is an argument only if the config allows it, and applies only to calls that set it', async (context) => {
  const ollama = await ollamaFor(context);
  const strict = await embeddedSession(context, ollama);
  assert.equal(outcomeOf(await search(strict, { on_embedding_failure: 'text_only' })), 'INVALID_INPUT');
  const session = await embeddedSession(context, ollama, { rest: 'search: { on_embedding_failure: text_only }' });
  await ollama.refuse();
  assert.equal(outcomeOf(await search(session)), 'PROVIDER_UNAVAILABLE');
  const answer = await search(session, { on_embedding_failure: 'text_only' });
  assert.equal(outcomeOf(answer), 'ok');
  assert.match(answer.text, /^DEGRADED: /);
  const { degraded } = answer.structured.meta;
  assert.deepEqual([degraded.reason_code, degraded.opted_in_by], ['PROVIDER_UNAVAILABLE', 'on_embedding_failure']);
});

test('P21 an open circuit breaker fails calls at once with the last cause, and one success closes it', async (context) => {
  const ollama = await ollamaFor(context);
  const rest = 'breaker: { enabled: true, failures: 3, cooldown: 10000 }\nretry: { attempts: 1 }';
  const session = await embeddedSession(context, ollama, { rest });
  ollama.fail(says(500, 'boom'), { on: EMBED });
  for (let failures = 0; failures < 3; failures += 1) assert.equal(outcomeOf(await search(session)), 'PROVIDER_ERROR');
  const { structured } = await search(session);
  assert.equal(structured.error?.code, 'PROVIDER_CIRCUIT_OPEN');
  assert.equal(structured.error.details.last_code, 'PROVIDER_ERROR');
  ollama.heal();
  const outcomes = new Set<string>();
  await until(async () => outcomes.add(outcomeOf(await search(session))).has('ok'), 'the breaker closes');
  assert.deepEqual([...outcomes], ['PROVIDER_CIRCUIT_OPEN', 'ok']);
  assert.equal(outcomeOf(await search(session)), 'ok');
});

test('P22 of twenty concurrent searches on a slow provider some fail as overloaded, and none waits forever', async (context) => {
  const ollama = await ollamaFor(context);
  const session = await embeddedSession(context, ollama);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  ollama.fail(
    async ({ response, answer }) => {
      await released;
      await sendAnswer(response, await answer());
    },
    { on: EMBED },
  );
  const outcomes: string[] = [];
  const searches = Array.from({ length: 20 }, async () => outcomes.push(outcomeOf(await search(session))));
  // Two requests are sent and eight wait while the provider answers none.
  await until(() => outcomes.length === 10, 'ten searches are refused');
  release();
  await Promise.all(searches);
  assert.deepEqual(outcomes, [...Array(10).fill('OVERLOADED'), ...Array(10).fill('ok')]);
  ollama.heal();
  assert.equal(outcomeOf(await search(session)), 'ok');
});

test('P23 a model load within the timeout succeeds; a longer one fails with that reason and continues in the background', async (context) => {
  const ollama = await ollamaFor(context);
  const session = await embeddedSession(context, ollama, { embedding: `timeout: ${LIMIT_MS}` });
  ollama.change('embeddinggemma', { loadMs: 300 });
  assert.equal(outcomeOf(await search(session)), 'ok');
  ollama.change('embeddinggemma', { loadMs: 2 * LIMIT_MS });
  const { structured } = await search(session);
  assert.equal(structured.error?.code, 'PROVIDER_TIMEOUT');
  assert.equal(structured.error.details.cold_start, true);
  await until(() => ollama.model('embeddinggemma').isLoaded(), 'the model is loaded');
  assert.equal(outcomeOf(await search(session)), 'ok');
});

test('P27 a response that arrives after the client cancelled is dropped, and the connection is closed', async (context) => {
  const ollama = await ollamaFor(context);
  const session = await embeddedSession(context, ollama);
  ollama.fail(hang(), { on: EMBED, times: 1, when: asksFor('xylophone') });
  const giveUp = new AbortController();
  const call = assert.rejects(session.call('search', { query: 'xylophone' }, { signal: giveUp.signal }));
  await until(() => ollama.requestsTo(EMBED).some(asksFor('xylophone')), 'the query is sent');
  giveUp.abort();
  await call;
  const requested = ollama.requestsTo(EMBED).find(asksFor('xylophone'));
  await until(() => requested?.ended !== undefined, 'the request ends');
  assert.equal(requested?.ended?.whole, false);
  assert.equal(outcomeOf(await search(session)), 'ok');
});
