// The stdio transport: messages arrive however the input is cut, and invalid ones are answered or dropped.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import { StdioTransport } from '../../../src/mcp/transport/stdio-transport.ts';
import { runs } from '../../runner/effort.ts';

interface Received {
  readonly messages: unknown[];
  readonly answers: unknown[];
  readonly malformed: readonly string[];
  readonly written: string;
}

/** What arrives of the chunks; each request is answered with an empty result and not listed in `answers`. */
async function receive(chunks: readonly Buffer[], maxMessageBytes = 1_000): Promise<Received> {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const malformed: string[] = [];
  const messages: JSONRPCMessage[] = [];
  const transport = new StdioTransport({
    ...{ stdin, stdout, maxMessageBytes, maxStallMs: 60_000 },
    onMalformed: (reason) => malformed.push(reason),
    onStalled: () => assert.fail('nothing stalls'),
  });
  transport.onmessage = (message: JSONRPCMessage) => {
    messages.push(message);
    if ('id' in message && message.id !== undefined)
      void transport.send({ jsonrpc: '2.0', id: message.id, result: {} });
  };
  await transport.start();
  const ended = new Promise((resolve) => stdin.once('end', resolve));
  for (const chunk of chunks) stdin.write(chunk);
  stdin.end();
  await ended;
  await transport.idle();
  await setImmediate();
  const written = String(stdout.read() ?? '');
  await transport.close();
  const answers = written
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  return { messages, answers: answers.filter((answer) => answer.result === undefined), malformed, written };
}

/** The text in pieces of at most so many bytes. */
function cut(text: string, most: number): Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / most) }, (_, at) => bytes.subarray(at * most, (at + 1) * most));
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 'handshake',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

test('valid requests arrive unchanged and in order, wherever the input is cut', async () => {
  const request = fc.record({
    jsonrpc: fc.constant('2.0'),
    id: fc.oneof(fc.integer(), fc.string()),
    method: fc.string().filter((method) => method !== 'ping' && method !== 'initialize'),
    params: fc.dictionary(
      fc.string().filter((key) => key !== '_meta' && key !== '__proto__'),
      fc.jsonValue(),
    ),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(request),
      fc.integer({ min: 1, max: 50 }),
      fc.constantFrom('\n', '\r\n'),
      async (requests, most, lineEnd) => {
        const lines = [INITIALIZE, ...requests].map((message) => `${JSON.stringify(message)}${lineEnd}`);
        const { messages, answers, malformed } = await receive(cut(lines.join(''), most), 1_000_000);
        assert.deepEqual(messages, JSON.parse(JSON.stringify([INITIALIZE, ...requests])));
        assert.deepEqual([answers, malformed], [[], []]);
      },
    ),
    { numRuns: runs(1_000) },
  );
});

test('a malformed request is answered by its id and not passed on; a notification or a response never is', async () => {
  const refused = { jsonrpc: '2.0', id: 'ü', method: 'ping', params: null };
  const others = [
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: [] },
    { jsonrpc: '2.0', id: 3, result: [] },
    { jsonrpc: '2.0', id: 0.5, error: 'none' },
  ];
  const lines = [...others, refused].map((message) => `${JSON.stringify(message)}\n`);
  const { messages, answers, malformed } = await receive(cut(lines.join(''), 7));
  assert.deepEqual(messages, []);
  const error = { code: -32600, message: 'params: must be an object' };
  assert.deepEqual(answers, [{ jsonrpc: '2.0', id: 'ü', error }]);
  assert.deepEqual(malformed, ['malformed_notification', 'response', 'response', '-32600']);
});

test('no line of an answer has a character that some languages read as the end of a line', async () => {
  const id = 'a\u0085b\u2028c\u2029d';
  const { written } = await receive([Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'x' })}\n`)]);
  assert.deepEqual(written.split(/[\r\n\u0085\u2028\u2029]/).length, 2);
  assert.equal(JSON.parse(written).id, id);
});

test('a line that is too long is answered by its id with the limit, and the next one arrives', async () => {
  const tooLong = `{"jsonrpc":"2.0","method":"${'x'.repeat(2_000)}","params":{"id":1},"id":7}\n`;
  for (const most of [11, 900, 5_000]) {
    const { messages, answers } = await receive(cut(`${tooLong}{"jsonrpc":"2.0","method":"next"}\n`, most));
    assert.deepEqual(messages, [{ jsonrpc: '2.0', method: 'next' }]);
    const data = { limit: 1_000, actual: tooLong.length - 1 };
    const message = `this message has ${data.actual} bytes, and limits.message allows 1000`;
    assert.deepEqual(answers, [{ jsonrpc: '2.0', id: 7, error: { code: -32600, message, data } }]);
  }
});
