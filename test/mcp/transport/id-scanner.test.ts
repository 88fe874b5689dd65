// The id of a message, found in its bytes however they are cut, is the one that JSON.parse finds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isRequestId } from '../../../src/mcp/transport/jsonrpc-validator.ts';
import { IdScanner } from '../../../src/mcp/transport/line-reader.ts';
import { runs } from '../../runner/effort.ts';

function scannedId(bytes: Buffer, pieceBytes = bytes.length): unknown {
  const scanner = new IdScanner();
  for (let from = 0; from < bytes.length; from += pieceBytes) scanner.push(bytes.subarray(from, from + pieceBytes));
  return scanner.id;
}

test('the id of any JSON is found as JSON.parse finds it, wherever the bytes are cut', () => {
  const id = fc.oneof(fc.integer(), fc.string(), fc.double(), fc.jsonValue());
  const member = fc.tuple(fc.oneof(fc.string(), fc.constant('id')), fc.oneof(id, fc.jsonValue()));
  const message = fc.oneof(
    fc
      .array(member)
      .map((members) => `{${members.map((one) => one.map((part) => JSON.stringify(part)).join(' :')).join(', ')}}`),
    fc.jsonValue().map((value) => JSON.stringify(value, undefined, 1).replaceAll('\n', '\t')),
  );
  const check = (text: string, pieceBytes: number): void => {
    const parsed = JSON.parse(text);
    const own = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed.id : undefined;
    assert.deepEqual(scannedId(Buffer.from(text), pieceBytes), isRequestId(own) ? own : undefined, text);
  };
  fc.assert(fc.property(message, fc.integer({ min: 1, max: 40 }), check), { numRuns: runs(2_000) });
});

for (const [name, text, expected] of [
  ['an id after a nested one', '{"params":{"id":1,"a":[{"id":2}]},"id":3}', 3],
  ['a key that is written with an escape', '{"\\u0069d":"a"}', 'a'],
  ['quotes and brackets in strings', '{"a":"}\\",\\"id\\":9","id":4}', 4],
  ['the last of two', '{"id":1,"id":"b"}', 'b'],
  ['none after an invalid one', '{"id":1,"id":{"id":2}}', undefined],
  ['none in a list', '[{"id":1}]', undefined],
  ['none after the end', '{"a":1}{"id":2}', undefined],
  ['none for an endless one', `{"id":"${'x'.repeat(100_000)}"}`, undefined],
  ['one before text that is not JSON', '{"id":5,"a":nonsense', 5],
] as const) {
  test(`the id of a message: ${name}`, () => {
    assert.equal(scannedId(Buffer.from(text), 7), expected);
  });
}
