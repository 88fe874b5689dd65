// Sessions over HTTP: how they end, what a client whose connection was cut gets, and how the server stops.
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { get as getWithTls } from 'node:https';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as SessionClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as SessionTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { until } from '../until.ts';
import { HEADERS, type HttpProcess, INITIALIZE, openByHand, post, startHttp } from './http-process.ts';
import { configFile, copyOfFixture, ROOT, runProgram, temporaryFolder } from './session.ts';

/** A self-signed certificate for tests only. */
const TLS = join(ROOT, 'test/fakes/tls');
const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
const call = (id: number, name: string, given: object): object => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call' },
  params: { name, arguments: given },
});

interface Started extends HttpProcess {
  readonly vault: string;
  readonly headers: Record<string, string>;
}

async function start(context: TestContext, more = '', access = 'read-write'): Promise<Started> {
  const vault = copyOfFixture(context, 'tiny');
  const yaml = `vault: { path: ${JSON.stringify(vault)}, access: ${access} }\n${more}\n`;
  const server = await startHttp(context, configFile(context, yaml), ['--no-auth']);
  return { ...server, vault, headers: await openByHand(server.url) };
}

test('idle sessions end by time, and by the limit the one that is idle for the longest', async (context) => {
  const { url, headers, stderr } = await start(context, 'http: { sessions: 3, session_idle: 3000 }');
  const [second, third, fourth] = [await openByHand(url), await openByHand(url), await openByHand(url)];
  assert.equal((await post(url, LIST, headers)).status, 404, 'the first one made room');
  for (const session of [second, third, fourth]) assert.equal((await post(url, LIST, session)).status, 200);
  const open = await fetch(url, { headers: { ...HEADERS, ...fourth } });
  await until(() => stderr().split('"session_ended","reason":"idle"').length === 3, 'two idle sessions end');
  assert.equal((await post(url, LIST, second)).status, 404);
  assert.equal((await post(url, LIST, fourth)).status, 200, 'a session with an open stream is not idle');
  await open.body?.cancel();
});

/** The events of a stream until it ends, or until `last` events. */
async function eventsOf(
  response: Response,
  last = Number.POSITIVE_INFINITY,
  onData: (data: string) => void = () => undefined,
): Promise<{ id: string; data: string }[]> {
  const events: { id: string; data: string }[] = [];
  let rest = '';
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
    rest += value ?? '';
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const [id = '', data = ''] = [/^id: (.*)$/m, /^data: ?(.*)$/m].map((pattern) => pattern.exec(block)?.[1]);
      if (id !== '') events.push({ id, data });
      onData(data);
    }
    if (!done && events.length < last) continue;
    await reader?.cancel();
    return events;
  }
}

test('a client whose stream was cut gets the answer once when it comes back, also after it was given', async (context) => {
  const { url, headers } = await start(context);
  const response = await post(url, call(7, 'reindex', { wait_ms: 20_000 }), headers);
  const [first] = await eventsOf(response, 1);
  assert.equal(first?.data, '', 'the first event gives an id before there is an answer');
  const resume = { ...HEADERS, ...headers, 'last-event-id': first?.id ?? '' };
  const [answer, ...more] = await eventsOf(await fetch(url, { headers: resume }));
  assert.equal(more.length, 0);
  assert.deepEqual([JSON.parse(answer?.data ?? '{}').id, JSON.parse(answer?.data ?? '{}').result.isError], [7, false]);
  const again = await eventsOf(await fetch(url, { headers: resume }));
  assert.deepEqual(again, [answer]);
  const after = await fetch(url, { headers: { ...resume, 'last-event-id': answer?.id ?? '' } });
  assert.equal(after.status, 204, 'there is nothing to come back for');
  assert.equal((await fetch(url, { headers: { ...resume, 'last-event-id': '99999' } })).status, 400);
  const other = await openByHand(url);
  const foreign = await fetch(url, { headers: { ...HEADERS, ...other, 'last-event-id': first?.id ?? '' } });
  const foreignEvents = foreign.status === 200 ? await eventsOf(foreign, 1) : [];
  assert.ok(foreignEvents.every(({ data }) => !data.includes('"id":7')));
});

test('a client opens no more streams than one after a call that failed', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const server = await startHttp(context, configFile(context, `vault: { path: ${JSON.stringify(vault)} }\n`), [
    '--no-auth',
  ]);
  const gets: string[] = [];
  const counted: typeof fetch = async (url, init) => {
    const response = await fetch(url, init);
    if (init?.method === 'GET') gets.push(`${new Headers(init.headers).has('last-event-id')} ${response.status}`);
    return response;
  };
  const client = new SessionClient({ name: 'one stream', version: '1' });
  await client.connect(new SessionTransport(new URL(server.url), { fetch: counted }) as never);
  context.after(() => client.close());
  await assert.rejects(client.callTool({ name: 'nothing', arguments: {} }), { code: -32602 });
  await until(() => gets.includes('true 204'), 'the client looks for more of the stream');
  for (let call = 0; call < 20; call += 1) await client.listTools();
  assert.deepEqual(
    gets.filter((get) => get !== 'true 204'),
    ['false 200'],
  );
});

test('the stream of a cancelled call ends, and so does its id', async (context) => {
  const { url, headers } = await start(context);
  const running = await post(url, call(3, 'reindex', { rebuild: true, wait_ms: 50_000 }), headers);
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } };
  assert.equal((await post(url, cancelled, headers)).status, 202);
  const [first, last] = await eventsOf(running);
  assert.equal(first?.data, '');
  assert.match(last?.data ?? '', /"message":"cancelled by the client"|"isError":/);
  assert.equal((await post(url, { ...LIST, id: 3 }, headers)).status, 200);
});

test('a call that runs when the server is asked to stop is answered, new ones are refused, and the process ends with 0', async (context) => {
  const { url, headers, child, ended } = await start(context);
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const running = post(url, call(1, 'reindex', { wait_ms: 1_000 }), headers).then(async (response) => {
    resolve();
    return response.text();
  });
  const stream = await fetch(url, { headers: { ...HEADERS, ...headers } });
  await begun;
  child.kill('SIGTERM');
  assert.match(await running, /"isError":false|SHUTTING_DOWN/);
  assert.equal(await ended, 0);
  await stream.text().catch(() => undefined);
  await assert.rejects(post(url, LIST, headers));
});

test('a client without sessions (2026-07-28) calls, is asked, and listens over HTTP', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const yaml = `vault: { path: ${JSON.stringify(vault)}, access: read-write, consent: ask }\n`;
  const { url, stderr } = await startHttp(context, configFile(context, yaml), ['--no-auth']);
  const capabilities = { elicitation: { form: {} } };
  const client = new Client({ name: 'modern', version: '1' }, { capabilities, versionNegotiation: { mode: 'auto' } });
  context.after(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
  const questions: string[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    questions.push(params.message);
    return { action: 'accept', content: { approve: true } };
  });
  const updates: string[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void updates.push(params.uri));
  await client.callTool({ name: 'reindex', arguments: { wait_ms: 20_000 } });
  const uri = 'note:///Places/Harbour.md';
  await client.listen({ resourceSubscriptions: [uri] });
  const edits = [{ op: 'replace_text', target: 'free in winter', text: 'asked over HTTP' }];
  const { isError } = await client.callTool({ name: 'edit_note', arguments: { note: 'Harbour', edits } });
  assert.equal(isError, false);
  assert.match(questions[0] ?? '', /edit_note/);
  assert.match(readFileSync(join(vault, 'Places/Harbour.md'), 'utf8'), /asked over HTTP/);
  await until(() => updates.includes(uri), 'the listener hears of the change');
  assert.match(stderr(), /"http_change".*"change_id":"chg_/);
});

test('a client with a session is asked on the stream of its call', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const yaml = `vault: { path: ${JSON.stringify(vault)}, access: read-write, consent: ask }\n`;
  const server = await startHttp(context, configFile(context, yaml));
  const { client, call: callTool } = await server.connect(server.addToken('one'), { elicitation: {} });
  let asked = 0;
  client.setRequestHandler(ElicitRequestSchema, async () => {
    asked += 1;
    return { action: 'accept', content: { approve: true } };
  });
  await callTool('reindex', { wait_ms: 20_000 });
  const { structured } = await callTool('edit_note', {
    note: 'Harbour',
    edits: [{ op: 'replace_text', target: 'free in winter', text: 'taken' }],
  });
  assert.deepEqual([structured.ok, asked], [true, 1]);
});

test('a malformed answer to a question is refused, and ends the call that asked', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const yaml = `vault: { path: ${JSON.stringify(vault)}, access: read-write, consent: ask }\n`;
  const { url } = await startHttp(context, configFile(context, yaml), ['--no-auth']);
  const headers = await openByHand(url, {}, { elicitation: {} });
  await (await post(url, call(2, 'reindex', { wait_ms: 20_000 }), headers)).text();
  for (const [at, result] of [null, 'yes', 7, [], {}, { action: 'yes' }].entries()) {
    const asking = await post(url, call(10 + at, 'delete_note', { note: 'Harbour', confirm: true }), headers);
    const answers: Promise<Response>[] = [];
    const answer = (data: string): void => {
      const { id, method } = JSON.parse(data || '{}') as { id?: unknown; method?: unknown };
      if (method === 'elicitation/create') answers.push(post(url, { jsonrpc: '2.0', id, result }, headers));
    };
    const events = await eventsOf(asking, undefined, answer);
    const { error } = JSON.parse(events.at(-1)?.data ?? '').result.structuredContent;
    assert.deepEqual(
      [error.code, error.details.answer],
      ['CONFIRMATION_REQUIRED', 'not_asked'],
      JSON.stringify(result),
    );
    const isObject = String(result) === '[object Object]';
    assert.equal((await answers[0])?.status, isObject ? 202 : 400, 'an object is a response, though of no question');
  }
});

test('the server does not start where other machines could reach it without a token or without encryption', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const folder = temporaryFolder(context);
  const started = (yaml: string, ...args: string[]) => {
    const config = configFile(context, `vault: { path: ${JSON.stringify(vault)} }\n${yaml}\n`);
    return runProgram(context, ['serve', '--http', '--config', config, '--data-dir', folder, ...args]);
  };
  const open = started('', '--host', '0.0.0.0', '--no-auth');
  assert.equal(open.status, 78);
  assert.match(open.stderr, /--no-auth: other machines can connect to 0\.0\.0\.0/);
  const bare = started('http: { host: 192.0.2.1 }');
  assert.match(bare.stderr, /there is no token yet; add one with `.* tokens add NAME --config \S+/);
  assert.match(bare.stderr, /nothing encrypts/);
  assert.match(started('http: { trusted_proxies: [nonsense] }').stderr, /http\.trusted_proxies.*an IP address/);
  assert.match(
    started('http: { tls: { cert: none.pem, key: none.pem } }').stderr,
    /none\.pem cannot be read \(ENOENT\)/,
  );
  assert.match(started('views: { phone: { reads: ["x"] } }').stderr, /did you mean `?read/);
  assert.equal(started('', '--port', '70000').status, 64);
  const busy = await start(context);
  const again = started('', '--port', new URL(busy.url).port, '--no-auth');
  assert.deepEqual([again.status, /EADDRINUSE/.test(again.stderr)], [78, true]);
  for (const flag of [['--port', '1'], ['--host', 'x'], ['--no-auth']])
    assert.equal(runProgram(context, ['serve', ...flag]).status, 64, flag.join(' '));
});

test('with a certificate of its own the server speaks TLS', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const folder = temporaryFolder(context);
  const [cert, key] = [join(TLS, 'localhost-cert.pem'), join(folder, 'key.pem')];
  copyFileSync(join(TLS, 'localhost-key.pem'), key);
  const yaml = `vault: { path: ${JSON.stringify(vault)} }\nhttp: { tls: { cert: ${cert}, key: ${key} } }\n`;
  const { url } = await startHttp(context, configFile(context, yaml));
  assert.match(url, /^https:/);
  const status = await new Promise((resolve, reject) => {
    getWithTls(url.replace('/mcp', '/healthz'), { ca: readFileSync(cert) }, ({ statusCode }) => resolve(statusCode)).on(
      'error',
      reject,
    );
  });
  assert.equal(status, 200);
  writeFileSync(key, 'nonsense');
  const config = configFile(context, yaml);
  const broken = runProgram(context, ['serve', '--http', '--config', config, '--data-dir', folder]);
  assert.equal(broken.status, 78);
  assert.match(broken.stderr, /config.yaml:2: the files are not a certificate and its private key/);
});

test('behind a proxy only the proxy is answered, under the names of the config', async (context) => {
  const behind = await start(context, 'http: { trusted_proxies: [127.0.0.1], allowed_hosts: [notes.example] }');
  assert.equal((await post(behind.url, LIST, behind.headers)).status, 200);
  const vault = copyOfFixture(context, 'tiny');
  const yaml = `vault: { path: ${JSON.stringify(vault)} }\nhttp: { trusted_proxies: [10.0.0.0/8] }\n`;
  const { url } = await startHttp(context, configFile(context, yaml), ['--no-auth']);
  assert.equal((await post(url, INITIALIZE)).status, 403);
  assert.equal((await fetch(new URL('/healthz', url))).status, 200);
});
