// Sends lines to the built program over pipes: each gets the answer that JSON-RPC and MCP ask for, and the server stays up.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { type RawReply, type RawServer, startRawServer, toolCall } from '../../journeys/raw-server.ts';
import { configFile, copyOfFixture } from '../../journeys/session.ts';
import { runs } from '../../runner/effort.ts';

const request = (message: object): string => JSON.stringify({ jsonrpc: '2.0', method: 'nothing', ...message });

/** The answers to these lines, each on a line of its own. @param awaited the id of the answer that takes longest */
async function answersTo(
  server: RawServer,
  lines: readonly (string | Buffer)[],
  id: string,
  awaited?: unknown,
): Promise<RawReply[]> {
  const before = server.lines().length;
  for (const line of lines) {
    server.write(line);
    server.write('\n');
  }
  if (typeof awaited === 'string' || typeof awaited === 'number') await server.reply(awaited);
  server.send({ id, method: 'tools/list', params: { cursor: 'none' } });
  await server.reply(id);
  const answers = server
    .lines()
    .slice(before)
    .map((line) => JSON.parse(line));
  return answers.filter((answer) => answer.id !== id);
}

const INVALID = { code: -32600 };
const LINES: readonly (readonly [
  name: string,
  line: string | Buffer,
  answer: { id?: unknown; code: number } | undefined,
])[] = [
  ['not JSON', 'hello', { code: -32700 }],
  ['half a message', '{"jsonrpc":"2.0","id":1,', { code: -32700 }],
  ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22]), { code: -32700 }],
  ['a byte order mark within the stream', `\uFEFF${request({ id: 1 })}`, { code: -32700 }],
  ['blank', ' \t\r', undefined],
  ['a number', '5', INVALID],
  ['null', 'null', INVALID],
  ['an empty object', '{}', INVALID],
  ['no method', '{"jsonrpc":"2.0","id":1}', { id: 1, code: -32600 }],
  ['a method that is no string', '{"jsonrpc":"2.0","method":1,"params":"bar"}', INVALID],
  ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":2,"method":"ping"}', { id: 2, code: -32600 }],
  ['a fractional id', request({ id: 1.5 }), INVALID],
  ['a huge id', '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', INVALID],
  ['an infinite id', '{"jsonrpc":"2.0","id":1e999,"method":"ping"}', INVALID],
  ['a long id', request({ id: 'x'.repeat(201) }), INVALID],
  ['an object as id', request({ id: { a: 1 } }), INVALID],
  ['a list as id', request({ id: [1] }), INVALID],
  ['null as id', request({ id: null }), INVALID],
  ['the id 0', request({ id: 0 }), { id: 0, code: -32601 }],
  ['an empty id', request({ id: '' }), { id: '', code: -32601 }],
  ['a negative id', request({ id: -1 }), { id: -1, code: -32601 }],
  ['the longest id', request({ id: 'x'.repeat(200) }), { id: 'x'.repeat(200), code: -32601 }],
  ['parameters in a list', request({ id: 3, params: [] }), { id: 3, code: -32600 }],
  [
    'reserved metadata of another type',
    request({ id: 4, params: { _meta: { 'io.modelcontextprotocol/related-task': 5 } } }),
    { id: 4, code: -32600 },
  ],
  [
    'a long progress token',
    request({ id: 5, params: { _meta: { progressToken: 'x'.repeat(300) } } }),
    { id: 5, code: -32600 },
  ],
  ['a request that is a response too', request({ id: 6, result: {} }), { id: 6, code: -32600 }],
  ['a duplicate id', '{"jsonrpc":"2.0","id":7,"method":"nothing","id":8}', { id: 8, code: -32601 }],
  ['a long method', request({ id: 9, method: 'm'.repeat(5_000) }), { id: 9, code: -32601 }],
  [
    'a call as a task, which this server does not know',
    request({ id: 13, method: 'tools/call', params: { name: 'x', task: { ttl: 1_000 } } }),
    { id: 13, code: -32602 },
  ],
  ['a response', '{"jsonrpc":"2.0","id":1,"result":{}}', undefined],
  ['an error without an id', '{"jsonrpc":"2.0","error":{"code":1,"message":"x"}}', undefined],
  ['an unknown notification', '{"jsonrpc":"2.0","method":"notifications/nothing"}', undefined],
  ['a notification with a list', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}', undefined],
  [
    'a cancellation of nothing',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}',
    undefined,
  ],
  ['deep lists', '['.repeat(100_000), { code: -32700 }],
  ['deep lists that end', `${'['.repeat(50_000)}${']'.repeat(50_000)}`, INVALID],
  ['a batch', `[${request({ id: 1 })}]`, INVALID],
  ['initialize without anything', '{"jsonrpc":"2.0","id":10,"method":"initialize"}', { id: 10, code: -32602 }],
  [
    'initialize with a wrong version',
    request({
      id: 11,
      method: 'initialize',
      params: { protocolVersion: 5, capabilities: {}, clientInfo: { name: 'x'.repeat(9_000) } },
    }),
    { id: 11, code: -32602 },
  ],
  ...(
    [
      ['resources/list', { cursor: 'y'.repeat(9_000) }, -32602],
      ['tools/call', { name: 'y'.repeat(9_000) }, -32602],
      ['prompts/get', { name: 'y'.repeat(9_000) }, -32602],
      ['prompts/get', { name: 'explain_topic', arguments: { ['y'.repeat(9_000)]: 'z'.repeat(9_000) } }, -32602],
      ['completion/complete', { ref: { type: 'y'.repeat(9_000) }, argument: { name: 'y', value: '' } }, -32602],
    ] as const
  ).map(
    ([method, params, code], at) =>
      [`long text in ${method}`, request({ id: 100 + at, method, params }), { id: 100 + at, code }] as const,
  ),
];

/** Until then a busy machine may answer that the index is being built. */
async function indexed(server: RawServer): Promise<void> {
  for (let id = 1_000; ; id += 1) {
    server.send({ id, method: 'resources/list', params: {} });
    const { error } = await server.reply(id);
    if (error === undefined) return;
    assert.match(String(error.message), /INDEX_BUILDING/);
  }
}

test('each line gets the answer that the specification asks for', async (context) => {
  const server = startRawServer(context, { vault: copyOfFixture(context, 'tiny') });
  await server.begin();
  await indexed(server);
  for (const [at, [name, line, expected]] of LINES.entries()) {
    const answers = await answersTo(server, [line], `end ${at}`, expected?.id);
    const seen = answers.map(({ id, error }) => ({ ...(id !== undefined && { id }), code: error?.code }));
    assert.deepEqual(seen, expected === undefined ? [] : [expected], name);
    for (const { error } of answers) {
      assert.doesNotMatch(JSON.stringify(error), /([xyzm])\1{200}/, name);
      assert.doesNotMatch(JSON.stringify(error), /\n|invalid_type|"expected"/, name);
    }
  }
});

test('a byte order mark at the very start is skipped', async (context) => {
  const server = startRawServer(context, { vault: copyOfFixture(context, 'tiny') });
  server.write('\uFEFF');
  await server.begin();
  assert.deepEqual(server.lines().length, 1);
});

test('malformed parameters of initialize are refused with what is wrong, and the next try succeeds', async (context) => {
  const server = startRawServer(context, { vault: copyOfFixture(context, 'tiny') });
  server.send({ id: 1, method: 'initialize', params: { protocolVersion: 1, clientInfo: { name: 'x' } } });
  const { error } = await server.reply(1);
  assert.equal(error.code, -32602);
  assert.equal(
    error.message,
    'initialize: protocolVersion: must be a string; capabilities: is missing; clientInfo.version: is missing',
  );
  await server.begin();
});

/** A batch as one line; the id of its first request must be unique. */
async function batch(server: RawServer, messages: readonly unknown[], id: number): Promise<RawReply[]> {
  server.write(`${JSON.stringify(messages)}\n`);
  await server.reply(id);
  const line = server.lines().find((one) => one.startsWith('[') && one.includes(`"id":${id}`));
  return JSON.parse(line ?? 'null');
}

test('under protocol 2025-03-26 a batch is answered as one list', async (context) => {
  const server = startRawServer(context, { vault: copyOfFixture(context, 'tiny') });
  await server.begin('2025-03-26');
  const mixed = [
    { jsonrpc: '2.0', ...toolCall(1, 'search_text', { query: 'tide' }) },
    { jsonrpc: '2.0', method: 'notifications/nothing' },
    { jsonrpc: '2.0', id: 'two', method: 'ping' },
    { jsonrpc: '2.0', id: 3, result: {} },
    { jsonrpc: '2.0', id: 4, method: 'initialize', params: {} },
    { jsonrpc: '2.0', id: 5.5, method: 'ping' },
    6,
  ];
  const answers = await batch(server, mixed, 1);
  const seen = answers.map(({ id, error }) => [id, error?.code]);
  assert.deepEqual(new Set(seen.map(String)), new Set(['1,', 'two,', '4,-32602', ',-32600'].map(String)));
  assert.equal(answers.length, 5);
  assert.equal(answers.find(({ id }) => id === 1)?.result.isError, false);
  const [empty, tooMany] = await answersTo(server, ['[]', `[${Array(101).fill('1').join()}]`], 'end');
  assert.deepEqual([empty?.error.code, tooMany?.error.code], [-32600, -32600]);
  assert.deepEqual(await answersTo(server, ['[{"jsonrpc":"2.0","method":"notifications/nothing"}]'], 'last'), []);
});

test('a batch whose requests are all cancelled gets no answer', async (context) => {
  const server = startRawServer(context, { vault: copyOfFixture(context, 'tiny') });
  await server.begin('2025-03-26');
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  const call = { jsonrpc: '2.0', ...toolCall(1, 'reindex', { wait_ms: 40_000, rebuild: true, confirm: true }) };
  assert.deepEqual(await answersTo(server, [JSON.stringify([call, cancel])], 'end'), []);
});

test('a message above limits.message is answered with the limit, holds no memory and harms no other call', async (context) => {
  const config = configFile(context, 'limits: { text: 100000, message: 600000 }\n');
  const server = startRawServer(context, { vault: copyOfFixture(context, 'tiny'), config });
  await server.begin();
  // The first long line warms up what every later one needs.
  await sendLong(server, 1, 30);
  const before = peakMemoryMb(server);
  server.send(toolCall(2, 'reindex', { wait_ms: 40_000 }));
  const { error } = await sendLong(server, 3, 150);
  assert.equal(error.code, -32600);
  assert.deepEqual([error.data.limit, error.data.actual > 150 * MIB], [600_000, true]);
  assert.match(error.message, /limits\.message/);
  assert.equal((await server.reply(2)).result.isError, false);
  const growth = peakMemoryMb(server) - before;
  assert.ok(growth < 120, `${growth} MB more`);
  const [withoutId] = await answersTo(server, [`{"a":"${'x'.repeat(700_000)}"}`], 'end');
  assert.deepEqual([withoutId?.error.code, withoutId && 'id' in withoutId], [-32600, false]);
  server.child.stdin?.end();
  assert.equal(await server.ended, 0);
});

const MIB = 1024 * 1024;

/** Sends a request of so many MiB, with its id at the end. */
async function sendLong(server: RawServer, id: number, mebibytes: number): Promise<RawReply> {
  const chunk = Buffer.alloc(MIB, 'x');
  server.write('{"jsonrpc":"2.0","method":"tools/call","params":{"id":5,"a":"');
  for (let sent = 0; sent < mebibytes; sent += 1) {
    if (!server.child.stdin?.write(chunk)) await new Promise((resolve) => server.child.stdin?.once('drain', resolve));
  }
  server.write(`"},"id":${id}}\n`);
  return server.reply(id);
}

/** Always 0 where the system does not say. */
function peakMemoryMb(server: RawServer): number {
  if (process.platform !== 'linux') return 0;
  const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** A line and whether it is a request, which has exactly one answer with its id. */
interface HostileLine {
  readonly text: string;
  readonly id?: unknown;
}

const hostileParams = fc.oneof(
  fc.jsonValue(),
  fc.dictionary(
    fc.constantFrom('name', 'uri', 'arguments', 'cursor', '_meta', 'requestId', 'ref', 'task'),
    fc.jsonValue(),
  ),
  fc.record({ name: fc.constantFrom('status', 'search_text', 'read_notes', 'x'), arguments: fc.jsonValue() }),
);
const METHODS = [
  'ping',
  'tools/list',
  'tools/call',
  'resources/read',
  'resources/list',
  'prompts/get',
  'completion/complete',
  'initialize',
  'logging/setLevel',
  '__proto__',
  'x',
];
const hostileMessage = fc.record(
  {
    method: fc.oneof(fc.constantFrom(...METHODS), fc.jsonValue()),
    params: hostileParams,
    more: fc.jsonValue(),
    jsonrpc: fc.constantFrom('2.0', '2.0', '2.0', '1.0', 2),
  },
  { requiredKeys: ['method'] },
);

function hostileLine(seed: { message: object; kind: number; noise: string }, at: number): HostileLine {
  const { message, kind, noise } = seed;
  const id = kind % 2 === 0 ? at : `line ${at}`;
  if (kind < 12) return { text: JSON.stringify({ jsonrpc: '2.0', id, ...message }), id };
  if (kind < 14) return { text: JSON.stringify({ jsonrpc: '2.0', ...message }) };
  if (kind < 16) return { text: JSON.stringify({ jsonrpc: '2.0', id, result: message }) };
  if (kind < 18) return { text: JSON.stringify([{ jsonrpc: '2.0', id, ...message }]) };
  return { text: noise.replaceAll('\n', ' ') };
}

test('of random hostile lines each request gets exactly one answer, and the server stays up', async (context) => {
  const server = startRawServer(context, { vault: copyOfFixture(context, 'tiny') });
  await server.begin();
  const seed = fc.record({
    message: hostileMessage,
    kind: fc.nat({ max: 19 }),
    noise: fc.string({ maxLength: 300, unit: 'binary' }),
  });
  const lines = fc.sample(seed, runs(5_000)).map((one, at) => hostileLine(one, at + 1));
  for (const { text } of lines) server.write(`${text}\n`);
  const requests = lines.flatMap(({ id }) => (id === undefined ? [] : [id as string]));
  for (const id of requests) await server.reply(id);
  server.send({ id: 'end', method: 'ping' });
  assert.deepEqual((await server.reply('end')).result, {});
  const counted = new Map<unknown, number>();
  for (const line of server.lines()) {
    const { id } = JSON.parse(line);
    if (id !== undefined) counted.set(id, (counted.get(id) ?? 0) + 1);
  }
  assert.deepEqual(
    requests.filter((id) => counted.get(id) !== 1),
    [],
  );
  assert.equal(counted.size, requests.length + 2);
  server.child.stdin?.end();
  assert.equal(await server.ended, 0);
});
