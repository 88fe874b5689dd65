// Tests the server over real stdio: calls, refusals, progress, stray output and shutdown.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { until } from '../../until.ts';
import type { ServerScript } from '../test-server.ts';
import { testCatalog } from '../test-tools.ts';
import { callTool, ERAS, METADATA, type Message, openRawSession, TEST_SERVER } from './stdio-process.ts';

async function openClient(
  context: TestContext,
  script: ServerScript = {},
): Promise<{ client: Client; faults: Error[] }> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [TEST_SERVER, JSON.stringify(script)],
    stderr: 'ignore',
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  const faults: Error[] = [];
  client.onerror = (fault) => faults.push(fault);
  await client.connect(transport);
  context.after(() => client.close());
  return { client, faults };
}

function temporaryFile(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-test-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'closed');
}

test('M1: success and failure reach an SDK client completely, before and after it lists the tools', async (context) => {
  const { client, faults } = await openClient(context);
  for (const list of [false, true]) {
    if (list) await client.listTools();
    const good: Message = await client.callTool({ name: 'echo', arguments: { text: 'hello' } });
    assert.deepEqual(good.structuredContent, { ok: true, data: { text: 'hello', limit: 10 } });
    assert.deepEqual(good.content, [{ type: 'text', text: 'text: hello\nlimit: 10' }]);
    assert.equal(good.isError, false);
    const bad: Message = await client.callTool({ name: 'fail', arguments: { code: 'NOTE_AMBIGUOUS', ref: 'x' } });
    assert.equal(bad.isError, true);
    assert.equal(bad.structuredContent.error.code, 'NOTE_AMBIGUOUS');
    assert.match(bad.content[0].text, /^Error \[NOTE_AMBIGUOUS\]: /);
  }
  assert.deepEqual(faults, []);
});

test('the tool list is the same in every request, has no output schema, and the instructions are sent', async (context) => {
  const { client } = await openClient(context);
  const { tools } = await client.listTools();
  const absent = ['search', 'edit_note', 'delete_note'];
  assert.deepEqual(
    tools.map((tool) => tool.name),
    testCatalog.map((tool) => tool.name).filter((name) => !absent.includes(name)),
  );
  assert.deepEqual(await client.listTools(), { tools });
  for (const tool of tools) assert.equal(tool.outputSchema, undefined);
  assert.match(client.getInstructions() ?? '', /user's own Markdown notes/);
  assert.equal(client.getServerVersion()?.title, 'Test');
});

test('structured content can be turned off for clients that cannot handle it', async (context) => {
  const { client } = await openClient(context, { structuredContent: 'text' });
  const answer = await client.callTool({ name: 'echo', arguments: { text: 'hello' } });
  assert.equal(answer.structuredContent, undefined);
  assert.deepEqual(answer.content, [{ type: 'text', text: 'text: hello\nlimit: 10' }]);
});

for (const era of ERAS) {
  test(`M2: an unlisted tool is a protocol error that lists the available tools (${era})`, async (context) => {
    const session = await openRawSession(context, {}, era);
    const unknown = await callTool(session, 1, 'nothing');
    assert.equal(unknown.error.code, -32602);
    assert.equal(unknown.error.message, 'no tool "nothing"');
    assert.ok(unknown.error.data.available.includes('echo'));
    const absent = await callTool(session, 2, 'search');
    assert.equal(absent.error.data.code, 'CAPABILITY_NOT_CONFIGURED');
    assert.equal(absent.error.data.config_key, 'providers.embedding');
    assert.match(absent.error.message, /^search needs .*providers\.embedding/);
    assert.equal((await callTool(session, 3, 'edit_note')).error.data.code, 'READ_ONLY');
    for (const [index, params] of [{}, { name: 5 }, { name: null, arguments: {} }].entries()) {
      const malformed = await session.request(10 + index, 'tools/call', params);
      assert.equal(malformed.error.code, -32602);
      assert.ok(malformed.error.data.available.includes('echo'));
    }
    const [found, ping] = [await session.request(20, 'server/discover'), await session.request(21, 'ping')];
    if (era === 'session') assert.deepEqual([found.error.code, ping.result], [-32601, {}]);
    else assert.deepEqual([found.result.supportedVersions, ping.error.code], [['2026-07-28'], -32601]);
    session.assertCleanStdout();
  });
}

for (const era of ERAS) {
  test(`M3: invalid arguments are tool errors that say how to correct the call (${era})`, async (context) => {
    const session = await openRawSession(context, {}, era);
    const nested = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    const cases: [string, RegExp][] = [
      ['{"txt":"a"}', /INVALID_INPUT.*txt: unknown argument/],
      ['{"text":5}', /text: must be a string/],
      ['{}', /text: is missing/],
      ['null', /text: is missing/],
      ['[]', /must be an object/],
      ['"text"', /must be an object/],
      ['{"text":"a","sort":"nam"}', /must be one of name, modified/],
      ['{"text":"a","__proto__":{"limit":5}}', /__proto__: is not an allowed argument name/],
      ['{"text":"a\\u0000"}', /NUL/],
      ['{"text":"a\\ud800"}', /surrogate/],
      [`{"text":"a","where":${nested}}`, /LIMIT_EXCEEDED.*depth/],
    ];
    for (const [index, [given, expected]] of cases.entries()) {
      const meta = era === 'session' ? '{}' : JSON.stringify(METADATA);
      session.child.stdin.write(
        `{"jsonrpc":"2.0","id":${index + 1},"method":"tools/call","params":{"name":"echo","arguments":${given},"_meta":${meta}}}\n`,
      );
      const { result } = await session.message((answer) => answer.id === index + 1);
      assert.equal(result.isError, true, given);
      assert.match(result.content[0].text, expected);
    }
    session.assertCleanStdout();
  });
}

for (const era of ERAS) {
  test(`M4: any error thrown by a handler is INTERNAL with an id in the log, and the next call is served (${era})`, async (context) => {
    const session = await openRawSession(context, {}, era);
    for (const [index, kind] of ['text', 'nothing', 'type', 'errno', 'shape', 'nan', 'class'].entries()) {
      const { result } = await callTool(session, index + 1, 'throw_anything', { kind });
      const { error } = result.structuredContent;
      assert.equal(error.code, 'INTERNAL');
      await until(() => session.stderr().includes(error.error_id), 'the error is in the log');
      assert.equal(session.stderr().split(error.error_id).length, 2);
    }
    assert.equal((await callTool(session, 50, 'throw_anything', { kind: 'reject_late' })).result.isError, false);
    assert.equal((await callTool(session, 51, 'echo', { text: 'a' })).result.isError, false);
    assert.doesNotMatch(session.stderr(), /\/home\/ann/);
    session.assertCleanStdout();
  });
}

for (const era of ERAS) {
  test(`M4: a bug in a method is -32603 with an id that is in the log once, without the thrown message (${era})`, async (context) => {
    const session = await openRawSession(context, {}, era);
    const { error } = await session.request(1, 'test/broken');
    assert.equal(error.code, -32603);
    assert.match(error.data.error_id, /^e_[0-9a-f]{12}$/);
    assert.doesNotMatch(JSON.stringify(error), /ann|diary/);
    await until(() => session.stderr().includes(error.data.error_id), 'the error is in the log');
    const records = session
      .stderr()
      .split('\n')
      .filter((line) => line.includes(error.data.error_id));
    assert.equal(records.length, 1);
    assert.match(records[0] ?? '', /"event":"method_broken".*"code":"INTERNAL"/);
    assert.doesNotMatch(session.stderr(), /diary/);
    assert.equal((await callTool(session, 2, 'echo', { text: 'a' })).result.isError, false);
    for (const method of ['resources/list', 'prompts/list', 'completion/complete']) {
      assert.equal((await session.request(3, method)).error.code, -32601, 'what is not announced is not served');
    }
    session.assertCleanStdout();
  });
}

for (const era of ERAS) {
  test(`M5: a cancelled call gets no answer and is logged, and the next call is served (${era})`, async (context) => {
    const session = await openRawSession(context, {}, era);
    session.send({ id: 1, method: 'tools/call', params: { name: 'wait', arguments: { ms: 60_000 } } });
    session.send({ method: 'notifications/cancelled', params: { requestId: 1, reason: 'enough' } });
    assert.equal((await callTool(session, 2, 'echo', { text: 'a' })).result.isError, false);
    await until(() => /"event":"call_failed".*"code":"CANCELLED"/.test(session.stderr()), 'the failure is in the log');
    await sleep(50);
    assert.equal(
      session.messages().some((message) => message.id === 1),
      false,
    );
    session.assertCleanStdout();
  });
}

test('M6: the timeout error is sent before the client times out', async (context) => {
  const { client } = await openClient(context, { callLimitMs: 300 });
  const late: Message = await client.callTool({ name: 'wait', arguments: { ms: 60_000, deaf: true } }, undefined, {
    timeout: 60_000,
  });
  assert.equal(late.structuredContent.error.code, 'DEADLINE_EXCEEDED');
});

for (const era of ERAS) {
  test(`M6: progress is sent only with a token, increases, is paced, has heartbeats and ends with the answer (${era})`, async (context) => {
    const session = await openRawSession(context, {}, era);
    await callTool(session, 1, 'wait', { ms: 300, steps: 3 });
    assert.equal(
      session.messages().some((message) => message.method === 'notifications/progress'),
      false,
    );
    const call = (id: number, given: object): Promise<Message> =>
      session.request(id, 'tools/call', { name: 'wait', arguments: given, _meta: { progressToken: `token-${id}` } });
    const began = performance.now();
    const stepped = call(2, { ms: 600, steps: 60 }).then(() => performance.now() - began);
    const [tookMs] = await Promise.all([stepped, call(3, { ms: 6_500 })]);
    await sleep(300);
    const notesOf = (id: number): Message[] =>
      session.messages().filter((message) => message.params?.progressToken === `token-${id}`);
    const steps = notesOf(2).map((note) => note.params);
    assert.ok(steps.length >= 2 && steps.length <= tookMs / 250 + 2, `${steps.length} notes in ${tookMs} ms`);
    assert.equal(steps[0].total, 60);
    const heartbeats = notesOf(3).map((note) => note.params);
    assert.ok(heartbeats.length >= 2);
    assert.match(heartbeats.at(-1).message, /, \d s$/);
    for (const notes of [steps, heartbeats]) {
      for (const [index, note] of notes.entries()) if (index > 0) assert.ok(note.progress > notes[index - 1].progress);
    }
    const order = session.messages().map((message) => message.id ?? message.params?.progressToken);
    for (const id of [2, 3]) assert.ok(order.lastIndexOf(`token-${id}`) < order.indexOf(id));
    session.assertCleanStdout();
  });
}

for (const era of ERAS) {
  test(`M8: what a tool prints goes to stderr, is counted, and the stream still parses (${era})`, async (context) => {
    const session = await openRawSession(context, {}, era);
    assert.equal((await callTool(session, 1, 'print')).result.isError, false);
    assert.equal((await callTool(session, 2, 'echo', { text: 'a' })).result.isError, false);
    session.child.stdin.end();
    assert.deepEqual(await session.ended, { code: 0, signal: null });
    assert.match(session.stderr(), /a line\nno line end/);
    assert.match(session.stderr(), /"stdout_violations":2/);
    session.assertCleanStdout();
  });
}

test('M9: a garbage line is logged without its text and survived', async (context) => {
  const session = await openRawSession(context);
  for (const line of ['garbage', '{"jsonrpc":"2.0"}', '', '[]', '{"id":1', 'null', '\u0000\u0001']) {
    session.child.stdin.write(`${line}\n`);
  }
  assert.equal((await callTool(session, 1, 'echo', { text: 'a' })).result.isError, false);
  assert.match(session.stderr(), /"event":"request_malformed","reason":"-32700"/);
  assert.doesNotMatch(session.stderr(), /garbage/);
  session.assertCleanStdout();
});

test('M9: half a line and then the end is logged, and the process ends cleanly', async (context) => {
  const closedFile = temporaryFile(context);
  const session = await openRawSession(context, { closedFile });
  session.child.stdin.end('{"jsonrpc":"2.0","id":1,"meth');
  assert.deepEqual(await session.ended, { code: 0, signal: null });
  assert.match(session.stderr(), /"event":"ending".*cut off within a line/);
  assert.equal(readFileSync(closedFile, 'utf8'), 'closed');
  session.assertCleanStdout();
});

for (const era of ERAS) {
  test(`M10: when stdin ends, calls already read may answer, and longer ones fail with SHUTTING_DOWN (${era})`, async (context) => {
    const closedFile = temporaryFile(context);
    const session = await openRawSession(context, { closedFile, graceMs: 3_000 }, era);
    session.send({ id: 1, method: 'tools/call', params: { name: 'wait', arguments: { ms: 300 } } });
    session.send({ id: 2, method: 'tools/call', params: { name: 'wait', arguments: { ms: 60_000 } } });
    session.send({ id: 3, method: 'tools/call', params: { name: 'wait', arguments: { ms: 60_000, deaf: true } } });
    session.child.stdin.end();
    assert.deepEqual(await session.ended, { code: 0, signal: null });
    const answers = session.messages().filter((message) => [1, 2, 3].includes(message.id));
    const codes = answers.map(({ id, result }) => [id, result.structuredContent.error?.code]);
    assert.deepEqual(codes, [
      [1, undefined],
      [2, 'SHUTTING_DOWN'],
      [3, 'SHUTTING_DOWN'],
    ]);
    assert.equal(readFileSync(closedFile, 'utf8'), 'closed');
    session.assertCleanStdout();
  });
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`M10: ${signal} closes everything and exits with 0`, async (context) => {
    const closedFile = temporaryFile(context);
    const session = await openRawSession(context, { closedFile });
    session.send({ id: 1, method: 'tools/call', params: { name: 'wait', arguments: { ms: 60_000 } } });
    await callTool(session, 2, 'echo', { text: 'a' });
    session.child.kill(signal);
    assert.deepEqual(await session.ended, { code: 0, signal: null });
    assert.equal(readFileSync(closedFile, 'utf8'), 'closed');
    assert.equal(
      session.messages().find((message) => message.id === 1).result.structuredContent.error.code,
      'SHUTTING_DOWN',
    );
    session.assertCleanStdout();
  });
}

test('M10: a close that hangs does not keep the process', async (context) => {
  const session = await openRawSession(context, { closeMs: 60_000, maxEndMs: 1_800 });
  session.child.stdin.end();
  assert.deepEqual(await session.ended, { code: 0, signal: null });
  assert.match(session.stderr(), /"event":"end_forced"/);
});

test('M10: a client that closes stdout ends the process cleanly', async (context) => {
  const closedFile = temporaryFile(context);
  const session = await openRawSession(context, { closedFile });
  session.child.stdout.destroy();
  session.send({ id: 1, method: 'tools/call', params: { name: 'long', arguments: { characters: 100_000 } } });
  assert.deepEqual(await session.ended, { code: 0, signal: null });
  assert.equal(readFileSync(closedFile, 'utf8'), 'closed');
});

test('M10: a server whose parent dies ends, although another process holds its stdin open', {
  skip: process.platform === 'win32',
}, async (context) => {
  const closedFile = temporaryFile(context);
  const program = `
    const { spawn } = require('node:child_process');
    const child = spawn(process.execPath, ${JSON.stringify([TEST_SERVER, JSON.stringify({ closedFile })])}, { stdio: [0, 'ignore', 'pipe'] });
    child.stderr.on('data', (chunk) => { if (String(chunk).includes('"serving"')) process.stdout.write(String(child.pid) + '\\n'); });
  `;
  const parent = spawn(process.execPath, ['--eval', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await new Promise<string[]>((resolve) =>
    parent.stdout.once('data', (data) => resolve(String(data).split('\n'))),
  );
  const processId = Number(line);
  parent.kill('SIGKILL');
  const isAlive = (): boolean => {
    try {
      return process.kill(processId, 0);
    } catch {
      return false;
    }
  };
  context.after(() => isAlive() && process.kill(processId, 'SIGKILL'));
  await until(() => !isAlive(), 'it ends');
  assert.equal(readFileSync(closedFile, 'utf8'), 'closed');
});

test('M14: neither a home path nor a credential leaves the process', async (context) => {
  const session = await openRawSession(context);
  const refs = ['/home/ann/Notes/a.md', '/home/ann/b', 'https://ann:pass@host/c'];
  for (const [index, ref] of refs.entries()) {
    await callTool(session, 10 + index, 'fail', { code: 'FILE_UNREADABLE', ref });
    await callTool(session, 20 + index, 'read_many', { names: [`!${ref}`, 'a'] });
  }
  await callTool(session, 30, 'throw_anything', { kind: 'errno' });
  session.child.stdin.end();
  await session.ended;
  const errors = session.messages().flatMap(({ result }) => result?.structuredContent?.error ?? []);
  const items = session.messages().flatMap(({ result }) => result?.structuredContent?.data?.failed ?? []);
  const shown = JSON.stringify([errors, items.map(({ error }: Message) => error)]);
  assert.doesNotMatch(`${shown}${session.stderr()}`, /\/home\/ann|ann:pass/);
  session.assertCleanStdout();
});
