// Tests that one process serves sessions and requests without a handshake, and refuses a mix of both.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { ProtocolEra } from '../../../src/mcp/transport/protocol-era.ts';
import { callTool, METADATA, type Message, openRawSession, withMetadata } from './stdio-process.ts';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const CLIENT = 'io.modelcontextprotocol/clientInfo';

const INITIALIZE = {
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

/** The kinds of the routes, or the code and data of their faults. */
function routes(...requests: readonly object[]): unknown[] {
  const era = new ProtocolEra();
  return requests.map((request) => {
    const route = era.route({ jsonrpc: '2.0', id: 1, ...request } as JSONRPCRequest);
    return route.kind === 'refused' ? [route.fault.code, route.fault.data ?? route.fault.message] : route.kind;
  });
}

const bare = (method: string) => ({ method });
const full = (method: string, meta: object = {}) => withMetadata({ method, params: { _meta: meta } });

test('the first request decides, and a probe leaves the choice open', () => {
  assert.deepEqual(routes(bare('ping'), INITIALIZE, bare('tools/list')), ['session', 'session', 'session']);
  for (const method of ['tools/list', 'tools/call', 'resources/read', 'logging/setLevel', 'unknown']) {
    const [refused, ...later] = routes(bare(method), INITIALIZE, bare(method));
    assert.ok(Array.isArray(refused) && refused[0] === -32602, method);
    assert.match(String(refused[1]), /^send initialize first, or with every request params\._meta: /);
    assert.deepEqual(later, ['session', 'session']);
  }
  assert.deepEqual(routes(full('tools/list'), full('tools/call')), ['stateless', 'stateless']);
  const probed = [full('server/discover'), full('server/discover')];
  assert.deepEqual(routes(...probed, INITIALIZE, bare('ping')), ['stateless', 'stateless', 'session', 'session']);
  assert.deepEqual(routes(...probed, full('tools/list')), ['stateless', 'stateless', 'stateless']);
});

test('the other era is an unsupported version, with the one that is served', () => {
  const [, session, discover] = routes(INITIALIZE, full('tools/list'), full('server/discover'));
  for (const answer of [session, discover])
    assert.deepEqual(answer, [-32022, { supported: ['2025-06-18'], requested: '2026-07-28' }]);
  const [, handshake] = routes(full('tools/list'), INITIALIZE);
  assert.deepEqual(handshake, [-32022, { supported: ['2026-07-28'], requested: '2025-06-18' }]);
});

test('missing or malformed metadata is an invalid parameter that names the key', () => {
  const cases: [object, RegExp][] = [
    [{ [VERSION]: '2026-07-28' }, /needs io\.modelcontextprotocol\/clientCapabilities /],
    [{ [CAPABILITIES]: {} }, /needs io\.modelcontextprotocol\/protocolVersion /],
    [{ [CLIENT]: { name: 'a', version: '1' } }, /protocolVersion and io\.modelcontextprotocol\/clientCapabilities/],
    [{ ...METADATA, [VERSION]: 20260728 }, /protocolVersion: must be a string/],
    [{ ...METADATA, [CAPABILITIES]: [] }, /clientCapabilities/],
    [{ ...METADATA, [CLIENT]: { name: 7, version: '1' } }, /clientInfo\.name/],
    [{ ...METADATA, 'io.modelcontextprotocol/logLevel': 'loud' }, /logLevel/],
  ];
  for (const [meta, expected] of cases) {
    const [answer] = routes({ method: 'tools/list', params: { _meta: meta } });
    assert.ok(Array.isArray(answer) && answer[0] === -32602, JSON.stringify(answer));
    assert.match(String(answer[1]), expected);
  }
  const [, bareLater] = routes(full('tools/list'), bare('tools/list'));
  assert.match(String(bareLater), /^-32602,.*needs/);
  assert.match(String(routes(bare('server/discover'))[0]), /^-32602,.*needs/);
  assert.match(String(routes(bare('subscriptions/listen'))[0]), /^-32602,.*needs/);
});

test('an unknown version is refused with the supported one, and the next request is served', () => {
  for (const version of ['1900-01-01', '2025-11-25', '2027-01-01', '']) {
    const [answer, next] = routes(full('tools/list', { [VERSION]: version }), full('tools/list'));
    assert.deepEqual(answer, [-32022, { supported: ['2026-07-28'], requested: version }]);
    assert.equal(next, 'stateless');
  }
});

test('every answer without a handshake has its type, the server, and how long it may be kept', async (context) => {
  const session = await openRawSession(context, {}, 'stateless');
  const server = { 'io.modelcontextprotocol/serverInfo': { name: 'test', version: '1.0.0' } };
  const found = (await session.request(1, 'server/discover')).result;
  assert.deepEqual(Object.keys(found).sort(), [
    ...['_meta', 'cacheScope', 'capabilities', 'instructions', 'resultType', 'supportedVersions', 'ttlMs'],
  ]);
  assert.deepEqual([found.resultType, found.cacheScope, found.ttlMs], ['complete', 'private', 300_000]);
  assert.equal(found._meta['io.modelcontextprotocol/serverInfo'].title, 'Test');
  const { tools, ...list } = (await session.request(2, 'tools/list')).result;
  assert.ok(tools.length > 0);
  assert.deepEqual(list, { resultType: 'complete', ttlMs: 300_000, cacheScope: 'private', _meta: server });
  assert.deepEqual((await callTool(session, 3, 'echo', { text: 'hello' })).result, {
    resultType: 'complete',
    content: [{ type: 'text', text: 'text: hello\nlimit: 10' }],
    structuredContent: { ok: true, data: { text: 'hello', limit: 10 } },
    isError: false,
    _meta: server,
  });
  for (const method of ['ping', 'initialize', 'logging/setLevel', 'resources/subscribe'])
    assert.equal((await session.request(4, method)).error.code, -32601, method);
  session.assertCleanStdout();
});

test('a subscription is acknowledged without what cannot change, and ends with its request or the process', async (context) => {
  const session = await openRawSession(context, {}, 'stateless');
  const bad: Message = await session.request(1, 'subscriptions/listen', { notifications: { toolsListChanged: 1 } });
  assert.equal(bad.error.code, -32602);
  for (const id of [2, 3]) {
    session.send({ id, method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } });
    const { params } = await session.message(
      ({ params }) => params?._meta?.['io.modelcontextprotocol/subscriptionId'] === id,
    );
    assert.deepEqual(params.notifications, {});
  }
  session.send({ method: 'notifications/cancelled', params: { requestId: 2 } });
  assert.equal((await callTool(session, 4, 'echo', { text: 'a' })).result.isError, false);
  session.child.stdin.end();
  assert.deepEqual(await session.ended, { code: 0, signal: null });
  const ends = session.messages().filter(({ id }) => id === 2 || id === 3);
  assert.deepEqual(
    ends.map(({ id, result }) => [id, result.resultType, result._meta['io.modelcontextprotocol/subscriptionId']]),
    [[3, 'complete', 3]],
  );
  session.assertCleanStdout();
});
