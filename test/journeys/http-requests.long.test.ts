// Sends requests to the server over HTTP that no client should send: each gets its status, and nothing of the vault.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createSeededRandom } from '../bench/random.ts';
import { HEADERS, type HttpProcess, INITIALIZE, openByHand, post, startHttp } from './http-process.ts';
import { configFile, copyOfFixture } from './session.ts';

const MORE = 'limits: { message: 70000, text: 1000 }\nhttp: { allowed_origins: ["https://app.example"] }';
const VAULT_WORDS = /Harbour|Tide|Lighthouse|Places|\/tmp\//;
const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list' };

async function start(
  context: TestContext,
  more = MORE,
): Promise<HttpProcess & { readonly token: Record<string, string> }> {
  const vault = copyOfFixture(context, 'tiny');
  const server = await startHttp(context, configFile(context, `vault: { path: ${JSON.stringify(vault)} }\n${more}\n`));
  return { ...server, token: { authorization: `Bearer ${server.addToken('one')}` } };
}

type Sent = readonly [what: string, status: number, send: () => Promise<Response>];

test('each malformed, foreign or oversized request gets the status of the specification, and nothing of the vault', async (context) => {
  const { url, token, addToken, stderr } = await start(context);
  const session = await openByHand(url, token);
  const other = { ...session, authorization: `Bearer ${addToken('two')}` };
  const { authorization, ...tokenless } = session;
  const without = (name: string): Record<string, string> => ({ ...session, [name]: 'text/plain' });
  const origin = (value: string): Record<string, string> => ({ ...session, origin: value });
  const at = (path: string): string => new URL(path, url).href;
  const stateless = { ...token, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
  const cases: readonly Sent[] = [
    ['a list in a session', 200, () => post(url, LIST, session)],
    ['no token', 401, () => post(url, LIST, tokenless)],
    ['another scheme', 401, () => post(url, LIST, { ...tokenless, authorization: 'Basic dXNlcjpwdw==' })],
    ['a wrong token', 401, () => post(url, LIST, { ...tokenless, authorization: `${authorization}x` })],
    ['an empty token', 401, () => post(url, LIST, { ...tokenless, authorization: 'Bearer ' })],
    ['the session of another token', 404, () => post(url, LIST, other)],
    ['an unknown session', 404, () => post(url, LIST, { ...session, 'mcp-session-id': 'nothing' })],
    ['no session', 400, () => post(url, LIST, token)],
    ['a stream without a session', 400, () => fetch(url, { headers: { ...HEADERS, ...token } })],
    ['a second handshake', 400, () => post(url, INITIALIZE, session)],
    ['an unknown version', 400, () => post(url, LIST, { ...session, 'mcp-protocol-version': '1999-01-01' })],
    ['another content type', 415, () => post(url, LIST, without('content-type'))],
    ['JSON is not accepted', 406, () => post(url, LIST, without('accept'))],
    ['no JSON', 400, () => post(url, '{"jsonrpc":', session)],
    ['no object', 400, () => post(url, '7', session)],
    ['a handshake without a version', 400, () => post(url, { ...INITIALIZE, params: {} }, token)],
    ['a long body', 413, () => post(url, { ...LIST, params: { text: 'x'.repeat(80_000) } }, session)],
    ['a foreign origin', 403, () => post(url, LIST, origin('https://evil.example'))],
    ['no origin of its own', 403, () => post(url, LIST, origin('null'))],
    ['an allowed origin', 200, () => post(url, LIST, origin('https://app.example'))],
    ['another method', 405, () => fetch(url, { method: 'PUT', headers: session, body: '{}' })],
    ['another path', 404, () => post(at('/'), LIST, session)],
    ['a path out of the server', 404, () => fetch(at('/mcp/../../etc/passwd'), { headers: session })],
    ['metrics without a token', 401, () => fetch(at('/metrics'))],
    ['health', 200, () => fetch(at('/healthz'))],
    ['readiness', 200, () => fetch(at('/readyz'))],
    ['an empty batch', 400, () => post(url, [], session)],
    ['a batch', 400, () => post(url, [LIST], session)],
    ['a message that is none', 400, () => post(url, { jsonrpc: '2.0', id: 4, result: {}, error: {} }, session)],
    ['another charset', 415, () => post(url, LIST, { ...session, 'content-type': 'application/json; charset=latin1' })],
    ['a compressed body', 415, () => post(url, LIST, { ...session, 'content-encoding': 'gzip' })],
    [
      'a charset in quotes',
      200,
      () => post(url, LIST, { ...session, 'content-type': 'application/json; charset="UTF-8"' }),
    ],
    [
      'a handshake in a session that has ended',
      404,
      () => post(url, INITIALIZE, { ...session, 'mcp-session-id': 'gone' }),
    ],
    ['headers without metadata', 400, () => post(url, LIST, stateless)],
  ];
  for (const [what, status, send] of cases) {
    const response = await send();
    const text = await response.text();
    assert.equal(response.status, status, `${what}: ${text}`);
    // The list of tools has examples with such words.
    if (status !== 200) assert.doesNotMatch(text, VAULT_WORDS, what);
    if (status === 401)
      assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer realm="vaultgraph"/, what);
    if (status === 405) assert.equal(response.headers.get('allow'), 'GET, POST, DELETE');
  }
  assert.doesNotMatch(stderr(), new RegExp(String(authorization?.slice(10, 25))));
  const preflight = await fetch(url, { method: 'OPTIONS', headers: { origin: 'https://app.example' } });
  assert.deepEqual(
    [preflight.status, preflight.headers.get('access-control-allow-origin')],
    [204, 'https://app.example'],
  );
  assert.equal((await fetch(url, { method: 'DELETE', headers: session })).status, 200);
  assert.equal((await post(url, LIST, session)).status, 404);
});

test('of two requests with one id that run at once the second is refused, and the id is free afterwards', async (context) => {
  const { url, token } = await start(context);
  const session = await openByHand(url, token);
  const wait = {
    jsonrpc: '2.0',
    id: 'one',
    method: 'tools/call',
    params: { name: 'reindex', arguments: { wait_ms: 5_000 } },
  };
  const both = await Promise.all([post(url, wait, session), post(url, wait, session)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400]);
  for (const response of both) await response.text();
  assert.equal((await post(url, { ...LIST, id: 'one' }, session)).status, 200);
});

test('a client that sends its head too slowly is cut off', async (context) => {
  const { url } = await start(context);
  assert.match(await raw(url, 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-'), /^HTTP\/1.1 408 /);
});

/** Sends bytes on a connection of its own. @returns what comes back until the server closes it */
async function raw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString();
  });
  socket.on('error', () => undefined);
  socket.write(text);
  await once(socket, 'close');
  return received;
}

test('a name that is not served is refused, as is a head that is too long', async (context) => {
  const { url, token } = await start(context);
  const head = (host: string, more = ''): string =>
    `GET /mcp HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${token.authorization}\r\nConnection: close\r\n${more}\r\n`;
  assert.match(await raw(url, head('evil.example')), /^HTTP\/1.1 403 /);
  assert.match(await raw(url, head('localhost')), /^HTTP\/1.1 400 /);
  assert.match(await raw(url, head('localhost', `X: ${'x'.repeat(20_000)}\r\n`)), /^HTTP\/1.1 431 /);
  assert.match(await raw(url, head('localhost', 'Host: evil.example\r\n')), /^HTTP\/1.1 400 /);
  assert.match(await raw(url, head('localhost', 'Authorization: Bearer other\r\n')), /^HTTP\/1.1 400 /);
  assert.match(await raw(url, 'NONSENSE\r\n\r\n'), /^HTTP\/1.1 400 /);
  const body = JSON.stringify(INITIALIZE);
  const coded = [
    ...['content-type: application/json', 'accept: application/json, text/event-stream'],
    ...['transfer-encoding: gzip, chunked', '', `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`],
  ].join('\r\n');
  assert.match(
    await raw(url, head(new URL(url).host).replace('GET', 'POST').replace(/\r\n$/, coded)),
    /^HTTP\/1.1 415 /,
  );
});

test('more requests than the rate allows are refused, with the time to wait', async (context) => {
  const { url, token } = await start(context, 'http: { requests_per_second: 5 }');
  const session = await openByHand(url, token);
  const responses = await Promise.all(Array.from({ length: 30 }, () => post(url, LIST, session)));
  const refused = responses.filter(({ status }) => status === 429);
  assert.ok(refused.length >= 10 && refused.length < 30, `${refused.length} of 30`);
  assert.equal(refused[0]?.headers.get('retry-after'), '1');
});

const FUZZED = 400;

test(`${FUZZED} random bodies and headers are all answered, and the server continues`, async (context) => {
  const { url, token, stderr } = await start(context);
  const random = createSeededRandom(20_261_123);
  const session = await openByHand(url, token);
  const values = [
    '',
    'x',
    '\u00e9',
    '0',
    '-1',
    '2026-07-28',
    'tools/call',
    '{}',
    '[]',
    'application/json',
    '=?base64?eA==?=',
  ] as const;
  const names = [
    'accept',
    'content-type',
    'mcp-session-id',
    'mcp-protocol-version',
    'mcp-method',
    'mcp-name',
    'last-event-id',
    'origin',
  ] as const;
  const json = (depth: number): unknown => {
    const kind = random.below(depth > 3 ? 4 : 7);
    if (kind < 3) return random.pick([null, true, 1e308, 'tools/call', '2.0', 'x\u0000y', -0.5]);
    if (kind === 3) return random.pick(values);
    if (kind === 4) return [json(depth + 1), json(depth + 1)];
    const keys = [
      'jsonrpc',
      'id',
      'method',
      'params',
      '_meta',
      'name',
      'arguments',
      'result',
      'error',
      '__proto__',
    ] as const;
    return Object.fromEntries([0, 1, 2, 3].map(() => [random.pick(keys), json(depth + 1)]));
  };
  for (let run = 0; run < FUZZED; run += 1) {
    const header = { [random.pick(names)]: random.pick(values) };
    const base = random.chance(0.5) ? session : token;
    const response = await post(url, json(0), { ...base, ...header });
    assert.notEqual(response.status, 500, await response.clone().text());
    await response.body?.cancel();
  }
  assert.equal((await post(url, LIST, session)).status, 200);
  assert.doesNotMatch(stderr(), /"INTERNAL"|uncaught/i);
});

test('what is no request is refused as an invalid request, also in a session whose protocol has batches', async (context) => {
  const { url, token } = await start(context);
  const session = await openByHand(url, token);
  const params = { ...INITIALIZE.params, protocolVersion: '2025-03-26' };
  const opened = await post(url, { ...INITIALIZE, params }, token);
  await opened.text();
  const older: Record<string, string> = { ...token, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  const errorOf = async (
    body: unknown,
    headers: Record<string, string>,
  ): Promise<{ code: number; message: string }> => {
    const response = await post(url, JSON.stringify(body), headers);
    const { error } = (await response.json()) as { readonly error: { code: number; message: string } };
    assert.equal(response.status, 400);
    return error;
  };
  const malformed = [
    7,
    'x',
    null,
    true,
    {},
    { id: 1 },
    { ...LIST, id: null },
    { ...LIST, jsonrpc: '1.0' },
    { ...LIST, id: 1.5 },
  ];
  for (const headers of [session, older, token])
    for (const body of [[], ...malformed])
      assert.equal((await errorOf(body, headers)).code, -32600, JSON.stringify(body));
  for (const headers of [session, token]) assert.equal((await errorOf([LIST], headers)).code, -32600);
  assert.match((await errorOf([LIST], session)).message, /2025-03-26/);
  for (const body of malformed) assert.equal((await errorOf([LIST, body], older)).code, -32600);
  const batch = await post(url, [LIST, { ...LIST, id: 3 }], older);
  assert.equal(batch.status, 200);
  assert.match(await batch.text(), /"id":3/);
  const stale = await post(url, INITIALIZE, { ...token, 'mcp-session-id': 'gone' });
  assert.match(await stale.text(), /initialize without the header mcp-session-id/);
});
