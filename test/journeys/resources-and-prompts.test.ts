// Checks resources, prompts and completion over stdio: the lists, the notifications and the error codes.
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { until } from '../until.ts';
import { CHATS, ollamaFor, setUp } from './embedding-session.ts';
import { startRawServer, toolCall } from './raw-server.ts';
import { configFile, copyOfFixture, openSession, type Session, temporaryFolder } from './session.ts';

const POOL = 'note:///Places/Tide%20pool.md';
const CHANGES = 'notes:///changed';

/** Collects the URIs of the notifications that a client gets. */
function updatesOf({ client }: Session): { readonly all: string[]; next(count: number): Promise<void> } {
  const all: string[] = [];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void all.push(params.uri));
  return {
    all,
    async next(count) {
      await until(() => all.length >= count, `${count} updates`);
    },
  };
}

test('everything listed can be read, and nothing else; the server has a title and an icon', async (context) => {
  const { client, indexed } = await openSession(context, { vault: copyOfFixture(context, 'tiny') });
  await indexed();
  assert.deepEqual(client.getServerCapabilities(), {
    tools: {},
    resources: { subscribe: true },
    prompts: {},
    completions: {},
  });
  const server = client.getServerVersion();
  assert.deepEqual([server?.name, server?.title], ['vaultgraph', 'vaultgraph']);
  assert.deepEqual(
    server?.icons?.map(({ mimeType, sizes }) => [mimeType, sizes?.[0]]),
    [
      ['image/svg+xml', 'any'],
      ['image/png', '64x64'],
    ],
  );
  const { resources } = await client.listResources();
  assert.deepEqual([resources.length, resources[0]?.uri], [13, CHANGES]);
  for (const { uri } of resources) assert.equal((await client.readResource({ uri })).contents[0]?.uri, uri);
  assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 1);
  const ref = { type: 'ref/resource' as const, uri: 'note:///{+path}' };
  const { completion } = await client.complete({ ref, argument: { name: 'path', value: 'pool' } });
  assert.deepEqual(completion.values, ['Places/Tide pool.md']);
});

test('subscribers are notified of changes by other programs and our own tools, of renames, and of created and deleted notes', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const config = configFile(context, `vault:\n  path: ${vault}\n  access: read-write\n`);
  const session = await openSession(context, { config });
  await session.indexed();
  const updates = updatesOf(session);
  const odd = 'note:///C#%20&%20100%25.md';
  writeFileSync(join(vault, 'C# & 100%.md'), 'one\n');
  await session.call('search_text', { query: 'one', require_fresh: true });
  for (const uri of [POOL, odd]) await session.client.subscribeResource({ uri });
  writeFileSync(join(vault, 'Places/Tide pool.md'), '# Tide pool\nchanged from outside\n');
  await updates.next(1);
  await session.call('edit_note', { note: 'C# & 100%.md', edits: [{ op: 'append', text: 'two' }], confirm: true });
  const edited = await session.call('edit_note', {
    note: 'Tide pool',
    edits: [{ op: 'append', text: 'three' }],
    confirm: true,
  });
  assert.equal(edited.isError, false, edited.text);
  await updates.next(2);
  renameSync(join(vault, 'C# & 100%.md'), join(vault, 'Moved.md'));
  await updates.next(3);
  rmSync(join(vault, 'Places/Tide pool.md'));
  await updates.next(4);
  assert.deepEqual(new Set(updates.all), new Set([POOL, odd]));
  // Two writes in a row may be announced twice, so the index may not have the deletion yet.
  await session.call('search_text', { query: 'tide', require_fresh: true });
  await assert.rejects(session.client.readResource({ uri: POOL }), { code: -32002 });
  await session.client.unsubscribeResource({ uri: POOL });
  const before = updates.all.length;
  writeFileSync(join(vault, 'Places/Tide pool.md'), '# Tide pool\nback\n');
  await sleep(2_000);
  assert.equal(updates.all.length, before);
});

test('a subscription to the whole vault follows what is created, edited, moved and deleted, on each server', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const leader = await openSession(context, { vault });
  await leader.indexed();
  const follower = await openSession(context, { vault, dataFolder: leader.dataFolder });
  const both = [leader, follower].map((session) => ({ session, updates: updatesOf(session) }));
  for (const { session } of both) await session.client.subscribeResource({ uri: CHANGES });
  const at = (path: string): string => join(vault, path);
  const deeds: readonly (readonly [string, () => void])[] = [
    ['created New.md', () => writeFileSync(at('New.md'), '# New\n\none line\nand another\nand a third\n')],
    ['edited Places/Tide pool.md', () => writeFileSync(at('Places/Tide pool.md'), '# Tide pool\nchanged\n')],
    ['moved Newer.md', () => renameSync(at('New.md'), at('Newer.md'))],
    ['deleted Newer.md', () => rmSync(at('Newer.md'))],
  ];
  for (const [what, act] of deeds) {
    const heard = both.map(({ updates }) => updates.all.length);
    act();
    for (const [number, { session, updates }] of both.entries()) {
      await updates.next((heard[number] ?? 0) + 1);
      // A move may be noticed as two halves, the second of which follows.
      await until(async () => {
        const { contents } = await session.client.readResource({ uri: CHANGES });
        const [{ change, path }] = JSON.parse((contents[0] as { text: string }).text).changes;
        return `${change} ${path}`.replace('created_and_', '') === what.replace('moved', 'created');
      }, what);
    }
  }
  for (const { updates } of both) assert.deepEqual(new Set(updates.all), new Set([CHANGES]));
  await follower.client.unsubscribeResource({ uri: CHANGES });
  await assert.rejects(follower.client.readResource({ uri: 'notes:///other' }), { code: -32002 });
});

test('S9 a follower notifies its clients of what its leader indexed', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const leader = await openSession(context, { vault });
  await leader.indexed();
  const follower = await openSession(context, { vault, dataFolder: leader.dataFolder });
  const updates = updatesOf(follower);
  await follower.client.subscribeResource({ uri: POOL });
  const status = await follower.call('status');
  assert.equal(status.structured.meta.index.writer, 'other');
  writeFileSync(join(vault, 'Places/Tide pool.md'), '# Tide pool\nchanged\n');
  await updates.next(1);
  rmSync(join(vault, 'Places/Tide pool.md'));
  await updates.next(2);
  assert.deepEqual(updates.all, [POOL, POOL]);
});

test('unknown methods, cursors and addresses return their codes, and every error id is in the log', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const server = startRawServer(context, { vault });
  await server.begin();
  server.send(toolCall(100, 'reindex', { wait_ms: 45_000 }));
  await server.reply(100);
  const cases: [string, object, number, string?][] = [
    ['resources/nope', {}, -32601],
    ['prompts/nope', {}, -32601],
    ['resources/list', { cursor: 'nonsense' }, -32602, 'INVALID_INPUT'],
    ['prompts/list', { cursor: 'nonsense' }, -32602],
    ['tools/list', { cursor: 'nonsense' }, -32602],
    ['resources/templates/list', { cursor: 'nonsense' }, -32602],
    ['resources/read', { uri: 'note:///nope.md' }, -32002, 'NOTE_NOT_FOUND'],
    ['resources/read', { uri: 'file:///etc/passwd' }, -32002],
    ['resources/read', { uri: 'note:///..%2f..%2fetc/passwd.md' }, -32603, 'PATH_NOT_ALLOWED'],
    ['resources/read', { uri: 'note:///a%00.md' }, -32602, 'INVALID_INPUT'],
    ['resources/read', {}, -32602],
    ['resources/subscribe', { uri: 'note:///nope.md' }, -32002, 'NOTE_NOT_FOUND'],
    ['resources/unsubscribe', { uri: 7 }, -32602],
    ['prompts/get', { name: 'connect_note', arguments: { note: 'Nobody' } }, -32602, 'NOTE_NOT_FOUND'],
    ['prompts/get', { name: 'connect_note', arguments: { not: 'x' } }, -32602, 'INVALID_INPUT'],
    ['prompts/get', { name: 'nope' }, -32602],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'nope' }, argument: { name: 'x', value: '' } }, -32602],
    ['logging/setLevel', { level: 'debug' }, -32601],
  ];
  const ids: string[] = [];
  for (const [at, [method, params, code, name]] of cases.entries()) {
    server.send({ id: at + 1, method, params });
    const { error } = await server.reply(at + 1);
    assert.equal(error?.code, code, `${method} ${JSON.stringify(params)}`);
    assert.equal(error.data?.code, name, `${method} ${JSON.stringify(params)}`);
    if (error.data?.error_id !== undefined) ids.push(error.data.error_id);
  }
  server.send({ id: 99, method: 'ping' });
  await server.reply(99);
  for (const line of server.lines()) assert.equal(JSON.parse(line).jsonrpc, '2.0');
  await until(() => ids.every((id) => server.stderr().includes(id)), 'every id is in the log');
  for (const id of ids)
    assert.equal(
      server
        .stderr()
        .split('\n')
        .filter((line) => line.includes(id)).length,
      1,
      id,
    );
  assert.doesNotMatch(server.stderr(), /INTERNAL|undeclared/);
});

test('M7 with the vault missing and the provider down from the start, the lists are complete', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const dataFolder = temporaryFolder(context);
  const first = await openSession(context, { vault, dataFolder });
  await first.indexed();
  await first.close();
  const yaml = `vault: { path: ${vault} }\nproviders:\n  embedding: { type: ollama, model: embeddinggemma, endpoint: "http://127.0.0.1:9" }\n`;
  const config = configFile(context, yaml);
  const server = await openSession(context, { config, dataFolder });
  renameSync(vault, `${vault}.away`);
  context.after(() => rmSync(`${vault}.away`, { recursive: true, force: true }));
  const { client } = server;
  assert.ok((await client.listTools()).tools.some(({ name }) => name === 'search'));
  assert.equal((await client.listPrompts()).prompts.length, 13);
  assert.equal((await client.listResources()).resources.length, 13);
  await assert.rejects(
    client.readResource({ uri: POOL }),
    ({ code, data }: { code: number; data: { code: string } }) => {
      assert.deepEqual([code, data.code], [-32603, 'VAULT_UNAVAILABLE']);
      return true;
    },
  );
  const { messages } = await client.getPrompt({ name: 'connect_note', arguments: { note: 'Harbour' } });
  const said = messages[0]?.content.type === 'text' ? messages[0].content.text : '';
  assert.match(said, /the note itself[^\n]*not known, failed with VAULT_UNAVAILABLE/);
  assert.match(said, /similar in meaning[^\n]*not known, failed with [A-Z_]+/);
  assert.doesNotMatch(said, /INTERNAL/);
  mkdirSync(vault, { recursive: true });
});

test('with every provider configured, each prompt can be built and names only listed tools', async (context) => {
  const setup = setUp(context, await ollamaFor(context, CHATS), {
    vault: copyOfFixture(context, 'tiny'),
    llm: true,
    access: 'read-write',
  });
  const session = await openSession(context, setup);
  await session.indexed();
  const tools = await session.toolNames();
  for (const [name, given] of Object.entries({
    daily_review: {},
    explain_topic: { topic: 'tide' },
    fix_broken_links: {},
    connect_note: { note: 'Harbour' },
    weekly_review: {},
    clean_up_tags: {},
    merge_duplicates: {},
    meeting_note: { topic: 'tide' },
    what_changed: {},
    timeline: { topic: 'tide' },
    tidy_up: {},
    recall: { topic: 'tide', folder: 'Places' },
    remember: { what: 'The tide turns at noon.' },
  })) {
    const { messages } = await session.client.getPrompt({ name, arguments: given as Record<string, string> });
    const [content] = messages.map((message) => message.content);
    const said = content?.type === 'text' ? content.text : '';
    const outside = said.replace(/<(data-[0-9a-f]{16}) n="\d+">[\s\S]*?<\/\1>/g, '');
    for (const [, tool = ''] of outside.matchAll(/`([a-z]+_[a-z]+)`/g))
      assert.ok(tools.includes(tool) || ['dry_run', 'if_match'].includes(tool), tool);
  }
});
