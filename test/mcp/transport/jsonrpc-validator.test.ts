// The sieve of malformed requests: what it lets through comes out byte for byte, however it was cut.
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import fc from 'fast-check';
import { createRequestSieve } from '../../../src/mcp/transport/jsonrpc-validator.ts';

async function sieved(chunks: readonly Buffer[]): Promise<{ through: Buffer; answers: object[] }> {
  const answers: object[] = [];
  const sieve = createRequestSieve((message) => answers.push(message));
  const through = buffer(sieve);
  for (const chunk of chunks) sieve.write(chunk);
  sieve.end();
  return { through: await through, answers };
}

/** The text in pieces of at most so many bytes. */
function cut(text: string, most: number): Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / most) }, (_, at) => bytes.subarray(at * most, (at + 1) * most));
}

test('what is no malformed request goes through byte for byte, wherever it is cut', async () => {
  const good = fc.record({
    jsonrpc: fc.constant('2.0'),
    id: fc.oneof(fc.integer(), fc.string()),
    method: fc.string(),
    params: fc.dictionary(
      fc.string().filter((key) => key !== '_meta' && key !== '__proto__'),
      fc.jsonValue(),
    ),
  });
  const line = fc.oneof(
    good.map((message) => JSON.stringify(message)),
    fc.string({ unit: 'grapheme' }),
    fc.constant('\r'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 50 }), fc.boolean(), async (lines, most, isEnded) => {
      const text = lines.join('\n') + (isEnded ? '\n' : '');
      const { through, answers } = await sieved(cut(text, most));
      assert.deepEqual(through, Buffer.from(text));
      assert.deepEqual(answers, []);
    }),
  );
});

test('a malformed request is answered by its id and goes no further; a notification or an answer never is', async () => {
  const refused = { jsonrpc: '2.0', id: 'ü', method: 'ping', params: null };
  const others = [
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: [] },
    { jsonrpc: '2.0', id: 3, result: [] },
    { jsonrpc: '2.0', id: null, method: 'ping', params: [] },
    [refused],
  ];
  const lines = [...others, refused].map((message) => `${JSON.stringify(message)}\n`);
  const { through, answers } = await sieved(cut(lines.join(''), 7));
  assert.equal(through.toString(), lines.slice(0, -1).join(''));
  const error = { code: -32600, message: 'params: must be an object' };
  assert.deepEqual(answers, [{ jsonrpc: '2.0', id: 'ü', error }]);
});

test('a line too long for the SDK goes by whole', async () => {
  const text = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x'.repeat(11 * 1024 * 1024), params: [] })}\n`;
  const { through } = await sieved(cut(text, 64 * 1024));
  assert.equal(through.length, text.length);
});
