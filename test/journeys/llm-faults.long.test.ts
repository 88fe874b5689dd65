// Checks over stdio what a client gets for each failure of a language-model provider; every test ends with a call that succeeds.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { empty, hang } from '../fakes/http/faults.ts';
import { stallAfter } from '../fakes/http/stream-faults.ts';
import { endedBy, neverDone } from '../fakes/ollama/chat-faults.ts';
import { modelMissingQuoted, unauthorized } from '../fakes/ollama/faults.ts';
import { CHATTING } from '../fakes/ollama/model.ts';
import type { OllamaServer } from '../fakes/ollama-server.ts';
import { until } from '../until.ts';
import { llmSession, ollamaFor, outcomeOf, setUp, summarize, summaryOf, TEN, tenNotes } from './llm-session.ts';
import { type Answer, configFile, openSession, runBeside, type Session } from './session.ts';

const CHAT = '/api/chat';
/** Long enough for any healthy call on a busy machine. */
const LIMIT_MS = 6_000;

interface Row {
  readonly id: string;
  readonly error: { readonly code: string; readonly message: string };
}

/** The failed items, of a partly successful answer or of an error. */
const failedOf = ({ structured }: Answer): readonly Row[] =>
  structured.ok ? structured.data.failed : structured.error.details.failed;
const codesOf = (answer: Answer): string[] => failedOf(answer).map(({ error }) => error.code);
const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);

async function served(session: Session, ollama: OllamaServer): Promise<void> {
  ollama.heal();
  ollama.writes(summaryOf);
  const answer = await summarize(session);
  assert.equal(outcomeOf(answer), 'ok', answer.text);
  assert.equal(answer.structured.data.succeeded[0].result.summary, 'About tide 1.');
  assert.doesNotMatch(session.stderr(), /turns before the harbour/, 'no text of a note is logged');
}

/** The chat requests about one of these notes. */
const about =
  (...notes: readonly number[]) =>
  ({ body }: { body: { messages: { content: string }[] } }): boolean =>
    notes.some((at) => body.messages.some(({ content }) => content.includes(`The tide ${at} `)));

test('P25 if three of ten notes fail, seven succeed, and each of the three has its reason', async (context) => {
  const ollama = await ollamaFor(context);
  const session = await llmSession(context, ollama);
  ollama.fail(endedBy('length'), { on: CHAT, when: about(2) });
  ollama.fail(neverDone(), { on: CHAT, when: about(5) });
  ollama.writes((requested) =>
    requested.prompt.includes('The tide 7 ') ? 'I cannot summarise this.' : summaryOf(requested),
  );
  const answer = await summarize(session, TEN);
  assert.equal(answer.isError, false);
  assert.match(answer.text, /^PARTIAL 7\/10/);
  const { succeeded } = answer.structured.data;
  assert.deepEqual(
    idsOf(succeeded),
    TEN.filter((name) => !['N2', 'N5', 'N7'].includes(name)),
  );
  assert.deepEqual(idsOf(failedOf(answer)), ['N2', 'N5', 'N7']);
  assert.deepEqual(codesOf(answer), Array(3).fill('PROVIDER_BAD_RESPONSE'));
  for (const { error } of failedOf(answer))
    assert.match(error.message, /^the language-model request failed: unusable answer/);
  assert.ok(answer.structured.partial);
  await served(session, ollama);
});

test('P25 if the provider stops at the fifth of ten notes, four results are kept and the rest is not tried', async (context) => {
  const ollama = await ollamaFor(context);
  const session = await llmSession(context, ollama, { rest: 'retry: { attempts: 1 }' });
  ollama.fail(empty(500), { on: CHAT, when: about(4, 5, 6, 7, 8, 9) });
  const answer = await summarize(session, TEN);
  assert.deepEqual(idsOf(answer.structured.data.succeeded), TEN.slice(0, 4));
  assert.deepEqual(idsOf(failedOf(answer)), TEN.slice(4));
  assert.deepEqual(new Set(codesOf(answer)), new Set(['PROVIDER_ERROR']));
  assert.match(failedOf(answer)[1]?.error.message ?? '', /^not tried: /);
  assert.ok(ollama.requestsTo(CHAT).length <= 6, 'the rest was never requested');
  await served(session, ollama);
});

test('P25 if the call runs out of time, the remaining notes are reported as such and no result is lost', async (context) => {
  const ollama = await ollamaFor(context);
  const session = await llmSession(context, ollama, { rest: `limits: { call: ${LIMIT_MS} }` });
  ollama.fail(hang(), { on: CHAT, when: about(4, 5, 6, 7, 8, 9) });
  const answer = await summarize(session, TEN);
  assert.deepEqual(idsOf(answer.structured.data.succeeded), TEN.slice(0, 4));
  assert.deepEqual(idsOf(failedOf(answer)), TEN.slice(4));
  for (const code of codesOf(answer)) assert.match(code, /^(?:DEADLINE_EXCEEDED|PROVIDER_TIMEOUT)$/);
  assert.ok(codesOf(answer).includes('DEADLINE_EXCEEDED'));
  await served(session, ollama);
});

test('P25 if all notes fail the answer is an error with the reasons; nothing is sent for a note without text', async (context) => {
  const ollama = await ollamaFor(context);
  const vault = tenNotes(context);
  writeFileSync(join(vault, 'Empty.md'), '');
  const session = await llmSession(context, ollama, { vault });
  ollama.fail(endedBy('length'), { on: CHAT });
  const answer = await summarize(session, TEN.slice(0, 3));
  assert.deepEqual([answer.isError, outcomeOf(answer)], [true, 'BATCH_FAILED']);
  assert.match(answer.text, /the language-model request failed: /);
  assert.deepEqual(codesOf(answer), Array(3).fill('PROVIDER_BAD_RESPONSE'));
  const before = ollama.requestsTo(CHAT).length;
  assert.deepEqual(codesOf(await summarize(session, ['Empty'])), ['INVALID_INPUT']);
  assert.equal(ollama.requestsTo(CHAT).length, before);
  await served(session, ollama);
});

for (const [name, fault, phase] of [
  ['before the headers', hang(), '(no response yet|loading the model)'],
  ['in the middle of the stream', stallAfter(3), 'the response was incomplete'],
] as const)
  test(`P4 if a provider hangs ${name} the call ends at its timeout and the connection is closed`, async (context) => {
    const ollama = await ollamaFor(context);
    const session = await llmSession(context, ollama, { llm: `timeout: ${LIMIT_MS}` });
    ollama.fail(fault, { on: CHAT, times: 1 });
    const began = performance.now();
    const answer = await summarize(session);
    const tookMs = performance.now() - began;
    assert.deepEqual(codesOf(answer), ['PROVIDER_TIMEOUT']);
    assert.match(answer.text, new RegExp(`no answer within ${LIMIT_MS} ms: ${phase}`));
    assert.ok(tookMs >= LIMIT_MS * 0.9, `${tookMs}`);
    // The provider itself never ends the request.
    await ollama.untilEnded(CHAT, 1);
    assert.equal(ollama.requestsTo(CHAT)[0]?.ended?.whole, false);
    await served(session, ollama);
  });

test('P6 P8 temporary failures are retried and reported as progress', async (context) => {
  const ollama = await ollamaFor(context);
  const session = await llmSession(context, ollama);
  for (const status of [503, 500]) {
    ollama.fail(empty(status), { on: CHAT, times: 1 });
    const answer = await summarize(session);
    assert.equal(outcomeOf(answer), 'ok');
    const { provider } = answer.structured.meta;
    assert.deepEqual([provider.capability, provider.model], ['llm', 'llama3.2']);
    assert.equal(provider.retries.length, 1);
  }
  await served(session, ollama);
});

test('P9 a missing model error names the command to install it; a rejected API key is not shown', async (context) => {
  const ollama = await ollamaFor(context);
  const session = await llmSession(context, ollama, { llm: 'headers: { authorization: "Bearer sk-very-private" }' });
  ollama.fail(modelMissingQuoted('llama3.2'), { on: CHAT, times: 1 });
  const missing = await summarize(session);
  assert.deepEqual(codesOf(missing), ['PROVIDER_MODEL_MISSING']);
  assert.match(missing.text, /ollama pull llama3\.2/);
  ollama.fail(unauthorized(), { on: CHAT, times: 1 });
  const refused = await summarize(session);
  assert.deepEqual(codesOf(refused), ['PROVIDER_AUTH_FAILED']);
  assert.equal(ollama.requestsTo(CHAT)[0]?.headers.authorization, 'Bearer sk-very-private');
  const status = await session.call('status');
  const all = [missing.text, refused.text, status.text, session.stderr(), JSON.stringify([refused, status])].join('');
  assert.doesNotMatch(all, /sk-very-private/);
  await served(session, ollama);
});

test('P10 auto_pull: once pulls a missing model, as a job that can be followed, and then the model answers', async (context) => {
  const ollama = await ollamaFor(context, { models: [], library: [CHATTING] });
  ollama.pulls({ stepMs: 100 });
  const session = await llmSession(context, ollama, { llm: 'auto_pull: once' });
  const answer = await summarize(session);
  assert.deepEqual(codesOf(answer), ['PROVIDER_MODEL_PULLING'], answer.text);
  const [, job_id = ''] = /job_id (job_\w+)/.exec(answer.text) ?? [];
  const job = await session.call('reindex', { job_id, wait_ms: 10_000 });
  assert.deepEqual([job.structured.data.kind, job.structured.data.state], ['pull', 'succeeded'], job.text);
  assert.equal(ollama.requestsTo('/api/pull').length, 1);
  await served(session, ollama);
});

test('P12 a remote endpoint in the config fails the start with its position; a remote model fails the call, and no text is sent', async (context) => {
  const vault = JSON.stringify(tenNotes(context));
  const config = configFile(
    context,
    `vault: { path: ${vault} }\nproviders:\n  llm:\n    type: ollama\n    model: gpt-oss:120b-cloud\n    endpoint: http://192.168.1.20:11434\n`,
  );
  const { status, stdout, stderr } = await runBeside(context, ['serve', '--config', config]);
  assert.deepEqual([status, stdout], [78, '']);
  assert.match(stderr, /config\.yaml:5:12: .*allow_remote/);
  assert.match(stderr, /config\.yaml:6:15: .*off this machine/);
  const ollama = await ollamaFor(context);
  const session = await llmSession(context, ollama);
  ollama.install({ ...CHATTING, digest: '44'.repeat(32), remoteHost: 'https://ollama.invalid' });
  const answer = await summarize(session);
  assert.deepEqual(codesOf(answer), ['EGRESS_BLOCKED']);
  assert.equal(ollama.requestsTo(CHAT).length, 0);
  ollama.install(CHATTING);
  await served(session, ollama);
});

test('P23 a model load within the timeout is reported as progress; a longer one fails with cold_start, and the next call succeeds', async (context) => {
  const ollama = await ollamaFor(context, { models: [{}, { ...CHATTING, loadMs: LIMIT_MS }] });
  const session = await llmSession(context, ollama, { llm: `timeout: ${3 * LIMIT_MS}` });
  const heard: string[] = [];
  const patient = await session.call(
    'summarize_notes',
    { notes: ['N1'], refresh: true },
    { onprogress: ({ message }) => void heard.push(message ?? '') },
  );
  assert.equal(outcomeOf(patient), 'ok', patient.text);
  assert.ok(
    heard.some((message) => message.includes('the model is being loaded')),
    heard.join(),
  );
  const other = await ollamaFor(context, { models: [{}, { ...CHATTING, loadMs: 2 * LIMIT_MS }] });
  const hasty = await llmSession(context, other, { llm: `timeout: ${LIMIT_MS}` });
  const answer = await summarize(hasty);
  assert.deepEqual(codesOf(answer), ['PROVIDER_TIMEOUT']);
  assert.match(answer.text, /the model was not loaded/);
  await until(() => other.model('llama3.2').isLoaded(), 'the model is loaded');
  await served(hasty, other);
});

test('P27 a cancelled call ends its request to the provider and sends no answer', async (context) => {
  const ollama = await ollamaFor(context);
  const session = await llmSession(context, ollama);
  ollama.fail(stallAfter(2), { on: CHAT, times: 1 });
  const stop = new AbortController();
  const asking = session.client
    .callTool({ name: 'summarize_notes', arguments: { notes: ['N1'], refresh: true } }, undefined, {
      signal: stop.signal,
    })
    .then(
      () => 'answered',
      () => 'cancelled',
    );
  await until(() => ollama.requestsTo(CHAT).length > 0, 'the request is sent');
  stop.abort();
  assert.equal(await asking, 'cancelled');
  await ollama.untilEnded(CHAT, 1);
  assert.equal(ollama.requestsTo(CHAT)[0]?.ended?.whole, false);
  await served(session, ollama);
});

test('status reports the language-model provider, whether it is reachable, and where texts are sent', async (context) => {
  const ollama = await ollamaFor(context);
  const session = await llmSession(context, ollama);
  const { data } = (await session.call('status')).structured;
  const row = data.capabilities.present.find(({ capability }: { capability: string }) => capability === 'llm');
  assert.partialDeepStrictEqual(row, { type: 'ollama', model: 'llama3.2', ok: true, endpoint: ollama.origin });
  assert.deepEqual(data.text_goes_to, [ollama.origin]);
  assert.equal(ollama.requestsTo(CHAT).length, 0, 'asking how it is has the model write nothing');
  await served(session, ollama);
});

test('M13 startup.verify: a missing model fails the start, with the config section and the code', async (context) => {
  const ollama = await ollamaFor(context);
  const { config } = setUp(context, ollama, { rest: 'startup: { verify: true }' });
  const session = await openSession(context, { config });
  assert.ok((await session.toolNames()).includes('summarize_notes'));
  await session.close();
  ollama.remove('llama3.2');
  const { status, stderr } = await runBeside(context, ['serve', '--config', config]);
  assert.equal(status, 78);
  assert.match(stderr, /startup\.verify: providers\.llm: \[PROVIDER_MODEL_MISSING\]/);
});

test('a run with a scripted model gives the same bytes twice', async (context) => {
  const run = async (inner: TestContext): Promise<readonly string[]> => {
    const ollama = await ollamaFor(inner);
    const session = await llmSession(inner, ollama);
    const answers = [await summarize(session, TEN), await summarize(session, ['N3', 'Nowhere'])];
    const sent = ollama.requestsTo(CHAT).map(({ body }) => JSON.stringify(body));
    return [...answers.map(({ structured }) => JSON.stringify(structured.data)), ...sent];
  };
  assert.deepEqual(await run(context), await run(context));
});
