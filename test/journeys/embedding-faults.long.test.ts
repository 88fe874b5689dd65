// P1–P23, P26, P27: checks over stdio what a client gets when its embedding provider fails, and that the next call contacts the provider again.
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoggedRequest } from '../fakes/http/exchange.ts';
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
import { assertTextToolsWork, embeddedSession, ollamaFor, outcomeOf, search, setUp } from './embedding-session.ts';
import { jobEnded } from './provoking-vault.ts';
import { startRawServer, toolCall } from './raw-server.ts';
import { openSession, runBeside, temporaryFolder } from './session.ts';

const EMBED = '/api/embed';

/** Whether a request contains the text; a warm-up in the background contains none. */
const asksFor =
  (words: string) =>
  ({ body }: LoggedRequest): boolean =>
    JSON.stringify(body).includes(words);

test('P1 a closed port fails within a second, after two attempts, and the error names the tool that works without embeddings', async (context) => {
  const ollama = await ollamaFor(context);
  const session = await embeddedSession(context, ollama);
  await ollama.refuse();
  const began = performance.now();
  const answer = await search(session);
  assert.ok(performance.now() - began < 1_000);
  const { error } = answer.structured;
  assert.equal(error.code, 'PROVIDER_UNAVAILABLE');
  assert.equal(error.details.attempts, 2);
  assert.equal(error.details.cause_code, 'ECONNREFUSED');
  assert.deepEqual([error.retryable, error.fix_by], [true, 'user']);
  assert.ok(error.actions.some((action: { tool?: string }) => action.tool === 'search_text'));
  assert.match(answer.text, /^Error \[PROVIDER_UNAVAILABLE\]: cannot reach Ollama at http:/);
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
  const limit = 1_000;
  const session = await embeddedSession(context, ollama, { embedding: `timeout: ${limit}` });
  for (const [fault, phase] of [
    [hang(), 'headers'],
    [stall(), 'body'],
  ] as const) {
    const before = ollama.requestsTo(EMBED).length;
    ollama.fail(fault, { on: EMBED, times: 1 });
    const began = performance.now();
    const { structured } = await search(session);
    const ended = performance.now();
    assert.equal(structured.error?.code, 'PROVIDER_TIMEOUT');
    assert.deepEqual([structured.error.details.phase, structured.error.details.clipped], [phase, false]);
    assert.ok(ended - began >= limit * 0.9, `${ended - began}`);
    assert.ok(ended - began <= limit * 1.1 + 300, `${ended - began}`);
    await ollama.untilEnded(EMBED, before + 1);
    const closed = ollama.requestsTo(EMBED)[before]?.ended;
    assert.equal(closed?.whole, false);
    assert.ok((closed?.at ?? 0) - ended < 200);
    assert.equal(outcomeOf(await search(session)), 'ok');
  }
});

test("P4 a provider's timeout is limited to the time left for the call, and is still reported as a provider timeout", async (context) => {
  const ollama = await ollamaFor(context);
  const first = await embeddedSession(context, ollama);
  await first.close();
  appendFileSync(first.config, 'limits: { call: 2000 }\n');
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
  ollama.fail(busy('1'), { on: EMBED, times: 1 });
  const told: string[] = [];
  const answer = await session.call(
    'search',
    { query: 'tide' },
    { onprogress: ({ message }) => void told.push(message ?? '') },
  );
  assert.equal(outcomeOf(answer), 'ok');
  const { provider } = answer.structured.meta;
  assert.equal(provider.attempts, 2);
  assert.equal(provider.retries[0].code, 'PROVIDER_BUSY');
  assert.ok(
    told.some((message) => /retry/i.test(message)),
    told.join(' | '),
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
  const began = performance.now();
  const { structured } = await search(session);
  assert.ok(performance.now() - began < 3_000);
  assert.equal(structured.error?.code, 'PROVIDER_RATE_LIMITED');
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

const textsSent = (requests: readonly { path: string }[]): number =>
  requests.filter(({ path }) => path === EMBED).length;

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
  const rest = 'breaker: { enabled: true, failures: 3, cooldown: 1000 }\nretry: { attempts: 1 }';
  const session = await embeddedSession(context, ollama, { rest });
  ollama.fail(says(500, 'boom'), { on: EMBED });
  for (let failures = 0; failures < 3; failures += 1) assert.equal(outcomeOf(await search(session)), 'PROVIDER_ERROR');
  const { structured } = await search(session);
  assert.equal(structured.error?.code, 'PROVIDER_CIRCUIT_OPEN');
  assert.equal(structured.error.details.last_code, 'PROVIDER_ERROR');
  ollama.heal();
  await new Promise((resolve) => setTimeout(resolve, 1_300));
  assert.equal(outcomeOf(await search(session)), 'ok');
});

test('P22 of twenty concurrent searches on a slow provider some fail as overloaded, and none waits forever', async (context) => {
  const ollama = await ollamaFor(context);
  const session = await embeddedSession(context, ollama, { embedding: 'timeout: 8000' });
  ollama.change('embeddinggemma', { textMs: 150 });
  const outcomes = (await Promise.all(Array.from({ length: 20 }, () => search(session)))).map(outcomeOf);
  assert.ok(outcomes.includes('OVERLOADED'), outcomes.join());
  assert.ok(outcomes.includes('ok'), outcomes.join());
  assert.deepEqual(
    outcomes.filter((outcome) => !['ok', 'OVERLOADED'].includes(outcome)),
    [],
  );
  assert.equal(outcomeOf(await search(session)), 'ok');
});

test('P23 a model load within the timeout succeeds; a longer one fails with that reason and continues in the background', async (context) => {
  const ollama = await ollamaFor(context);
  const session = await embeddedSession(context, ollama, { embedding: 'timeout: 2000' });
  ollama.change('embeddinggemma', { loadMs: 800 });
  assert.equal(outcomeOf(await search(session)), 'ok');
  ollama.change('embeddinggemma', { loadMs: 4_000 });
  const { structured } = await search(session);
  assert.equal(structured.error?.code, 'PROVIDER_TIMEOUT');
  assert.equal(structured.error.details.cold_start, true);
  const until = performance.now() + 15_000;
  while (!ollama.model('embeddinggemma').isLoaded() && performance.now() < until)
    await new Promise((resolve) => setTimeout(resolve, 200));
  assert.equal(outcomeOf(await search(session)), 'ok');
});

test('P27 a response that arrives after the client cancelled is dropped, and the connection is closed', async (context) => {
  const ollama = await ollamaFor(context);
  const session = await embeddedSession(context, ollama);
  ollama.fail(hang(), { on: EMBED, times: 1, when: asksFor('xylophone') });
  const giveUp = new AbortController();
  const call = assert.rejects(session.call('search', { query: 'xylophone' }, { signal: giveUp.signal }));
  const until = performance.now() + 10_000;
  while (!ollama.requestsTo(EMBED).some(asksFor('xylophone')) && performance.now() < until) await sleep(20);
  giveUp.abort();
  await call;
  const asked = ollama.requestsTo(EMBED).find(asksFor('xylophone'));
  while (asked?.ended === undefined && performance.now() < until) await sleep(20);
  assert.equal(asked?.ended?.whole, false);
  assert.equal(outcomeOf(await search(session)), 'ok');
});
