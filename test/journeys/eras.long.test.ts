// Checks the built server with real clients of both protocol eras: what they list, read, write, follow and are asked.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { until } from '../until.ts';
import { startRawServer, toolCall } from './raw-server.ts';
import { configFile, copyOfFixture, openSession, serveArguments, temporaryFolder } from './session.ts';

const HARBOUR = 'Places/Harbour.md';
const POOL = 'note:///Places/Tide%20pool.md';
const STATELESS = '2026-07-28';

interface Start {
  readonly config?: string;
  readonly vault?: string;
}

/** A client of the SDK that knows both eras. */
async function openClient(context: TestContext, start: Start, options: ClientOptions): Promise<Client> {
  const home = temporaryFolder(context);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: serveArguments(start, home),
    env: { PATH: process.env.PATH ?? '', HOME: home },
    stderr: 'ignore',
  });
  const client = new Client({ name: 'eras', version: '1' }, options);
  context.after(() => client.close());
  await client.connect(transport);
  return client;
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads the answer as its client does, without types.
const call = async (client: Client, name: string, given: Record<string, unknown> = {}): Promise<any> =>
  client.callTool({ name, arguments: given });

test('a client that probes gets the newest protocol, one that is pinned gets its own, and both read the same', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const modern = await openClient(context, { vault }, { versionNegotiation: { mode: 'auto' } });
  const pinned = await openClient(context, { vault }, { versionNegotiation: { mode: { pin: STATELESS } } });
  const legacy = await openClient(context, { vault }, { versionNegotiation: { mode: 'legacy' } });
  const old = await openSession(context, { vault });
  await old.indexed();
  const versions = [modern, pinned, legacy].map((client) => client.getNegotiatedProtocolVersion());
  assert.deepEqual(versions, [STATELESS, STATELESS, '2025-11-25']);
  for (const client of [modern, pinned, legacy]) {
    assert.deepEqual((await client.listTools()).tools, (await old.client.listTools()).tools);
    assert.deepEqual((await client.listPrompts()).prompts, (await old.client.listPrompts()).prompts);
    await call(client, 'reindex', { wait_ms: 20_000 });
    const answer = await call(client, 'read_notes', { notes: ['Harbour', 'Nobody'] });
    const same = await old.call('read_notes', { notes: ['Harbour', 'Nobody'] });
    assert.deepEqual(answer.structuredContent.data, same.structured.data);
    const uri = 'note:///Places/Harbour.md';
    const [read] = (await client.readResource({ uri })).contents;
    assert.deepEqual(read, (await old.client.readResource({ uri })).contents[0]);
    // This client shows both eras' code of a missing resource as the newer one.
    await assert.rejects(client.readResource({ uri: 'note:///nope.md' }), { code: -32602 });
    await assert.rejects(call(client, 'nothing'), { code: -32602 });
    const ref = { type: 'ref/resource' as const, uri: 'note:///{+path}' };
    const { completion } = await client.complete({ ref, argument: { name: 'path', value: 'pool' } });
    assert.deepEqual(completion.values, ['Places/Tide pool.md']);
  }
});

test('without a handshake a user is asked by the answer to the call, and only what was shown is written, once', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const config = configFile(context, `vault:\n  path: ${vault}\n  access: read-write\n  consent: ask\n`);
  const capabilities = { elicitation: { form: {} } };
  const client = await openClient(context, { config }, { capabilities, versionNegotiation: { mode: 'auto' } });
  const text = (): string => readFileSync(join(vault, HARBOUR), 'utf8');
  const questions: string[] = [];
  let isApproved = false;
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    questions.push(params.message);
    return isApproved ? { action: 'accept', content: { approve: true } } : { action: 'decline' };
  });
  await call(client, 'reindex', { wait_ms: 20_000 });
  const before = text();
  const edit = { note: 'Harbour', edits: [{ op: 'replace_text', target: 'free in winter', text: 'taken' }] };
  const declined = await call(client, 'edit_note', edit);
  assert.equal(declined.structuredContent.error.details.answer, 'declined');
  assert.deepEqual([questions.length, text()], [1, before]);
  isApproved = true;
  const written = await call(client, 'edit_note', edit);
  assert.match(written.structuredContent.data.change_id, /^chg_/);
  assert.match(questions[1] ?? '', /^edit_note changes 1 file:\n- Places\/Harbour\.md/);
  assert.equal(text(), before.replace('free in winter', 'taken'));
});

const METADATA = {
  'io.modelcontextprotocol/protocolVersion': STATELESS,
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};

test('an answer holds for one call and what it showed: not for another, not twice, not for a changed note', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const config = configFile(context, `vault:\n  path: ${vault}\n  access: read-write\n  consent: ask\n`);
  const server = startRawServer(context, { config });
  let id = 0;
  const ask = async (name: string, given: object, more: object = {}) => {
    id += 1;
    server.send({ id, method: 'tools/call', params: { name, arguments: given, ...more, _meta: METADATA } });
    return server.reply(id);
  };
  const approval = (requestState: string) => ({
    requestState,
    inputResponses: { approve: { action: 'accept', content: { approve: true } } },
  });
  await ask('reindex', { wait_ms: 20_000 });
  const remove = (note: string) => ({ note, confirm: true });
  const first = (await ask('delete_note', remove('Lighthouse'))).result;
  assert.equal(first.resultType, 'input_required');
  assert.equal(first.inputRequests.approve.method, 'elicitation/create');
  const other = await ask('delete_note', remove('Harbour'), approval(first.requestState));
  assert.equal(other.result.resultType, 'input_required', 'it is asked about the other note');
  const reused = await ask('delete_note', remove('Lighthouse'), approval(first.requestState));
  assert.equal(reused.error?.code, -32602);
  assert.match(reused.error?.message, /requestState: unknown, expired or used before/);
  writeFileSync(join(vault, HARBOUR), '# Harbour\nAnother text.\n');
  await ask('reindex', { wait_ms: 20_000 });
  const changed = await ask('delete_note', remove('Harbour'), approval(other.result.requestState));
  assert.equal(changed.result.resultType, 'input_required', 'what is shown now is not what was approved');
  const missing = await ask('delete_note', remove('Harbour'), { requestState: changed.result.requestState });
  assert.equal(missing.result.resultType, 'input_required', 'without an answer it is asked again');
  for (const malformed of [{ inputResponses: [] }, { requestState: 7 }, { requestState: 'made up' }])
    assert.equal((await ask('delete_note', remove('Harbour'), malformed)).error?.code, -32602);
  const done = await ask('delete_note', remove('Harbour'), approval(missing.result.requestState));
  assert.equal(done.result.isError, false, JSON.stringify(done.result));
});

test('without a handshake a client listens to notes, and is notified of what it listens to', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const client = await openClient(context, { vault }, { versionNegotiation: { mode: 'auto' } });
  await call(client, 'reindex', { wait_ms: 20_000 });
  const updates: string[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void updates.push(params.uri));
  const missing = 'note:///nope.md';
  const listening = await client.listen({ toolsListChanged: true, resourceSubscriptions: [POOL, missing] });
  assert.deepEqual(listening.honoredFilter, { resourceSubscriptions: [POOL] });
  writeFileSync(join(vault, 'Places/Tide pool.md'), '# Tide pool\nchanged from outside\n');
  await until(() => updates.length === 1, 'an update');
  await listening.close();
  writeFileSync(join(vault, 'Places/Tide pool.md'), '# Tide pool\nchanged again\n');
  await call(client, 'search_text', { query: 'again', require_fresh: true });
  const later = await client.listen({ resourceSubscriptions: ['note:///Places/Harbour.md'] });
  writeFileSync(join(vault, HARBOUR), '# Harbour\nchanged\n');
  await until(() => updates.length === 2, 'an update of the other note');
  assert.deepEqual(updates, [POOL, 'note:///Places/Harbour.md']);
  await later.close();
});

test('a client of 2024-11-05 and one that probes before its handshake are served as before', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  for (const probes of [false, true]) {
    const server = startRawServer(context, { vault });
    if (probes) {
      server.send({ id: 'probe', method: 'server/discover', params: { _meta: METADATA } });
      assert.deepEqual((await server.reply('probe')).result.supportedVersions, [STATELESS]);
    }
    await server.begin('2024-11-05');
    server.send(toolCall(1, 'list_tags'));
    const { result } = await server.reply(1);
    assert.equal(result.isError, false);
    assert.equal(result.resultType, undefined);
    server.send({ id: 2, method: 'tools/list', params: { _meta: METADATA } });
    assert.deepEqual((await server.reply(2)).error?.data, { supported: ['2024-11-05'], requested: STATELESS });
  }
});
