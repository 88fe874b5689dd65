// The stdio transport: messages arrive however the input is cut, and malformed requests are answered.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import fc from 'fast-check';
import { StdioTransport } from '../../../src/mcp/transport/stdio-transport.ts';

interface Received {
  readonly messages: unknown[];
  readonly errors: Error[];
  readonly answers: string;
  readonly malformed: number;
  readonly isClosed: boolean;
}

async function receive(chunks: readonly Buffer[]): Promise<Received> {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  let malformed = 0;
  let isClosed = false;
  const transport = new StdioTransport(stdin, stdout, () => (malformed += 1));
  const messages: unknown[] = [];
  const errors: Error[] = [];
  transport.onmessage = (message) => messages.push(message);
  transport.onerror = (error) => errors.push(error);
  transport.onclose = () => {
    isClosed = true;
  };
  await transport.start();
  const ended = new Promise((resolve) => stdin.once('end', resolve));
  for (const chunk of chunks) stdin.write(chunk);
  stdin.end();
  stdin.resume();
  await ended;
  stdout.end();
  return { messages, errors, answers: await text(stdout), malformed, isClosed };
}

/** The text in pieces of at most so many bytes. */
function cut(text: string, most: number): Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / most) }, (_, at) => bytes.subarray(at * most, (at + 1) * most));
}

test('valid requests arrive unchanged and in order, wherever the input is cut', async () => {
  const request = fc.record({
    jsonrpc: fc.constant('2.0'),
    id: fc.oneof(fc.integer(), fc.string()),
    method: fc.string(),
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
        const lines = requests.map((message) => `${JSON.stringify(message)}${lineEnd}`);
        const { messages, errors, answers } = await receive(cut(lines.join(''), most));
        assert.deepEqual(messages, JSON.parse(JSON.stringify(requests)));
        assert.deepEqual([errors, answers], [[], '']);
      },
    ),
  );
});

test('a line that is not JSON is reported, and the next one still arrives', async () => {
  const { messages, errors } = await receive(cut('{"jsonrpc":\n\nhello\n{"jsonrpc":"2.0","method":"x"}\n', 5));
  assert.deepEqual(
    errors.map(({ name }) => name),
    ['SyntaxError', 'SyntaxError', 'SyntaxError'],
  );
  assert.deepEqual(messages, [{ jsonrpc: '2.0', method: 'x' }]);
});

test('a malformed request is answered by its id and not passed on; a notification or a response never is', async () => {
  const refused = { jsonrpc: '2.0', id: 'ü', method: 'ping', params: null };
  const others = [
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: [] },
    { jsonrpc: '2.0', id: 3, result: [] },
    { jsonrpc: '2.0', id: null, method: 'ping', params: [] },
    [refused],
  ];
  const lines = [...others, refused].map((message) => `${JSON.stringify(message)}\n`);
  const { messages, answers, malformed } = await receive(cut(lines.join(''), 7));
  assert.deepEqual(messages, others);
  const error = { code: -32600, message: 'params: must be an object' };
  assert.deepEqual([JSON.parse(answers), malformed], [{ jsonrpc: '2.0', id: 'ü', error }, 1]);
});

test('a line longer than 10 MB closes the transport', async () => {
  const line = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x'.repeat(11 * 1024 * 1024) })}\n`;
  const { messages, errors, isClosed } = await receive(cut(line, 64 * 1024));
  assert.deepEqual([messages, errors.map(({ name }) => name), isClosed], [[], ['VaultgraphError'], true]);
});
