// P1–P23, P26, P27 over real stdio: what a client reads when its embedding provider fails, and that the next call tries for real.
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

/** Whether a request sends the words; a warm-up in the background sends none. */
const asksFor =
  (words: string) =>
  ({ body }: LoggedRequest): boolean =>
    JSON.stringify(body).includes(words);

test('P1 a closed port fails within a second, after two attempts, and names the tool that works without', async (context) => {
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

test('P2 a provider that opens after the start is used by the next call', async (context) => {
  const ollama = await ollamaFor(context);
  await ollama.refuse();
  const session = await openSession(context, setUp(context, ollama));
  const tools = await session.toolNames();
  assert.equal(outcomeOf(await search(session)), 'PROVIDER_UNAVAILABLE');
  await ollama.reopen();
  assert.equal(outcomeOf(await search(session)), 'ok');
  assert.deepEqual(await session.toolNames(), tools);
});

test('P4 a hang before the headers and a stall in the body end at the limit, and the server sees its socket close', async (context) => {
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

test("P4 a provider's limit is clipped to what is left of the call, and still is its own error", async (context) => {
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

test('P5 HTML in place of JSON reaches the client as a typed failure and stdout stays clean', async (context) => {
  const ollama = await ollamaFor(context);
  const first = await embeddedSession(context, ollama);
  await first.close();
  // The raw server parses every line of stdout: one that is no JSON ends the test.
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

test('P6 a busy server is asked once more, and the wait is told as progress', async (context) => {
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

test('P7 a wait of a day is not waited for but told', async (context) => {
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

test('P8 P9 P11 each refusal has its code, and the next healthy call succeeds', async (context) => {
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

test('P9 a redirect is refused and no text is posted again', async (context) => {
  const elsewhere = await ollamaFor(context);
  const ollama = await ollamaFor(context);
  const session = await embeddedSession(context, ollama);
  ollama.fail(redirect(`${elsewhere.origin}${EMBED}`), { on: EMBED });
  assert.equal(outcomeOf(await search(session)), 'PROVIDER_ENDPOINT_UNSUPPORTED');
  assert.equal(elsewhere.requests.length, 0);
});

test('P10 auto_pull: once pulls exactly once, as a job one can follow; never pulls never', async (context) => {
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

test('P10 a pull that fails is told and not tried again', async (context) => {
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

test('P12 a model that turns out to run elsewhere gets no text', async (context) => {
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

test('P12 a model that leaves the machine while the server runs gets no further text', async (context) => {
  const ollama = await ollamaFor(context);
  const session = await embeddedSession(context, ollama);
  const before = textsSent(ollama.requests);
  ollama.change('embeddinggemma', { digest: DIGEST_2, remoteHost: 'https://models.example.test', remoteModel: 'big' });
  assert.equal(outcomeOf(await search(session)), 'EGRESS_BLOCKED');
  assert.equal(textsSent(ollama.requests), before);
});

test('P14 a model pulled anew under its tag fails closed until the vectors are made anew', async (context) => {
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

test('P15 a question longer than the context is refused, never cut', async (context) => {
  const ollama = await ollamaFor(context, { models: [{ name: 'embeddinggemma', contextTokens: 64 }] });
  const session = await openSession(context, setUp(context, ollama, { embedding: 'context: 64' }));
  const { structured } = await search(session, { query: 'tide '.repeat(200) });
  assert.equal(structured.error?.code, 'PROVIDER_INPUT_TOO_LONG');
  assert.ok(ollama.requestsTo(EMBED).every(({ body }) => body.truncate === false));
});

/** A vault of `count` notes of one chunk each, `poisoned` of which hold the word. */
function poisonedVault(folder: string, count: number, poisoned: number): string {
  mkdirSync(folder, { recursive: true });
  for (let number = 0; number < count; number += 1) {
    const isPoisoned = number % Math.floor(count / poisoned) === 0 && number / Math.floor(count / poisoned) < poisoned;
    const text = `# Note ${number}\n\nWord${number} of the tide number ${number}${isPoisoned ? ' arsenic' : ''}.\n`;
    writeFileSync(join(folder, `Note ${number}.md`), text);
  }
  return folder;
}

test('P16 of 2,000 chunks 37 are poisoned: 1,963 are found, 37 are listed with their reasons', async (context) => {
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

test('P20 text_only is an argument only where the config allows it, and then only what was asked for', async (context) => {
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

test('P21 an open breaker fails at once with the last cause, and one success closes it', async (context) => {
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

test('P22 of twenty searches at once on a slow provider some are told that it is overloaded, none waits for ever', async (context) => {
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

test('P23 a cold load within the limit succeeds; one beyond it says so, and is finished behind', async (context) => {
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

test('P27 an answer that comes after the client gave up is dropped, and the socket is closed', async (context) => {
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
